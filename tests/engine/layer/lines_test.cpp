// Tokens and dimensions inserted, duplicated, removed and moved, in every matrix that contains them.
#include "engine/layer/lines.h"

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/layer/reshape.h"
#include "engine/layer/tokenize.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using headlight_test::ContainsSubstring;

namespace {

// T 3, d_in 4, d_out 4 in 2 heads, two sequences, biases and an output projection.
Layer model_of(InitKind init) {
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  for (int sequence = 0; sequence < 2; ++sequence) {
    Matrix x(3, 4);
    for (Index i = 0; i < x.size(); ++i)
      x.data()[i] = static_cast<float>(i + sequence) / 10;
    layer.embeddings.push_back(x);
  }
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.qkv_bias = true;
  layer.attention.output_projection = true;
  draw_weights(layer, WeightRecipe{init, 1, {kParameters.begin(), kParameters.end()}});
  return layer;
}

Matrix output_of(const Layer& layer) {
  Evaluator evaluator(layer);
  evaluator.refresh();
  return evaluator.matrix(Stage::Output, 0, 0);
}

constexpr InputId kEmbeddings{InputKind::Embeddings, 0, Parameter::Query};
constexpr InputId kQueryWeights{InputKind::Weight, 0, Parameter::Query};
constexpr InputId kOutput{InputKind::Weight, 0, Parameter::Output};
constexpr InputId kBias{InputKind::Bias, 0, Parameter::Query};

}  // namespace

TEST_CASE("lines: what rows and columns of an input stand for") {
  for (const InitKind init : {InitKind::Rand, InitKind::Linear}) {
    const Layer layer = model_of(init);
    const bool in_out = init == InitKind::Rand;
    CHECK(row_kind(layer, kEmbeddings) == LineKind::Token);
    CHECK(column_kind(layer, kEmbeddings) == LineKind::Input);
    CHECK(row_kind(layer, kQueryWeights) == (in_out ? LineKind::Input : LineKind::Output));
    CHECK(column_kind(layer, kQueryWeights) == (in_out ? LineKind::Output : LineKind::Input));
    CHECK(row_kind(layer, kOutput) == LineKind::Output);
    CHECK(column_kind(layer, kOutput) == LineKind::Output);
    CHECK_FALSE(row_kind(layer, kBias).has_value());
    CHECK(column_kind(layer, kBias) == LineKind::Output);
  }
}

TEST_CASE("lines: a blank or a moved dimension of the embeddings changes no result") {
  for (const InitKind init : {InitKind::Rand, InitKind::Linear}) {
    Layer layer = model_of(init);
    const Matrix before = output_of(layer);
    change_lines(layer, {LineKind::Input, LineChange::Insert, 1, 2, 0});
    CHECK(layer.d_in() == 6);
    CHECK(layer.embeddings[1].col(2).isZero());
    CHECK(layer.weights.edited);
    CHECK_NOTHROW(validate(layer));
    CHECK(output_of(layer).isApprox(before, 1e-6f));
    change_lines(layer, {LineKind::Input, LineChange::Move, 0, 1, 5});
    CHECK(layer.embeddings[0](0, 5) == 0.0f);
    CHECK(layer.embeddings[1](0, 5) == 0.1f);
    CHECK(output_of(layer).isApprox(before, 1e-6f));
  }
}

TEST_CASE("lines: a dimension of the embeddings is copied and removed with the weights that meet it") {
  Layer layer = model_of(InitKind::Rand);
  const Matrix x = layer.embeddings[0], w = layer.weights.matrix(Parameter::Key);
  change_lines(layer, {LineKind::Input, LineChange::Duplicate, 1, 2, 0});
  CHECK(layer.embeddings[0].col(3) == x.col(1));
  CHECK(layer.embeddings[0].col(4) == x.col(2));
  CHECK(layer.embeddings[0].col(5) == x.col(3));
  CHECK(layer.weights.matrix(Parameter::Key).row(4) == w.row(2));
  change_lines(layer, {LineKind::Input, LineChange::Remove, 3, 2, 0});
  CHECK(layer.embeddings[0] == x);
  CHECK(layer.weights.matrix(Parameter::Key) == w);
}

TEST_CASE("lines: dimensions of the output go through weights, biases and the output projection") {
  Layer layer = model_of(InitKind::Linear);
  const Matrix w = layer.weights.matrix(Parameter::Value), b = layer.weights.bias(Parameter::Value),
               o = layer.weights.matrix(Parameter::Output);
  change_lines(layer, {LineKind::Output, LineChange::Move, 0, 1, 2});
  CHECK(layer.weights.matrix(Parameter::Value).row(2) == w.row(0));
  CHECK(layer.weights.bias(Parameter::Value)(0, 2) == b(0, 0));
  CHECK(layer.weights.matrix(Parameter::Output)(2, 2) == o(0, 0));
  CHECK(layer.weights.matrix(Parameter::Output)(2, 0) == o(0, 1));
  change_lines(layer, {LineKind::Output, LineChange::Insert, 4, 2, 0});
  CHECK(layer.d_out() == 6);
  CHECK(layer.weights.matrix(Parameter::Output).rightCols(2).isZero());
  CHECK_NOTHROW(validate(layer));
}

TEST_CASE("lines: d_out stays a multiple of the heads") {
  Layer layer = model_of(InitKind::Rand);
  const LinesEdit one{LineKind::Output, LineChange::Insert, 0, 1, 0};
  CHECK_THAT(why_not(layer, one), ContainsSubstring("d_out would be 5") && ContainsSubstring("2 heads"));
  CHECK_THROWS_AS(change_lines(layer, one), Error);
  CHECK(layer.d_out() == 4);
  CHECK(why_not(layer, {LineKind::Output, LineChange::Remove, 0, 2, 0}).empty());
  CHECK_THAT(why_not(layer, {LineKind::Output, LineChange::Remove, 0, 4, 0}),
             ContainsSubstring("at least 1"));
  CHECK(why_not(layer, {LineKind::Input, LineChange::Insert, 0, 1, 0}).empty());
}

TEST_CASE("lines: without projections the embeddings' dimensions are the heads'") {
  Layer layer = model_of(InitKind::Rand);
  set_projection(layer, Projection::None);
  CHECK_THAT(why_not(layer, {LineKind::Input, LineChange::Insert, 0, 1, 0}), ContainsSubstring("2 heads"));
  change_lines(layer, {LineKind::Input, LineChange::Insert, 0, 2, 0});
  CHECK(layer.d_out() == 6);
  CHECK(layer.weights.matrix(Parameter::Output).rows() == 6);
  CHECK_NOTHROW(validate(layer));
  set_projection(layer, Projection::Linear);
  CHECK_NOTHROW(validate(layer));
}

TEST_CASE("lines: tokens take their labels, their embeddings in every sequence and their mask along") {
  Layer layer = model_of(InitKind::Rand);
  layer.attention.mask = MaskKind::Custom;
  layer.custom_mask = Matrix::Identity(3, 3);
  change_lines(layer, {LineKind::Token, LineChange::Duplicate, 0, 2, 0});
  CHECK(layer.tokens == std::vector<std::string>{"a", "b", "a", "b", "c"});
  CHECK(layer.embeddings[1].row(3) == layer.embeddings[1].row(1));
  CHECK(layer.custom_mask(0, 2) == 1);
  CHECK(layer.custom_mask(0, 3) == 0);
  change_lines(layer, {LineKind::Token, LineChange::Insert, 5, 1, 0});
  CHECK(layer.tokens.back() == "new");
  CHECK(layer.embeddings[0].row(5).isZero());
  CHECK(layer.custom_mask.row(5).sum() == 6);
  change_lines(layer, {LineKind::Token, LineChange::Move, 4, 2, 0});
  CHECK(layer.tokens == std::vector<std::string>{"c", "new", "a", "b", "a", "b"});
  CHECK_NOTHROW(validate(layer));
  change_lines(layer, {LineKind::Token, LineChange::Remove, 1, 5, 0});
  CHECK(layer.tokens == std::vector<std::string>{"c"});
  CHECK_THAT(why_not(layer, {LineKind::Token, LineChange::Remove, 0, 1, 0}), ContainsSubstring("one token"));
  CHECK_THAT(why_not(layer, {LineKind::Token, LineChange::Move, 0, 1, 1}), ContainsSubstring("last"));
  CHECK_THAT(why_not(layer, {LineKind::Token, LineChange::Remove, 1, 1, 0}), ContainsSubstring("no such"));
}

TEST_CASE("lines: no way of making tokens leads beyond the most that can be shown") {
  Layer layer;
  layer.tokens.assign(static_cast<std::size_t>(kMostTokens), "a");
  layer.embeddings = {Matrix::Zero(kMostTokens, 1)};
  layer.attention.d_out = 1;
  CHECK_NOTHROW(validate(layer));
  const std::string count = std::to_string(kMostTokens);
  CHECK_THROWS_WITH(insert_token(layer, 0, "b", true), ContainsSubstring(count));
  CHECK_THROWS_WITH(change_lines(layer, {LineKind::Token, LineChange::Duplicate, 0, 1, 0}),
                    ContainsSubstring(count));
  CHECK_THROWS_WITH(write_growing(layer, kEmbeddings, kMostTokens, 0, Matrix::Zero(1, 1)),
                    ContainsSubstring(count));
  const std::vector<std::string> more(static_cast<std::size_t>(kMostTokens) + 1, "a");
  CHECK_THROWS_WITH(replace_tokens(layer, more, Matrix::Zero(kMostTokens + 1, 1)), ContainsSubstring(count));
  CHECK(layer.token_count() == kMostTokens);
}

TEST_CASE("lines: a block that reaches beyond the matrix makes it grow") {
  Layer layer = model_of(InitKind::Rand);
  write_growing(layer, kEmbeddings, 2, 3, Matrix::Constant(3, 2, 7));
  CHECK(layer.token_count() == 5);
  CHECK(layer.d_in() == 5);
  CHECK(layer.embeddings[0](4, 4) == 7);
  CHECK(layer.embeddings[1](4, 4) == 0);
  CHECK_NOTHROW(validate(layer));

  write_growing(layer, kOutput, 3, 3, Matrix::Constant(3, 2, 1));
  CHECK(layer.d_out() == 6);
  CHECK(layer.weights.matrix(Parameter::Output)(5, 4) == 1);
  CHECK_NOTHROW(validate(layer));
}

TEST_CASE("lines: a block that can't fit leaves the model as it was") {
  Layer layer = model_of(InitKind::Rand);
  CHECK_THAT(growth_obstacle(layer, kBias, 2, 4), ContainsSubstring("no more rows"));
  CHECK_THAT(growth_obstacle(layer, kQueryWeights, 4, 5), ContainsSubstring("2 heads"));
  CHECK(growth_obstacle(layer, kQueryWeights, 9, 6).empty());
  CHECK_THROWS_AS(write_growing(layer, kQueryWeights, 3, 3, Matrix::Constant(2, 2, 1)), Error);
  CHECK(layer.d_in() == 4);
}

TEST_CASE("lines: whatever is offered for any layer leaves a layer that is valid") {
  headlight_test::Dice dice(48);
  for (int i = 0; i < 300; ++i) {
    const Layer before = headlight_test::random_cross_layer(dice);
    for (const LineKind kind : {LineKind::Token, LineKind::Key, LineKind::Input, LineKind::Output})
      for (const LineChange change :
           {LineChange::Insert, LineChange::Duplicate, LineChange::Remove, LineChange::Move}) {
        if (line_count(before, kind) == 0 || (kind == LineKind::Key && before.self_attention())) continue;
        const Index count = line_count(before, kind);
        const LinesEdit edit{kind, change, dice.below(count), 1 + dice.below(2), dice.below(count)};
        if (!why_not(before, edit).empty()) continue;
        Layer after = before;
        change_lines(after, edit);
        CHECK_NOTHROW(validate(after));
      }
  }
}

TEST_CASE("lines: columns of heads that share keys or differ in width are not moved as if they were one") {
  headlight_test::Dice dice(49);
  for (int found = 0; found < 5;) {
    const Layer layer = headlight_test::random_cross_layer(dice);
    const bool grouped = layer.kv_head_count() < layer.head_count();
    if (!grouped || layer.attention.projection != Projection::Given) continue;
    ++found;
    CHECK_THAT(why_not(layer, {LineKind::Output, LineChange::Move, layer.d_out() - 1, 1, 0}),
               ContainsSubstring("Widths of the heads"));
  }
}
