// Numbers stored in blocks that share a scale, as GGML's files have them: x = d q, or x = d s q - m t with a
// scale s and a minimum t for each part of a block. Little-endian; d and m are IEEE half precision.
//
//   Q8_0  32 numbers:  d, 32 whole numbers q of 8 bits.
//   Q4_0  32 numbers:  d, 32 numbers q + 8 of 4 bits: byte i holds number i, and in its upper half i + 16.
//   Q4_K  256 numbers: d, m, 8 scales and 8 minima of 6 bits in 12 bytes, 256 numbers q of 4 bits: of each 64
//         numbers, 32 bytes hold the first 32 in their lower halves and the last 32 in the upper ones.
//   Q6_K  256 numbers: the lower 4 bits of q + 32, their upper 2 bits, 16 scales of 8 bits, d.
#pragma once

#include <string_view>

#include "engine/checkpoint/tensor.h"

namespace headlight {

// Writes `count` numbers from number `first` on to `to`; neither has to lie at a block's edge. type: one with
// blocks; bytes: whole blocks, which hold these numbers.
void widen_blocks(TensorType type, std::string_view bytes, Index first, Index count, float* to);

}  // namespace headlight
