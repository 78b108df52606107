#include "engine/simd/kept_panels.h"

#include <sys/mman.h>

#include "engine/core/machine_memory.h"

namespace headlight {
namespace {

constexpr double kMostShare = 0.25;  // of the machine's memory

std::atomic<std::size_t> kept_bytes{0};

// Memory whose pages are large where the system has such: null if there is none. A file's pages are read
// through many more entries of the page table.
char* memory_of(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  use_large_pages(room, bytes);
  return static_cast<char*>(room);
}

}  // namespace

KeptPanels::~KeptPanels() {
  if (!data_) return;
  ::munmap(data_, bytes_);
  kept_bytes -= bytes_;
}

bool KeptPanels::fill(std::size_t bytes, const std::function<void(char* to)>& write) {
  const std::lock_guard lock(filling_);
  if (data_) return true;
  const bool fits = static_cast<double>(kept_bytes += bytes) <= most_bytes();
  char* const room = fits ? memory_of(bytes) : nullptr;
  try {
    if (room) write(room);
  } catch (...) {
    ::munmap(room, bytes);
    kept_bytes -= bytes;
    throw;
  }
  if (!room) kept_bytes -= bytes;
  bytes_ = bytes;
  data_.store(room, std::memory_order_release);
  return room != nullptr;
}

double KeptPanels::bytes_of_all() {
  return static_cast<double>(kept_bytes);
}

double KeptPanels::most_bytes() {
  return machine_memory() * kMostShare;
}

}  // namespace headlight
