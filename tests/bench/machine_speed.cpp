#include "tests/bench/machine_speed.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/simd/instruction_set.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headlight_bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr long kSteps = 4'000'000;
constexpr int kChains = 12;  // independent sums; more than the latency of a multiply-add in cycles

// `operations`: the total over all steps. `result` prevents the compiler from removing the loop.
struct Work {
  double operations;
  float result;
};

#if defined(__x86_64__)
__attribute__((target("avx512f"))) Work work_avx512() {
  __m512 sums[kChains];
  for (int i = 0; i < kChains; ++i)
    sums[i] = _mm512_set1_ps(1.0f + 1e-6f * static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.999999f), term = _mm512_set1_ps(1e-7f);
  for (long step = 0; step < kSteps; ++step)
    for (__m512& sum : sums)
      sum = _mm512_fmadd_ps(sum, factor, term);
  float total = 0;
  for (const __m512& sum : sums)
    total += _mm512_cvtss_f32(sum);
  return {2.0 * 16 * kChains * kSteps, total};
}

__attribute__((target("avx2,fma"))) Work work_avx2() {
  __m256 sums[kChains];
  for (int i = 0; i < kChains; ++i)
    sums[i] = _mm256_set1_ps(1.0f + 1e-6f * static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999999f), term = _mm256_set1_ps(1e-7f);
  for (long step = 0; step < kSteps; ++step)
    for (__m256& sum : sums)
      sum = _mm256_fmadd_ps(sum, factor, term);
  float total = 0;
  for (const __m256& sum : sums)
    total += _mm256_cvtss_f32(sum);
  return {2.0 * 8 * kChains * kSteps, total};
}
#endif

Work work_baseline() {
  typedef float Four __attribute__((vector_size(16)));
  Four sums[kChains];
  for (int i = 0; i < kChains; ++i)
    sums[i] = Four{1, 1, 1, 1} + 1e-6f * static_cast<float>(i);
  const Four factor = Four{} + 0.999999f, term = Four{} + 1e-7f;
  for (long step = 0; step < kSteps; ++step)
    for (Four& sum : sums)
      sum = sum * factor + term;
  float total = 0;
  for (const Four& sum : sums)
    total += sum[0];
  return {2.0 * 4 * kChains * kSteps, total};
}

Work work() {
  switch (headlight::best_instruction_set()) {
#if defined(__x86_64__)
    case headlight::InstructionSet::Avx512:
      return work_avx512();
    case headlight::InstructionSet::Avx2:
      return work_avx2();
#endif
    default:
      return work_baseline();
  }
}

template <class Body>
void on_all_threads(Body body) {
  std::vector<std::thread> threads;
  for (headlight::Index i = 0; i < headlight::thread_count(); ++i)
    threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads)
    thread.join();
}

constexpr int kRounds = 5;  // the best of them counts

}  // namespace

double peak_gflops() {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Work> done(static_cast<std::size_t>(headlight::thread_count()));
    const Clock::time_point start = Clock::now();
    on_all_threads([&](headlight::Index i) { done[static_cast<std::size_t>(i)] = work(); });
    const double seconds = seconds_since(start);
    double operations = 0;
    for (const Work& one : done)
      if (one.result != 0) operations += one.operations;
    best = std::max(best, operations / seconds / 1e9);
  }
  return best;
}

double copy_gb_per_s() {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  std::vector<char> from(kBytes, 1), to(kBytes, 2);
  const auto threads = static_cast<std::size_t>(headlight::thread_count());
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    on_all_threads([&](headlight::Index i) {
      const std::size_t begin = kBytes * static_cast<std::size_t>(i) / threads;
      const std::size_t end = kBytes * static_cast<std::size_t>(i + 1) / threads;
      std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    });
    best = std::max(best, 2.0 * static_cast<double>(kBytes) / seconds_since(start) / 1e9);
  }
  return best;
}

}  // namespace headlight_bench
