// Traces: every cell of every stage equals the sum of its terms and the end of its chain. Also row summaries.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Equal up to a different order of additions in float32.
bool is_close(double a, double b, double magnitude) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-5 * magnitude + 1e-30;
}

void check_terms(const CellTrace& trace, double expected) {
  double sum = trace.bias, magnitude = std::abs(trace.bias);
  for (const Term& term : trace.terms) {
    sum += static_cast<double>(term.left) * term.right;
    magnitude += std::abs(static_cast<double>(term.left) * term.right);
    CHECK(is_close(term.product(), static_cast<double>(term.left) * term.right, std::abs(term.product())));
  }
  INFO("terms give " << sum << ", the stage holds " << expected);
  REQUIRE(is_close(sum, expected, magnitude));
}

// Checks the part of the chain before the weights.
void check_scores(const Evaluator& evaluator, const CellTrace& trace) {
  const Layer& layer = evaluator.layer();
  const CellAddress& at = trace.cell;
  const CellTrace::Chain& chain = trace.chain;
  const auto held = [&](Stage stage) {
    return evaluator.matrix(stage, at.sequence, at.head)(at.row, at.column);
  };
  CHECK(chain.score == held(Stage::Scores));
  CHECK(chain.scaled == held(Stage::Scaled));
  CHECK(chain.scale == layer.scale_factor());
  CHECK(chain.allowed == layer.may_attend(at.row, at.column, at.sequence, at.head));
  CHECK(chain.scaled == chain.score * chain.scale);
  float logit = chain.scaled;
  REQUIRE(chain.capped.has_value() == (layer.attention.softcap > 0));
  if (chain.capped) {
    CHECK(*chain.capped == held(Stage::Capped));
    logit = *chain.capped;
  }
  REQUIRE(chain.biased.has_value() == stage_exists(layer, Stage::Biased));
  if (chain.biased) {
    CHECK(*chain.biased == held(Stage::Biased));
    CHECK(*chain.biased == logit + *chain.bias);
    logit = *chain.biased;
  }
  CHECK(chain.logit == logit);
}

// Checks that a rotated number follows from the trace's pair and angle.
void check_turn(const Evaluator& evaluator, const CellTrace& trace) {
  const CellAddress& at = trace.cell;
  const bool queries = at.stage == Stage::RotatedQueries;
  const Matrix& from = evaluator.matrix(queries ? Stage::Queries : Stage::Keys, at.sequence, at.head);
  if (at.column >= evaluator.layer().rotary_dims()) {
    CHECK_FALSE(trace.turn.has_value());
    CHECK(trace.value == from(at.row, at.column));
    return;
  }
  REQUIRE(trace.turn.has_value());
  const CellTrace::Turn& turn = *trace.turn;
  CHECK(turn.first == from(at.row, turn.first_column));
  CHECK(turn.second == from(at.row, turn.second_column));
  const bool is_first = at.column == turn.first_column;
  CHECK((is_first || at.column == turn.second_column));
  CHECK(turn.magnitude == evaluator.layer().attention.position.scaling.magnitude);
  const double cosine = turn.magnitude * std::cos(turn.angle), sine = turn.magnitude * std::sin(turn.angle);
  const double turned =
      is_first ? turn.first * cosine - turn.second * sine : turn.second * cosine + turn.first * sine;
  CHECK(is_close(turned, trace.value, turn.magnitude * (std::abs(turn.first) + std::abs(turn.second))));
}

void check_chain(const Evaluator& evaluator, const CellTrace& trace) {
  const Layer& layer = evaluator.layer();
  const CellAddress& at = trace.cell;
  const CellTrace::Chain& chain = trace.chain;
  const auto held = [&](Stage stage) {
    return evaluator.matrix(stage, at.sequence, at.head)(at.row, at.column);
  };
  REQUIRE(trace.has_chain);
  if (layer.attention.projection != Projection::Weights) check_scores(evaluator, trace);
  const float weight = held(Stage::Weights), dropped = held(Stage::Dropped);
  CHECK((chain.weight == weight || (std::isnan(chain.weight) && std::isnan(weight))));
  CHECK((chain.dropped == dropped || (std::isnan(chain.dropped) && std::isnan(dropped))));
  CHECK(is_close(chain.dropped, static_cast<double>(chain.weight) * chain.noise, std::abs(chain.dropped)));
  if (!chain.allowed) CHECK(chain.exponential == 0.0f);
  if (chain.row_sum == 0.0f) return;  // a fully masked row, or scores that cancel
  const double quotient = static_cast<double>(chain.exponential) / chain.row_sum;
  // When scores nearly cancel, the sum depends on the order of the additions.
  const double slack = layer.attention.normalization == Normalization::Sum ? 100.0 : 1.0;
  INFO(chain.exponential << " / " << chain.row_sum << " against " << chain.weight);
  CHECK(is_close(quotient, chain.weight, slack * std::abs(quotient)));
}

void check_cell(const Evaluator& evaluator, const CellAddress& at) {
  const Layer& layer = evaluator.layer();
  const CellTrace trace = evaluator.trace(at);
  const float value = evaluator.matrix(at.stage, at.sequence, at.head)(at.row, at.column);
  REQUIRE(trace.cell == at);
  REQUIRE((trace.value == value || (std::isnan(trace.value) && std::isnan(value))));
  TileRequest request;
  request.stage = at.stage;
  request.sequence = at.sequence;
  request.head = at.head;
  CHECK(trace.mark == evaluator.tile(request).mark(at.row, at.column));
  CHECK(trace.has_chain == is_pair(at.stage));
  if (at.stage == Stage::RotatedQueries || at.stage == Stage::RotatedKeys) check_turn(evaluator, trace);
  if (trace.has_chain) {
    if (layer.attention.projection != Projection::Weights) check_terms(trace, trace.chain.score);
    check_chain(evaluator, trace);
  } else if (!trace.terms.empty()) {
    check_terms(trace, value);
  }
  if (at.stage == Stage::Concat || at.stage == Stage::Output) {
    if (at.column < layer.concat_width())
      CHECK(trace.source_head * layer.d_v() + trace.source_column == at.column);
    CHECK(trace.source_column < layer.d_v());
  }
  if (at.stage == Stage::Concat) {
    const float source =
        evaluator.matrix(Stage::Context, at.sequence, trace.source_head)(at.row, trace.source_column);
    const std::vector<Index>& off = layer.attention.disabled_heads;
    if (std::find(off.begin(), off.end(), trace.source_head) != off.end())
      CHECK(value == 0.0f);
    else
      CHECK((source == value || (std::isnan(source) && std::isnan(value))));
  }
}

std::size_t expected_terms(const Layer& layer, Stage stage) {
  const bool linear = layer.attention.projection == Projection::Linear;
  switch (stage) {
    case Stage::Embeddings:
    case Stage::Concat:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      return 0;
    case Stage::Queries:
      return linear ? static_cast<std::size_t>(layer.d_in()) : 0;
    case Stage::Keys:
    case Stage::Values:
      return linear ? static_cast<std::size_t>(layer.key_d_in()) : 0;
    case Stage::Context:
      return static_cast<std::size_t>(layer.key_count());
    case Stage::Output:
      return layer.attention.output_projection ? static_cast<std::size_t>(layer.concat_width()) : 0;
    default:
      return layer.attention.projection == Projection::Weights ? 0 : static_cast<std::size_t>(layer.d_k());
  }
}

}  // namespace

TEST_CASE("trace: every cell of every stage is the sum of its terms and the end of its chain") {
  Dice dice(31);
  for (int i = 0; i < 80; ++i) {
    INFO("model " << i);
    const Evaluator evaluator = evaluate(i % 2 == 0 ? random_layer(dice) : random_cross_layer(dice));
    const Layer& layer = evaluator.layer();
    for (const Stage stage : stages_in_use(layer))
      for (Index h = 0; h < stage_heads(layer, stage); ++h) {
        INFO("stage " << std::string(stage_info(stage).name) << ", head " << h);
        const Index b = dice.below(layer.sequence_count());
        for (Index row = 0; row < stage_rows(layer, stage); ++row)
          for (Index column = 0; column < stage_columns(layer, stage); ++column)
            check_cell(evaluator, {stage, b, h, row, column});
        CHECK(evaluator.trace({stage, b, h, 0, 0}).terms.size() == expected_terms(layer, stage));
      }
  }
}

TEST_CASE("trace: a bias is told apart from the terms") {
  Dice dice(32);
  for (int i = 0; i < 60; ++i) {
    const Evaluator evaluator = evaluate(random_layer(dice));
    const Layer& layer = evaluator.layer();
    const Index head = dice.below(layer.head_count());
    const CellTrace key = evaluator.trace({Stage::Keys, 0, head, 0, 0});
    CHECK(key.has_bias == layer.uses_bias(Parameter::Key));
    if (key.has_bias) CHECK(key.bias == layer.weights.bias(Parameter::Key)(0, head * layer.d_k()));
    const CellTrace output = evaluator.trace({Stage::Output, 0, 0, 0, layer.d_out() - 1});
    CHECK(output.has_bias == layer.attention.output_projection);
    if (output.has_bias) CHECK(output.bias == layer.weights.bias(Parameter::Output)(0, layer.d_out() - 1));
  }
}

TEST_CASE("trace: the maximum is subtracted by the stable softmax only") {
  Dice dice(33);
  Layer layer = random_layer(dice);
  layer.attention.mask = MaskKind::Causal;
  const Index last = layer.token_count() - 1;
  layer.attention.normalization = Normalization::Softmax;
  const Evaluator stable = evaluate(layer);
  CHECK(stable.trace({Stage::Weights, 0, 0, last, 0}).chain.row_max ==
        stable.matrix(Stage::Masked, 0, 0).row(last).maxCoeff());
  for (Normalization how : {Normalization::NaiveSoftmax, Normalization::Sum}) {
    layer.attention.normalization = how;
    CHECK(evaluate(layer).trace({Stage::Weights, 0, 0, last, 0}).chain.row_max == 0.0f);
  }
}

TEST_CASE("trace: a fully masked row has a sum of zero and weights of zero") {
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {Matrix::Ones(3, 1)};
  layer.attention.d_out = 1;
  layer.attention.mask = MaskKind::Custom;
  layer.custom_mask = Matrix::Ones(3, 3);
  layer.custom_mask.row(1).setZero();
  for (Normalization how : {Normalization::Softmax, Normalization::NaiveSoftmax, Normalization::Sum}) {
    layer.attention.normalization = how;
    const CellTrace trace = evaluate(layer).trace({Stage::Weights, 0, 0, 1, 2});
    CHECK(trace.mark == CellMark::Masked);
    CHECK_FALSE(trace.chain.allowed);
    CHECK(trace.chain.exponential == 0.0f);
    CHECK(trace.chain.row_sum == 0.0f);
    CHECK(trace.chain.weight == 0.0f);
    CHECK(trace.value == 0.0f);
  }
}

TEST_CASE("trace: a cell outside the stage is an error that says how large it is") {
  Dice dice(34);
  const Evaluator evaluator = evaluate(random_layer(dice));
  const Layer& layer = evaluator.layer();
  const Index count = layer.token_count();
  for (const CellAddress& at :
       {CellAddress{Stage::Weights, 0, 0, count, 0}, CellAddress{Stage::Weights, 0, 0, 0, count},
        CellAddress{Stage::Weights, 0, 0, -1, 0}, CellAddress{Stage::Weights, 0, 0, 0, -1}}) {
    CHECK_THROWS_AS(evaluator.trace(at), Error);
    CHECK_THROWS_WITH(evaluator.trace(at), ContainsSubstring("the matrix is " + std::to_string(count)));
  }
  CHECK_THROWS_AS(evaluator.trace({Stage::Weights, layer.sequence_count(), 0, 0, 0}), Error);
  CHECK_THROWS_AS(evaluator.trace({Stage::Output, 0, 1, 0, 0}), Error);
}

TEST_CASE("row: sum, entropy and largest value of random rows") {
  Dice dice(35);
  for (int i = 0; i < 200; ++i) {
    const Evaluator evaluator = evaluate(random_layer(dice));
    const Layer& layer = evaluator.layer();
    const Stage stage = dice.pick<Stage>({Stage::Scores, Stage::Masked, Stage::Weights, Stage::Dropped});
    const RowRequest request = {stage, dice.below(layer.sequence_count()), dice.below(layer.head_count()),
                                dice.below(layer.token_count()), 256};
    const RowSummary summary = evaluator.row(request);
    const Matrix row = evaluator.matrix(stage, request.sequence, request.head).row(request.row);
    double sum = 0, entropy = 0;
    Index largest = -1;
    bool nan = false;
    for (Index c = 0; c < row.cols(); ++c) {
      const float value = row(0, c);
      nan = nan || std::isnan(value);
      const float listed = summary.values[static_cast<std::size_t>(c)];
      REQUIRE((listed == value || (std::isnan(listed) && std::isnan(value))));
      if (!std::isfinite(value)) continue;
      sum += value;
      if (value > 0) entropy -= value * std::log2(static_cast<double>(value));
      if (largest < 0 || value > row(0, largest)) largest = c;
    }
    CHECK(summary.request == request);
    CHECK(summary.total == row.cols());
    CHECK(summary.marks.size() == summary.values.size());
    CHECK(summary.largest == largest);
    CHECK(is_close(summary.sum, sum, std::abs(sum) + 1e-3));
    if (nan) entropy = std::numeric_limits<double>::quiet_NaN();
    CHECK(is_close(summary.entropy_bits, stage == Stage::Weights ? entropy : 0.0, std::abs(entropy)));
  }
}

TEST_CASE("row: a row with a NaN in it has no entropy") {
  Layer layer;
  layer.tokens = {"a", "b"};
  layer.embeddings = {Matrix::Identity(2, 2)};
  layer.embeddings[0](1, 1) = 20;  // the exponential of its score with itself overflows
  layer.attention.d_out = 2;
  layer.attention.scale.kind = ScaleKind::None;
  layer.attention.normalization = Normalization::NaiveSoftmax;
  const Evaluator evaluator = evaluate(layer);
  CHECK(std::isnan(evaluator.row({Stage::Weights, 0, 0, 1, 256}).entropy_bits));
  CHECK(std::isfinite(evaluator.row({Stage::Weights, 0, 0, 0, 256}).entropy_bits));
}

TEST_CASE("row: an even row of eight has three bits, a row with one open cell none") {
  Layer layer;
  layer.tokens = std::vector<std::string>(8, "same");
  layer.embeddings = {Matrix::Ones(8, 1)};
  layer.attention.d_out = 1;
  layer.attention.mask = MaskKind::Causal;
  const Evaluator evaluator = evaluate(layer);
  CHECK(evaluator.row({Stage::Weights, 0, 0, 7, 256}).entropy_bits == 3.0f);
  CHECK(evaluator.row({Stage::Weights, 0, 0, 0, 256}).entropy_bits == 0.0f);
  CHECK(evaluator.row({Stage::Weights, 0, 0, 3, 256}).marks[4] == CellMark::Masked);
}

TEST_CASE("row: more values than fit are pooled by maximum") {
  Layer layer;
  layer.tokens = std::vector<std::string>(7, "t");
  layer.embeddings = {Matrix::Zero(7, 1)};
  layer.embeddings[0] << 1, 5, 2, -1, 7, 3, 4;
  layer.attention.d_out = 1;
  layer.attention.scale.kind = ScaleKind::None;
  const RowSummary summary = evaluate(layer).row({Stage::Scores, 0, 0, 0, 3});
  CHECK(summary.values == std::vector<float>{5, 2, 7});  // 7 columns pooled to 2, 2 and 3
  CHECK(summary.total == 7);
  CHECK(summary.sum == 21.0f);
  CHECK(summary.largest == 4);
}

TEST_CASE("row: a fully masked row of scores has no largest value") {
  Layer layer;
  layer.tokens = {"a", "b"};
  layer.embeddings = {Matrix::Ones(2, 1)};
  layer.attention.d_out = 1;
  layer.attention.mask = MaskKind::Custom;
  layer.custom_mask = Matrix::Zero(2, 2);
  const RowSummary summary = evaluate(layer).row({Stage::Masked, 0, 0, 1, 256});
  CHECK(summary.largest == -1);
  CHECK(summary.sum == 0.0f);
  CHECK(summary.values == std::vector<float>(2, -std::numeric_limits<float>::infinity()));
  CHECK(summary.marks == std::vector<CellMark>(2, CellMark::Masked));
}

TEST_CASE("row: a row outside the stage is an error") {
  Dice dice(36);
  const Evaluator evaluator = evaluate(random_layer(dice));
  const Index count = evaluator.layer().token_count();
  CHECK_THROWS_AS(evaluator.row({Stage::Weights, 0, 0, count, 256}), Error);
  CHECK_THROWS_WITH(evaluator.row({Stage::Weights, 0, 0, -1, 256}), ContainsSubstring("no row -1"));
  CHECK_THROWS_AS(evaluator.row({Stage::Weights, 9, 0, 0, 256}), Error);
}
