// With HEADLIGHT_TEST_INSTRUCTIONS=avx2 or =baseline the tests run as on a processor that has no more.
#include <cstdlib>
#include <string_view>

#include "engine/simd/instruction_set.h"

namespace {

using headlight::InstructionSet;

// Before the first test: what was chosen stays chosen.
[[maybe_unused]] const bool kLimited = [] {
  const char* name = std::getenv("HEADLIGHT_TEST_INSTRUCTIONS");
  if (!name) return false;
  headlight::limit_instruction_sets(std::string_view(name) == "avx2" ? InstructionSet::Avx2
                                                                     : InstructionSet::Baseline);
  return true;
}();

}  // namespace
