// The processor's vector instructions that the innermost loops use. Selected when the program starts, so that
// one build runs on every processor and is fast on newer ones.
#pragma once

#include <string_view>
#include <vector>

namespace headlight {

enum class InstructionSet {
  Baseline,  // on every processor of the architecture: SSE2 on x86-64, NEON on ARM64
  Avx2,      // with FMA: x86-64 processors since about 2013
  Avx512,
};

std::string_view instruction_set_name(InstructionSet set);
// The sets that this processor supports, the slowest first; never empty.
const std::vector<InstructionSet>& instruction_sets();
// Removes the sets above `most`, to simulate an older processor in benchmarks. best_vector_loops() and
// similar functions store their selection at the first call, so this must be called before them.
void limit_instruction_sets(InstructionSet most);
inline InstructionSet best_instruction_set() {
  return instruction_sets().back();
}

}  // namespace headlight
