// Compares the stages of two evaluators that must agree within rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

namespace headlight_test {

// A softmax layer with random shapes, which every kind of storage supports.
inline headlight::Layer softmax_model(Dice& dice, headlight::Index tokens) {
  using namespace headlight;
  Layer layer;
  const Index d_in = dice.between(2, 9);
  layer.tokens.assign(static_cast<std::size_t>(tokens), "t");
  for (Index b = dice.between(1, 2); b > 0; --b)
    layer.embeddings.push_back(dice.matrix(tokens, d_in, 1.5));
  AttentionSettings& a = layer.attention;
  a.projection = Projection::Linear;
  a.num_heads = dice.between(1, 4);
  a.d_out = a.num_heads * dice.between(1, 20);
  a.qkv_bias = dice.chance(0.5);
  a.output_projection = dice.chance(0.5);
  layer.custom_mask = dice.mask(tokens);
  set_random_weights(dice, layer);
  randomize_settings(dice, layer);
  layer.attention.normalization = Normalization::Softmax;
  return layer;
}

// The largest finite magnitude.
inline double size_of(const headlight::MatrixRef& rows) {
  double size = 1e-6;
  for (headlight::Index r = 0; r < rows.rows(); ++r)
    for (headlight::Index c = 0; c < rows.cols(); ++c)
      if (std::isfinite(rows(r, c))) size = std::max(size, std::abs(static_cast<double>(rows(r, c))));
  return size;
}

// The largest difference between two cells, relative to the largest magnitude in the row or, if that is
// larger, to 1/20 of the largest in the matrix: where large values cancel, their rounding error remains.
// Equal infinities and pairs of NaN count as equal; an infinite difference counts as 1e9.
inline double error_of(const headlight::Matrix& made, const headlight::Matrix& kept) {
  using namespace headlight;
  REQUIRE(made.rows() == kept.rows());
  REQUIRE(made.cols() == kept.cols());
  double worst = 0;
  const double least = size_of(kept) / 20;
  for (Index r = 0; r < kept.rows(); ++r) {
    const double size = std::max(least, size_of(kept.row(r)));
    for (Index c = 0; c < kept.cols(); ++c) {
      if (made(r, c) == kept(r, c) || (std::isnan(made(r, c)) && std::isnan(kept(r, c)))) continue;
      const double away = std::abs(static_cast<double>(made(r, c)) - static_cast<double>(kept(r, c))) / size;
      worst = std::max(worst, std::isfinite(away) ? away : 1e9);
    }
  }
  return worst;
}

// The error allowed between stages summed in different orders: 1e-6. The exponential amplifies the rounding
// of large scores, so the bound grows in proportion to the largest scaled score above 8.
inline double rounding_bound(const headlight::Evaluator& evaluator) {
  using namespace headlight;
  double most = 8;
  for (Index b = 0; b < evaluator.layer().sequence_count(); ++b)
    for (Index h = 0; h < evaluator.layer().head_count(); ++h)
      most = std::max(most, size_of(evaluator.matrix(Stage::Scaled, b, h)));
  return 1e-6 * most / 8;
}

// Checks every stage and returns the largest error.
inline double check_near(const headlight::Evaluator& made, const headlight::Evaluator& kept, double most) {
  using namespace headlight;
  double worst = 0;
  const Layer& layer = kept.layer();
  for (const Stage stage : stages_in_use(layer))
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (Index h = 0; h < stage_heads(layer, stage); ++h) {
        const double error = error_of(made.matrix(stage, b, h), kept.matrix(stage, b, h));
        INFO("stage " << std::string(stage_info(stage).name) << ", sequence " << b << ", head " << h);
        CHECK(error < most);
        worst = std::max(worst, error);
      }
  return worst;
}

inline void check_near(const headlight::Tile& quick, const headlight::Tile& slow, double most) {
  using namespace headlight;
  REQUIRE(quick.values.rows() == slow.values.rows());
  REQUIRE(quick.values.cols() == slow.values.cols());
  CHECK(error_of(quick.values, slow.values) < most);
  for (Index i = 0; i < quick.values.rows(); ++i)
    for (Index j = 0; j < quick.values.cols(); ++j) {
      INFO("row " << i << ", column " << j << ": " << quick.values(i, j) << " and " << slow.values(i, j));
      REQUIRE(quick.mark(i, j) == slow.mark(i, j));
    }
  CHECK(quick.pooled == slow.pooled);
  CHECK(quick.request == slow.request);
  const ValueRange &a = quick.range, &b = slow.range;
  CHECK(a.finite == b.finite);
  CHECK(a.masked == b.masked);
  CHECK(a.dropped == b.dropped);
  CHECK(std::abs(a.low - b.low) <= 1e-5f * std::abs(b.low) + 1e-12f);
  CHECK(std::abs(a.high - b.high) <= 1e-5f * std::abs(b.high) + 1e-12f);
}

}  // namespace headlight_test
