#include "engine/random/mersenne_block.h"

namespace headlight {
namespace {

constexpr std::size_t kShift = 397;

[[gnu::always_inline]] inline std::uint32_t twisted(std::uint32_t word, std::uint32_t next,
                                                    std::uint32_t shifted) {
  const std::uint32_t joined = (word & 0x80000000u) | (next & 0x7FFFFFFFu);
  return shifted ^ (joined >> 1) ^ ((0u - (joined & 1u)) & 0x9908B0DFu);
}

// Split into loops that can be vectorized: none reads what it writes within a vector's length.
[[gnu::always_inline]] inline void twist_loop(MersenneWords& words) {
  std::uint32_t* const state = words.data();
  for (std::size_t i = 0; i < kMersenneBlock - kShift; ++i)
    state[i] = twisted(state[i], state[i + 1], state[i + kShift]);
  for (std::size_t i = kMersenneBlock - kShift; i < kMersenneBlock - 1; ++i)
    state[i] = twisted(state[i], state[i + 1], state[i + kShift - kMersenneBlock]);
  state[kMersenneBlock - 1] = twisted(state[kMersenneBlock - 1], state[0], state[kShift - 1]);
}

[[gnu::always_inline]] inline void temper_loop(const MersenneWords& state, MersenneWords& outputs) {
  for (std::size_t i = 0; i < kMersenneBlock; ++i) {
    std::uint32_t word = state[i];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9D2C5680u;
    word ^= (word << 15) & 0xEFC60000u;
    outputs[i] = word ^ (word >> 18);
  }
}

// Compares 32-bit halves: fewer 64-bit numbers fit a vector, and older instruction sets cannot compare those.
[[gnu::always_inline]] inline void keep_loop(const std::uint32_t* outputs, std::size_t count, KeepRule rule,
                                             float* noise) {
  const auto upper_bound = static_cast<std::uint32_t>(rule.threshold >> 32);
  const auto lower_bound = static_cast<std::uint32_t>(rule.threshold);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t upper = outputs[2 * i] & 0x1FFFFFu, lower = outputs[2 * i + 1];
    const bool below = (upper < upper_bound) | ((upper == upper_bound) & (lower < lower_bound));
    noise[i] = below ? rule.recovered_value : 0.0f;
  }
}

// Instantiates the loops for one instruction set; the compiler vectorizes them.
// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot be parenthesized
#define HEADLIGHT_MERSENNE_LOOPS(name, target)                                                         \
  target void twist_##name(MersenneWords& state) {                                                     \
    twist_loop(state);                                                                                 \
  }                                                                                                    \
  target void temper_##name(const MersenneWords& state, MersenneWords& out) {                          \
    temper_loop(state, out);                                                                           \
  }                                                                                                    \
  target void keep_##name(const std::uint32_t* from, std::size_t count, KeepRule rule, float* noise) { \
    keep_loop(from, count, rule, noise);                                                               \
  }                                                                                                    \
  constexpr MersenneLoops k_##name = {twist_##name, temper_##name, keep_##name};
// NOLINTEND(bugprone-macro-parentheses)

HEADLIGHT_MERSENNE_LOOPS(baseline, )
#ifdef __x86_64__
HEADLIGHT_MERSENNE_LOOPS(avx2, [[gnu::target("avx2")]])
HEADLIGHT_MERSENNE_LOOPS(avx512, [[gnu::target("avx512f")]])
#endif
#undef HEADLIGHT_MERSENNE_LOOPS

}  // namespace

const MersenneLoops& mersenne_loops(InstructionSet set) {
#ifdef __x86_64__
  if (set == InstructionSet::Avx512) return k_avx512;
  if (set == InstructionSet::Avx2) return k_avx2;
#endif
  static_cast<void>(set);
  return k_baseline;
}

}  // namespace headlight
