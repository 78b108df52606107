// Which of the processor's vector instructions the engine's innermost loops use: chosen when the program
// starts, so that one build runs everywhere and is fast where it can be.
#pragma once

#include <string_view>
#include <vector>

namespace headlight {

enum class InstructionSet {
  Baseline,  // what every processor of the architecture has: SSE2 on x86-64, NEON on ARM64
  Avx2,      // with FMA: x86-64 processors since about 2013
  Avx512,
};

std::string_view instruction_set_name(InstructionSet set);
// Those that this processor has, the slowest first; never empty.
const std::vector<InstructionSet>& instruction_sets();
// From now on none above `most`, as on an older processor. For programs that measure: what was chosen by then
// stays chosen, so it has to come before all else.
void limit_instruction_sets(InstructionSet most);
inline InstructionSet best_instruction_set() {
  return instruction_sets().back();
}

}  // namespace headlight
