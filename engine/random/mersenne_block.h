// The MT19937 generator, one block of 624 outputs at a time, in vectorized loops; and dropout multipliers
// from consecutive outputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/simd/instruction_set.h"

namespace headlight {

inline constexpr std::size_t kMersenneBlock = 624;
using MersenneWords = std::array<std::uint32_t, kMersenneBlock>;

// The rule by which Dropout keeps values: 53-bit numbers below `threshold` give `recovered_value`, all others
// 0.
struct KeepRule {
  std::uint64_t threshold;
  float recovered_value;
};

struct MersenneLoops {
  // Advances the state by a whole block.
  void (*twist)(MersenneWords& state);
  // Computes the outputs of a state.
  void (*temper)(const MersenneWords& state, MersenneWords& outputs);
  // noise[i] = the multiplier for the 53-bit number whose upper 21 bits are the low ones of outputs[2 i] and
  // whose lower 32 are outputs[2 i + 1].
  void (*keep)(const std::uint32_t* outputs, std::size_t count, KeepRule rule, float* noise);
};

// All instruction sets give the same numbers, bit for bit.
const MersenneLoops& mersenne_loops(InstructionSet set);
inline const MersenneLoops& best_mersenne_loops() {
  static const MersenneLoops& loops = mersenne_loops(best_instruction_set());
  return loops;
}

}  // namespace headlight
