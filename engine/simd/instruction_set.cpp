#include "engine/simd/instruction_set.h"

#include "engine/simd/stored_loops.h"
#include "engine/simd/vector_loops.h"

namespace headlight {

std::string_view instruction_set_name(InstructionSet set) {
  switch (set) {
    case InstructionSet::Avx2:
      return "AVX2 and FMA";
    case InstructionSet::Avx512:
      return "AVX-512";
    case InstructionSet::Baseline:
      break;
  }
  return "baseline";
}

namespace {

std::vector<InstructionSet>& sets_in_use() {
  static std::vector<InstructionSet> sets_in_use = [] {
    std::vector<InstructionSet> sets = {InstructionSet::Baseline};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      sets.push_back(InstructionSet::Avx2);
      if (__builtin_cpu_supports("avx512f")) sets.push_back(InstructionSet::Avx512);
    }
#endif
    return sets;
  }();
  return sets_in_use;
}

}  // namespace

const std::vector<InstructionSet>& instruction_sets() {
  return sets_in_use();
}

void limit_instruction_sets(InstructionSet most) {
  std::erase_if(sets_in_use(), [most](InstructionSet set) { return set > most; });
}

extern const VectorLoops kBaselineLoops;
extern const StoredLoops kBaselineStoredLoops;
#ifdef __x86_64__
extern const VectorLoops kAvx2Loops, kAvx512Loops;
extern const StoredLoops kAvx2StoredLoops, kAvx512StoredLoops;
#endif

const VectorLoops& vector_loops(InstructionSet set) {
#ifdef __x86_64__
  if (set == InstructionSet::Avx512) return kAvx512Loops;
  if (set == InstructionSet::Avx2) return kAvx2Loops;
#endif
  static_cast<void>(set);
  return kBaselineLoops;
}

const StoredLoops& stored_loops(InstructionSet set) {
#ifdef __x86_64__
  if (set == InstructionSet::Avx512) return kAvx512StoredLoops;
  if (set == InstructionSet::Avx2) return kAvx2StoredLoops;
#endif
  static_cast<void>(set);
  return kBaselineStoredLoops;
}

}  // namespace headlight
