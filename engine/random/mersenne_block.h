// MT19937 a block at a time: 624 outputs by loops that fill the processor's vectors, and what is made of
// outputs that lie side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/simd/instruction_set.h"

namespace headlight {

inline constexpr std::size_t kMersenneBlock = 624;
using MersenneWords = std::array<std::uint32_t, kMersenneBlock>;

// Which of Dropout's draws are kept: the 53-bit numbers below `threshold` become `kept_value`, all others 0.
struct KeepRule {
  std::uint64_t threshold;
  float kept_value;
};

struct MersenneLoops {
  // The state moves on by a whole block.
  void (*twist)(MersenneWords& state);
  // The outputs of a state.
  void (*temper)(const MersenneWords& state, MersenneWords& outputs);
  // noise[i] for the number whose upper 21 bits are the low ones of outputs[2 i] and whose lower 32 are
  // outputs[2 i + 1].
  void (*keep)(const std::uint32_t* outputs, std::size_t count, KeepRule rule, float* noise);
};

// All give the same numbers, bit for bit.
const MersenneLoops& mersenne_loops(InstructionSet set);
inline const MersenneLoops& best_mersenne_loops() {
  static const MersenneLoops& loops = mersenne_loops(best_instruction_set());
  return loops;
}

}  // namespace headlight
