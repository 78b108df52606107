// HEADLIGHT_TEST_INSTRUCTIONS=avx2 or =baseline runs the tests as on a processor without later instructions.
#include <cstdlib>
#include <string_view>

#include "engine/simd/instruction_set.h"

namespace {

using headlight::InstructionSet;

// Runs before the first test, because the choice of the instruction set is final.
[[maybe_unused]] const bool kLimited = [] {
  const char* name = std::getenv("HEADLIGHT_TEST_INSTRUCTIONS");
  if (!name) return false;
  headlight::limit_instruction_sets(std::string_view(name) == "avx2" ? InstructionSet::Avx2
                                                                     : InstructionSet::Baseline);
  return true;
}();

}  // namespace
