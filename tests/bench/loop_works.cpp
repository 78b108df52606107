#include "tests/bench/loop_works.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/attention/kernels.h"
#include "tests/bench/eigen_loops.h"

namespace headlight_bench {

using namespace headlight;

extern const EigenLoops kBaselineEigenLoops;
#ifdef __x86_64__
extern const EigenLoops kAvx2EigenLoops, kAvx512EigenLoops;
#endif

const EigenLoops& eigen_loops(InstructionSet set) {
#ifdef __x86_64__
  if (set == InstructionSet::Avx512) return kAvx512EigenLoops;
  if (set == InstructionSet::Avx2) return kAvx2EigenLoops;
#endif
  static_cast<void>(set);
  return kBaselineEigenLoops;
}

namespace {

using Clock = std::chrono::steady_clock;
using Numbers = std::vector<float>;

constexpr Index kDims = 64;
constexpr float kFactor = 0.125f;

// Pseudo-random numbers from -1 to 1, the same on every machine.
Numbers numbers(Index count) {
  std::uint32_t state = 1;
  Numbers all(static_cast<std::size_t>(count));
  for (float& number : all) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return all;
}

double seconds_of(const std::function<void()>& work, int times) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < times; ++i)
    work();
  return std::chrono::duration<double>(Clock::now() - start).count() / times;
}

double median(std::vector<double>& all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

// The loops at one size.
class LoopBench {
 public:
  LoopBench(Index tokens, const std::function<void(const Row&)>& report) : tokens_(tokens), report_(report) {}

  void products();
  void rows();
  void moves();
  void strips();
  void folds();

 private:
  // Runs one implementation, which writes its results to `out`.
  using Side = std::function<void(float* out)>;
  void compare(const std::string& name, Index results, double operations, const Side& hand,
               const Side& eigen);

  Index tokens_;
  const std::function<void(const Row&)>& report_;
  const VectorLoops& hand_ = best_vector_loops();
  const EigenLoops& peer_ = eigen_loops(best_instruction_set());
  const VectorLoops& eigen_ = peer_.loops;
  const Index across_ = hand_.tile_columns;
  Workspace workspace_;
};

void LoopBench::compare(const std::string& name, Index results, double operations, const Side& hand,
                        const Side& eigen) {
  constexpr double kEach = 0.0005, kTolerance = 1e-3;
  constexpr int kRounds = 41;
  Numbers ours(static_cast<std::size_t>(results)), theirs = ours;
  hand(ours.data());
  eigen(theirs.data());
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (!(std::abs(ours[i] - theirs[i]) <= kTolerance * std::max(1.0f, std::abs(theirs[i]))))
      throw std::runtime_error(name + ": number " + std::to_string(i) + " is " + std::to_string(ours[i]) +
                               ", Eigen's is " + std::to_string(theirs[i]));
  const auto run_hand = [&] { hand(ours.data()); };
  const auto run_eigen = [&] { eigen(theirs.data()); };
  const int times = 1 + static_cast<int>(std::min(1e6, kEach / seconds_of(run_hand, 3)));
  std::vector<double> by_hand, by_eigen;
  for (int round = 0; round < kRounds; ++round) {
    by_hand.push_back(seconds_of(run_hand, times));
    by_eigen.push_back(seconds_of(run_eigen, times));
  }
  Row row{name, {tokens_, kDims, 1}, false, median(by_hand) * 1000, operations, kRounds};
  row.eigen_ratio = row.ms / (median(by_eigen) * 1000);
  report_(row);
}

void LoopBench::products() {
  const Numbers q = numbers(tokens_ * kDims), k = numbers(tokens_ * kDims),
                weights = numbers(tokens_ * tokens_), square = numbers(kDims * kDims);
  const auto map = [](const Numbers& from, Index rows) {
    return Eigen::Map<const Matrix>(from.data(), rows, static_cast<Index>(from.size()) / rows);
  };
  const auto operations = [](Index a, Index b, Index c) { return 2.0 * static_cast<double>(a * b * c); };
  compare(
      "product_Txd_dxT", tokens_ * tokens_, operations(tokens_, tokens_, kDims),
      [&](float* out) {
        multiply_transposed(map(q, tokens_), map(k, tokens_), Eigen::Map<Matrix>(out, tokens_, tokens_),
                            workspace_);
      },
      [&](float* out) { peer_.product_transposed(q.data(), k.data(), tokens_, kDims, tokens_, out); });
  compare(
      "product_TxT_Txd", tokens_ * kDims, operations(tokens_, tokens_, kDims),
      [&](float* out) {
        multiply(map(weights, tokens_), map(k, tokens_), Eigen::Map<Matrix>(out, tokens_, kDims), workspace_);
      },
      [&](float* out) { peer_.product(weights.data(), k.data(), tokens_, tokens_, kDims, out); });
  compare(
      "product_Txd_dxd", tokens_ * kDims, operations(tokens_, kDims, kDims),
      [&](float* out) {
        multiply(map(q, tokens_), map(square, kDims), Eigen::Map<Matrix>(out, tokens_, kDims), workspace_);
      },
      [&](float* out) { peer_.product(q.data(), square.data(), tokens_, kDims, kDims, out); });
}

void LoopBench::rows() {
  const Index cells = tokens_ * tokens_;
  const Numbers scores = numbers(cells);
  compare(
      "softmax_rows", cells, 0,
      [&](float* out) {
        normalize_rows(Eigen::Map<const Matrix>(scores.data(), tokens_, tokens_), Normalization::Softmax, {},
                       0, Eigen::Map<Matrix>(out, tokens_, tokens_));
      },
      [&](float* out) { peer_.softmax_rows(tokens_, tokens_, scores.data(), out); });
  const auto exponentials = [&](const VectorLoops& loops) {
    return [&](float* out) { loops.exponentiate(scores.data(), tokens_, 0.5f, out); };
  };
  compare("exponentiate", tokens_, 0, exponentials(hand_), exponentials(eigen_));
  Numbers weights = scores;
  for (float& weight : weights)
    weight = std::abs(weight) / static_cast<float>(tokens_);
  const auto sums = [&](const VectorLoops& loops) {
    return [&](float* out) {
      const WeightSums all = loops.sum_weights(weights.data(), tokens_, tokens_ / 2);
      out[0] = all.all;
      out[1] = all.logarithmic;
      out[2] = all.distance;
    };
  };
  compare("sum_weights", 3, 0, sums(hand_), sums(eigen_));
  const auto widen = [&](const VectorLoops& loops) {
    return [&](float* out) {
      std::fill_n(out, 3 * tokens_, 0.0f);
      loops.widen(scores.data(), tokens_, std::min<Index>(16, tokens_), tokens_, out, out + tokens_,
                  out + 2 * tokens_);
    };
  };
  compare("widen", 3 * tokens_, 0, widen(hand_), widen(eigen_));
  Position position;
  const Rotation rotation(position, kDims, 0, tokens_);
  Matrix cosines(tokens_, kDims / 2), sines = cosines;
  for (Index token = 0; token < tokens_; ++token)
    for (Index pair = 0; pair < kDims / 2; ++pair) {
      const double angle = rotary_angle(position, kDims, pair, token);
      cosines(token, pair) = static_cast<float>(std::cos(angle));
      sines(token, pair) = static_cast<float>(std::sin(angle));
    }
  const Numbers x = numbers(tokens_ * kDims);
  compare(
      "rope", tokens_ * kDims, 0,
      [&](float* out) {
        rotation.apply_rope(Eigen::Map<const Matrix>(x.data(), tokens_, kDims), 0,
                            Eigen::Map<Matrix>(out, tokens_, kDims));
      },
      [&](float* out) { peer_.rope(x.data(), cosines.data(), sines.data(), tokens_, kDims / 2, out); });
}

void LoopBench::moves() {
  const Numbers from = numbers(tokens_ * kDims);
  const auto transposed = [&](const VectorLoops& loops) {
    return [&](float* out) { loops.transpose(from.data(), kDims, tokens_, kDims, out, tokens_); };
  };
  compare("transpose", tokens_ * kDims, 0, transposed(hand_), transposed(eigen_));
  const Index rows = std::min<Index>(tokens_, hand_.tile_rows);
  const auto interleaved = [&](const VectorLoops& loops) {
    return [&](float* out) { loops.interleave(from.data(), kDims, rows, kDims, out); };
  };
  // The padding at the end is overwritten and not compared.
  Numbers room(static_cast<std::size_t>(hand_.tile_rows * kDims + kInterleaveRoom));
  const auto in_room = [&](const VectorLoops& loops) {
    return [&](float* out) {
      interleaved(loops)(room.data());
      std::copy_n(room.data(), hand_.tile_rows * kDims, out);
    };
  };
  compare("interleave", hand_.tile_rows * kDims, 0, in_room(hand_), in_room(eigen_));
}

void LoopBench::strips() {
  const Numbers strip = numbers(tokens_ * across_), bias(strip.size());
  const Numbers maximum(static_cast<std::size_t>(across_), 1.0f),
      sum(maximum.size(), static_cast<float>(tokens_));
  const auto both = [&](const std::string& name, Index results,
                        const std::function<void(const VectorLoops&, const float* bias, float*)>& work) {
    for (const bool biased : {false, true}) {
      const float* added = biased ? bias.data() : nullptr;
      compare(
          name + (biased ? "_biased" : ""), results, 0, [&](float* out) { work(hand_, added, out); },
          [&](float* out) { work(eigen_, added, out); });
    }
  };
  both("strip_maximum", across_, [&](const VectorLoops& loops, const float* added, float* out) {
    std::fill_n(out, across_, -2.0f);
    loops.strip_maximum(strip.data(), tokens_, kFactor, added, out);
  });
  both("strip_ends", 2 * across_, [&](const VectorLoops& loops, const float* added, float* out) {
    std::fill_n(out, 2 * across_, 0.0f);
    loops.strip_ends(strip.data(), tokens_, added, out, out + across_);
  });
  both("strip_pool", 3 * across_, [&](const VectorLoops& loops, const float* added, float* out) {
    loops.strip_pool(strip.data(), std::min<Index>(16, tokens_), added, out, out + across_,
                     out + 2 * across_);
  });
  std::vector<double> sums(static_cast<std::size_t>(2 * across_));
  both("strip_exponentials", tokens_ * across_,
       [&](const VectorLoops& loops, const float* added, float* out) {
         loops.strip_exponentials(strip.data(), tokens_, kFactor, added, maximum.data(), out, sums.data(),
                                  nullptr);
       });
  both("strip_weights", tokens_ * across_, [&](const VectorLoops& loops, const float* added, float* out) {
    loops.strip_weights(strip.data(), tokens_, kFactor, added, maximum.data(), sum.data(), 0.0f, out);
  });
  both("strip_shares", 2 * across_, [&](const VectorLoops& loops, const float* added, float* out) {
    std::fill(sums.begin(), sums.end(), 0.0);
    loops.strip_shares(strip.data(), tokens_, kFactor, added, maximum.data(), 3.0f, sums.data(),
                       sums.data() + across_);
    std::copy(sums.begin(), sums.end(), out);
  });
}

void LoopBench::folds() {
  const Numbers strip = numbers(tokens_ * across_);
  const Index lanes = std::min<Index>(16, across_);
  const auto folded = [&](const std::string& name, auto fold) {
    const auto side = [&](const VectorLoops& loops) {
      return [&](float* out) {
        std::fill_n(out, tokens_, 0.0f);
        (loops.*fold)(strip.data(), tokens_, lanes, out);
      };
    };
    compare(name, tokens_, 0, side(hand_), side(eigen_));
  };
  folded("fold_low", &VectorLoops::fold_low);
  folded("fold_high", &VectorLoops::fold_high);
  folded("fold_sum", &VectorLoops::fold_sum);
}

}  // namespace

void time_loops(const std::function<bool(Index)>& wanted, const std::function<void(const Row&)>& report) {
  for (const Index tokens : {Index{6}, Index{256}, Index{1024}}) {
    if (!wanted(tokens)) continue;
    LoopBench bench(tokens, report);
    bench.products();
    bench.rows();
    bench.moves();
    bench.strips();
    bench.folds();
  }
}

}  // namespace headlight_bench
