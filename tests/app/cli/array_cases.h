// Files of arrays drawn from a seed, and the weights that plain loops in float64 compute from them.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"

namespace headlight_test {

inline constexpr double kClosed = -std::numeric_limits<double>::infinity();

struct Sizes {
  headlight::Index sequences = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, width = 1;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  headlight::Index whole(headlight::Index low, headlight::Index high) {
    return std::uniform_int_distribution<headlight::Index>(low, high)(engine_);
  }
  headlight::NamedArray array(const std::string& name, std::vector<headlight::Index> shape) {
    headlight::NamedArray result{name, std::move(shape), {}};
    headlight::Index count = 1;
    for (const headlight::Index size : result.shape)
      count *= size;
    std::normal_distribution<float> normal;
    for (headlight::Index i = 0; i < count; ++i)
      result.values.push_back(std::round(normal(engine_) * 1000) / 1000);
    return result;
  }
  // Random sizes with as many queries as keys. Sizes that the program tells apart are never equal.
  Sizes sizes() {
    Sizes s;
    s.sequences = whole(1, 2);
    s.kv_heads = whole(1, 2);
    s.heads = s.kv_heads * whole(1, 2);
    s.queries = s.keys = whole(5, 7);
    s.width = whole(2, 4);
    return s;
  }

 private:
  std::mt19937 engine_;
};

struct Given {
  headlight::NamedArray queries, keys, values;
  std::vector<headlight::NamedArray> with(std::vector<headlight::NamedArray> more = {}) const {
    more.insert(more.end(), {queries, keys, values});
    return more;
  }
};

inline Given given(Draw& draw, const Sizes& s) {
  return {draw.array("queries", {s.sequences, s.heads, s.queries, s.width}),
          draw.array("keys", {s.sequences, s.kv_heads, s.keys, s.width}),
          draw.array("values", {s.sequences, s.kv_heads, s.keys, s.width})};
}

// A term of the score of a pair of query and key.
using Added = std::function<double(headlight::Index sequence, headlight::Index head, headlight::Index query,
                                   headlight::Index key)>;

inline double nothing(headlight::Index, headlight::Index, headlight::Index, headlight::Index) {
  return 0;
}

// The softmax of a row of scores; all zeros if every pair is masked.
inline std::vector<double> weights_of_row(const std::vector<double>& scores) {
  double top = kClosed, sum = 0;
  for (const double score : scores)
    top = std::max(top, score);
  std::vector<double> weights(scores.size(), 0);
  if (top == kClosed) return weights;
  for (std::size_t i = 0; i < scores.size(); ++i)
    sum += weights[i] = std::exp(scores[i] - top);
  for (double& weight : weights)
    weight /= sum;
  return weights;
}

// The weights (B x H x Tq x Tk) for given products of query and key, plus `added`.
inline std::vector<double> softmax_of(const Sizes& s, const Added& product, const Added& added) {
  std::vector<double> all;
  for (headlight::Index b = 0; b < s.sequences; ++b)
    for (headlight::Index h = 0; h < s.heads; ++h)
      for (headlight::Index q = 0; q < s.queries; ++q) {
        std::vector<double> scores;
        for (headlight::Index k = 0; k < s.keys; ++k)
          scores.push_back(product(b, h, q, k) + added(b, h, q, k));
        const std::vector<double> row = weights_of_row(scores);
        all.insert(all.end(), row.begin(), row.end());
      }
  return all;
}

inline std::vector<double> weights_of(const Given& a, const Sizes& s, const Added& added) {
  return softmax_of(
      s,
      [&](headlight::Index b, headlight::Index h, headlight::Index q, headlight::Index k) {
        const headlight::Index group = h / (s.heads / s.kv_heads);
        double sum = 0;
        for (headlight::Index i = 0; i < s.width; ++i)
          sum += double{a.queries.values[static_cast<std::size_t>(
                     ((b * s.heads + h) * s.queries + q) * s.width + i)]} *
                 double{a.keys.values[static_cast<std::size_t>(
                     ((b * s.kv_heads + group) * s.keys + k) * s.width + i)]};
        return sum / std::sqrt(static_cast<double>(s.width));
      },
      added);
}

// The causal mask in which the last query has the position of the last key; `closed` is added where masked.
inline Added causal(const Sizes& s, double closed = kClosed) {
  return [=](headlight::Index, headlight::Index, headlight::Index q, headlight::Index k) {
    return k > q + s.keys - s.queries ? closed : 0.0;
  };
}

inline headlight::NamedArray mask_array(
    const std::string& name, std::vector<headlight::Index> shape,
    const std::function<float(headlight::Index row, headlight::Index column)>& value) {
  headlight::NamedArray mask{name, std::move(shape), {}};
  const headlight::Index columns = mask.shape.back();
  headlight::Index count = 1;
  for (const headlight::Index size : mask.shape)
    count *= size;
  for (headlight::Index i = 0; i < count; ++i)
    mask.values.push_back(value(i / columns, i % columns));
  return mask;
}

inline headlight::NamedArray swapped_axes(
    const headlight::NamedArray& a) {  // from B x H x T x d to B x T x H x d
  headlight::NamedArray result{a.name, {a.shape[0], a.shape[2], a.shape[1], a.shape[3]}, {}};
  for (headlight::Index b = 0; b < a.shape[0]; ++b)
    for (headlight::Index t = 0; t < a.shape[2]; ++t)
      for (headlight::Index h = 0; h < a.shape[1]; ++h)
        for (headlight::Index i = 0; i < a.shape[3]; ++i)
          result.values.push_back(
              a.values[static_cast<std::size_t>(((b * a.shape[1] + h) * a.shape[2] + t) * a.shape[3] + i)]);
  return result;
}

// Where NaN is expected, the weight has to be NaN.
inline void check_weights(const std::string& file, const std::vector<double>& expected) {
  const headlight::NamedArray weights = headlight::read_npz(file, "weights");
  REQUIRE(weights.values.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool same = std::isnan(expected[i]) ? std::isnan(weights.values[i])
                                              : std::abs(double{weights.values[i]} - expected[i]) < 1e-5;
    if (!same) FAIL_CHECK("weight " << i << " is " << weights.values[i] << ", expected " << expected[i]);
    if (!same) break;
  }
}

class Cases {
 public:
  Outcome compute(const std::vector<headlight::NamedArray>& arrays, const std::vector<std::string>& options) {
    headlight::write_npz(place_.path("case.npz"), arrays);
    std::vector<std::string> line = {"compute", place_.path("case.npz"), "-o", place_.path("out.npz"),
                                     "--force"};
    line.insert(line.end(), options.begin(), options.end());
    return run(line);
  }
  std::string check(const std::vector<headlight::NamedArray>& arrays, const std::vector<double>& expected,
                    const std::vector<std::string>& options = {}) {
    const Outcome outcome = compute(arrays, options);
    INFO(outcome.err);
    CHECK(outcome.status() == 0);
    if (outcome.status() == 0) check_weights(place_.path("out.npz"), expected);
    return outcome.err;
  }
  void refused(const std::vector<headlight::NamedArray>& arrays, const std::vector<std::string>& naming,
               const std::vector<std::string>& options = {}) {
    const Outcome outcome = compute(arrays, options);
    CHECK(outcome.status() == 1);
    for (const std::string& name : naming)
      CHECK_THAT(outcome.err, ContainsSubstring(name));
  }
  std::string path(const std::string& name) const { return place_.path(name); }

 private:
  Workplace place_;
};

// Runs a case with seeds 1 to 5.
inline void with_seeds(const std::function<void(Draw&, Cases&)>& work) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    Draw draw(seed);
    Cases cases;
    work(draw, cases);
  }
}

}  // namespace headlight_test
