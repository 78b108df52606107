#include "engine/checkpoint/quantized_blocks.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/checkpoint/half.h"

namespace headlight {
namespace {

constexpr Index kLargestBlock = 256;

// A block's bytes, read as numbers of several kinds.
class BlockBytes {
 public:
  explicit BlockBytes(const char* at) : at_(at) {}
  unsigned whole(Index i) const { return static_cast<unsigned char>(at_[i]); }
  int signed_whole(Index i) const { return static_cast<signed char>(at_[i]); }
  float half(Index i) const {
    return float_from_half(static_cast<std::uint16_t>(whole(i) | whole(i + 1) << 8));
  }
  int four_bits(Index i, int shift) const { return static_cast<int>(whole(i) >> shift & 15u); }

 private:
  const char* at_;
};

void widen_q8_0(const BlockBytes& block, float* to) {
  const float d = block.half(0);
  for (Index i = 0; i < 32; ++i)
    to[i] = d * static_cast<float>(block.signed_whole(2 + i));
}

void widen_q4_0(const BlockBytes& block, float* to) {
  const float d = block.half(0);
  for (Index i = 0; i < 16; ++i) {
    to[i] = d * static_cast<float>(block.four_bits(2 + i, 0) - 8);
    to[i + 16] = d * static_cast<float>(block.four_bits(2 + i, 4) - 8);
  }
}

struct ScaleAndMinimum {
  unsigned scale, minimum;
};

// Part i of the 8 of a Q4_K block. The 12 bytes from byte 4 on hold 6 bits of each of the first four scales
// and minima; the upper 2 bits of these bytes and the last four bytes hold the others.
ScaleAndMinimum q4_k_part(const BlockBytes& block, Index i) {
  constexpr Index kScales = 4, kMinima = 8, kRest = 12;
  if (i < 4) return {block.whole(kScales + i) & 63u, block.whole(kMinima + i) & 63u};
  const unsigned rest = block.whole(kRest + i - 4);
  return {(rest & 15u) | (block.whole(kScales + i - 4) >> 6) << 4,
          rest >> 4 | (block.whole(kMinima + i - 4) >> 6) << 4};
}

void widen_q4_k(const BlockBytes& block, float* to) {
  constexpr Index kNumbers = 16;
  const float d = block.half(0), m = block.half(2);
  for (Index part = 0; part < 8; ++part) {
    const ScaleAndMinimum own = q4_k_part(block, part);
    const float scale = d * static_cast<float>(own.scale), minimum = m * static_cast<float>(own.minimum);
    const Index bytes = kNumbers + part / 2 * 32;
    const int shift = part % 2 * 4;
    for (Index i = 0; i < 32; ++i)
      to[part * 32 + i] = scale * static_cast<float>(block.four_bits(bytes + i, shift)) - minimum;
  }
}

void widen_q6_k(const BlockBytes& block, float* to) {
  constexpr Index kUpper = 128, kScales = 192, kScale = 208;
  const float d = block.half(kScale);
  for (Index part = 0; part < 16; ++part) {  // of 16 numbers and one scale; each 8 parts alike
    const Index half = part / 8, quarter = part % 8 / 2, at = part % 2 * 16;
    const Index lower = half * 64 + quarter % 2 * 32 + at, upper = kUpper + half * 32 + at;
    const int lower_shift = quarter < 2 ? 0 : 4, upper_shift = static_cast<int>(2 * quarter);
    const float scale = d * static_cast<float>(block.signed_whole(kScales + part));
    for (Index i = 0; i < 16; ++i) {
      const int high = static_cast<int>(block.whole(upper + i) >> upper_shift & 3u);
      to[part * 16 + i] =
          scale * static_cast<float>((block.four_bits(lower + i, lower_shift) | high << 4) - 32);
    }
  }
}

void widen_block(TensorType type, const char* at, float* to) {
  const BlockBytes block(at);
  if (type == TensorType::Q8_0)
    widen_q8_0(block, to);
  else if (type == TensorType::Q4_0)
    widen_q4_0(block, to);
  else if (type == TensorType::Q4_K)
    widen_q4_k(block, to);
  else
    widen_q6_k(block, to);
}

}  // namespace

void widen_blocks(TensorType type, std::string_view bytes, Index first, Index count, float* to) {
  const Index numbers = block_numbers(type);
  const auto size = static_cast<Index>(block_bytes(type));
  std::array<float, kLargestBlock> part;
  while (count > 0) {
    const char* const block = bytes.data() + first / numbers * size;
    const Index skipped = first % numbers, here = std::min(count, numbers - skipped);
    if (here == numbers) {
      widen_block(type, block, to);
    } else {
      widen_block(type, block, part.data());
      std::copy_n(part.data() + skipped, here, to);
    }
    first += here;
    to += here;
    count -= here;
  }
}

}  // namespace headlight
