#include "engine/simd/workspace.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <new>
#include <utility>

#include "engine/core/machine_memory.h"

namespace headlight {
namespace {

// The size of a cache line and of the widest register.
constexpr std::align_val_t kAlignment{64};
// Larger buffers are freed when they are returned, so that idle memory stays small.
constexpr std::size_t kMostKept = std::size_t{1} << 24;  // bytes

std::atomic<std::size_t> all_bytes{0};

// Rounds up by at most an eighth, so that a sequence of growing requests does not allocate each time.
std::size_t rounded_up(std::size_t count) {
  const std::size_t step = std::max<std::size_t>(16, std::bit_floor(count) / 8);
  return (count + step - 1) / step * step;
}

}  // namespace

Workspace::~Workspace() {
  release();
  assert(bytes_ == 0);
}

std::size_t Workspace::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::size_t Workspace::bytes_of_all() {
  return all_bytes;
}

void Workspace::release() {
  const std::lock_guard lock(mutex_);
  for (const Buffer& buffer : idle_)
    free(buffer);
  idle_.clear();
}

Workspace::Buffer Workspace::allocate(std::size_t count) {
  Buffer buffer;
  buffer.capacity = rounded_up(count);
  const std::size_t size = buffer.capacity * sizeof(float);
  buffer.data = static_cast<float*>(::operator new(size, kAlignment));
  if (size >= kOwnPages) use_large_pages(buffer.data, size);
  bytes_ += size;
  all_bytes += size;
  return buffer;
}

void Workspace::free(const Buffer& buffer) {
  const std::size_t size = buffer.capacity * sizeof(float);
  ::operator delete(buffer.data, kAlignment);
  bytes_ -= size;
  all_bytes -= size;
}

// Returns the smallest idle buffer that is large enough, preferably one that this thread used last. If none
// is, replaces the largest idle one, so that there are never more buffers than concurrent loans.
Workspace::Buffer Workspace::lend(std::size_t count) {
  const std::lock_guard lock(mutex_);
  const std::thread::id here = std::this_thread::get_id();
  const auto better = [&](const Buffer& a, const Buffer& b) {
    const bool a_fits = a.capacity >= count, b_fits = b.capacity >= count;
    if (a_fits != b_fits) return a_fits;
    if (!a_fits) return a.capacity > b.capacity;
    if ((a.user == here) != (b.user == here)) return a.user == here;
    return a.capacity < b.capacity;
  };
  const auto best = std::min_element(idle_.begin(), idle_.end(), better);
  if (best == idle_.end()) return allocate(count);
  const Buffer found = std::exchange(*best, idle_.back());
  idle_.pop_back();
  if (found.capacity >= count) return found;
  free(found);
  return allocate(count);
}

void Workspace::take_back(Buffer buffer) {
  const std::lock_guard lock(mutex_);
  buffer.user = std::this_thread::get_id();
  if (buffer.capacity * sizeof(float) > kMostKept)
    free(buffer);
  else
    idle_.push_back(buffer);
}

Scratch::~Scratch() {
  if (buffer_.data) workspace_->take_back(buffer_);
}

Scratch::Scratch(Scratch&& other) noexcept
    : workspace_(other.workspace_), buffer_(std::exchange(other.buffer_, {})) {}

Scratch& Scratch::operator=(Scratch&& other) noexcept {
  std::swap(workspace_, other.workspace_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

void Scratch::resize(Index count) {
  const auto wanted = static_cast<std::size_t>(count);
  if (buffer_.data && buffer_.capacity >= wanted) return;
  if (buffer_.data) workspace_->take_back(std::exchange(buffer_, {}));
  buffer_ = workspace_->lend(wanted);
}

}  // namespace headlight
