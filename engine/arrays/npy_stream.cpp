#include "engine/arrays/npy_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/arrays/npy.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

std::size_t product(const std::vector<Index>& shape) {
  std::size_t count = 1;
  for (const Index size : shape)
    count *= static_cast<std::size_t>(size);
  return count;
}

}  // namespace

NpyStream::NpyStream(Read read, std::uint64_t size, std::uint64_t most_numbers, std::string where)
    : read_(std::move(read)), where_(std::move(where)) {
  head_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, kMaxNpyHead)));
  head_.resize(read_(head_.data(), head_.size()));
  header_ = parse_npy_header(head_, where_);
  head_used_ = header_.data_offset;
  type_ = npy_element_type(header_, where_);
  const std::uint64_t limit = most_numbers * std::max(type_.size, sizeof(float));
  require_npy_data(size - std::min<std::uint64_t>(size, header_.data_offset),
                   array_bytes(header_.shape, type_, limit, where_), header_, where_);
  plain_ = type_.kind == ElementKind::Float && type_.size == sizeof(float) &&
           type_.big_endian == (std::endian::native == std::endian::big);
}

void NpyStream::read_bytes(char* target, std::size_t count) {
  const std::size_t kept = std::min(count, head_.size() - head_used_);
  std::memcpy(target, head_.data() + head_used_, kept);
  head_used_ += kept;
  if (kept + read_(target + kept, count - kept) < count)
    throw Error("the file ends before its values do (shape " + shape_text(header_.shape) + ")", where_,
                "it was cut off: save or copy it again");
}

void NpyStream::decode(float* target, std::size_t count) {
  if (plain_) return read_bytes(reinterpret_cast<char*>(target), count * sizeof(float));
  constexpr std::size_t kPiece = std::size_t{1} << 18;  // values at a time
  std::string piece;
  while (count > 0) {
    const std::size_t now = std::min(count, kPiece);
    piece.resize(now * type_.size);
    read_bytes(piece.data(), piece.size());
    const std::vector<float> values = decode_elements(piece, type_, where_, decoded_);
    std::copy(values.begin(), values.end(), target);
    target += now;
    decoded_ += now;
    count -= now;
  }
}

void NpyStream::next(float* target, std::size_t count) {
  if (!header_.fortran_order || header_.shape.size() < 2) return decode(target, count);
  if (reordered_.empty() && count > 0) {
    std::vector<float> values(product(header_.shape));
    decode(values.data(), values.size());
    reordered_ = npy_c_order(values, header_.shape);
  }
  if (count > reordered_.size() - reordered_used_)
    throw Error("the values end too early (shape " + shape_text(header_.shape) + ")", where_,
                "the file is damaged: save it again");
  std::copy_n(reordered_.data() + reordered_used_, count, target);
  reordered_used_ += count;
}

void NpyStream::finish() {
  char more = 0;
  if (head_used_ < head_.size() || read_(&more, 1) > 0)
    throw Error("bytes follow the values (shape " + shape_text(header_.shape) + ")", where_,
                "the file is damaged or holds several arrays: save one array in it");
}

}  // namespace headlight
