#include "engine/array_import/array_placement.h"

#include <cmath>
#include <limits>

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Role = ArrayRole;
constexpr WeightLayout kInOut = WeightLayout::InOut, kOutIn = WeightLayout::OutIn;

NamedArray array_of(const std::string& name, const Matrix& matrix) {
  return {name, {matrix.rows(), matrix.cols()}, {matrix.data(), matrix.data() + matrix.size()}};
}

NamedArray row_of(const std::string& name, const Matrix& row) {
  return {name, {row.cols()}, {row.data(), row.data() + row.size()}};
}

PlacedArray weight(Role role, const Matrix& in_out, WeightLayout layout) {
  return {array_of(role_id(role), layout == kInOut ? in_out : Matrix(in_out.transpose())), role, layout, {}};
}

Matrix side_by_side(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix all(a.rows(), a.cols() * 3);
  all << a, b, c;
  return all;
}

// The weight as in y = x W, whatever the layer's layout.
Matrix in_out(const Layer& layer, Parameter p) {
  const Matrix& w = layer.weights.matrix(p);
  return layer.weights.layout == kInOut ? w : Matrix(w.transpose());
}

Layer placed_model() {
  Layer layer;
  layer.tokens = {"a", "b"};
  layer.embeddings.emplace_back(Matrix::Constant(2, 3, 0.5f));
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 2;
  draw_weights(layer, WeightRecipe{});
  return layer;
}

}  // namespace

TEST_CASE("array placement: any layer goes into any model, fused or not, in both layouts") {
  Dice dice(41);
  for (int round = 0; round < 200; ++round) {
    const Layer before = random_layer(dice);
    const Index d_in = dice.between(1, 6), heads = dice.between(1, 3), d_out = heads * dice.between(1, 3);
    const Index tokens = dice.between(1, 8);
    const Matrix x = dice.matrix(tokens, d_in), o = dice.matrix(d_out, d_out), ob = dice.matrix(1, d_out);
    std::array<Matrix, 3> w, b;
    for (std::size_t i = 0; i < 3; ++i) {
      w[i] = dice.matrix(d_in, d_out);
      b[i] = dice.matrix(1, d_out);
    }
    const auto layout = [&] { return dice.chance(0.5) ? kInOut : kOutIn; };
    std::vector<PlacedArray> arrays = {{array_of("x", x), Role::Embeddings, kInOut, {}},
                                       weight(Role::OutputWeight, o, layout()),
                                       {row_of("ob", ob), Role::OutputBias, kInOut, {}}};
    if (dice.chance(0.5)) {
      arrays.push_back(weight(Role::FusedWeight, side_by_side(w[0], w[1], w[2]), layout()));
      arrays.push_back({row_of("b", side_by_side(b[0], b[1], b[2])), Role::FusedBias, kInOut, {}});
    } else {
      for (std::size_t i = 0; i < 3; ++i) {
        constexpr std::array kWeights = {Role::QueryWeight, Role::KeyWeight, Role::ValueWeight};
        constexpr std::array kBiases = {Role::QueryBias, Role::KeyBias, Role::ValueBias};
        arrays.push_back(weight(kWeights[i], w[i], layout()));
        arrays.push_back({array_of("b", b[i]), kBiases[i], kInOut, {}});
      }
    }
    const Layer after = place_arrays(arrays, heads, before);
    INFO("round " << round);
    CHECK_NOTHROW(validate(after));
    CHECK(same_bits(after.embeddings.at(0), x));
    CHECK(after.sequence_count() == 1);
    CHECK(after.head_count() == heads);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(same_bits(in_out(after, kParameters[i]), w[i]));
      CHECK(same_bits(after.weights.bias(kParameters[i]), b[i]));
    }
    CHECK(same_bits(in_out(after, Parameter::Output), o));
    CHECK(same_bits(after.weights.bias(Parameter::Output), ob));
    CHECK_FALSE(after.weights.recipe.has_value());
    CHECK(after.attention.scale == before.attention.scale);
    CHECK(after.attention.dropout == before.attention.dropout);
  }
}

TEST_CASE("array placement: a part of a layer leaves a valid model, as the plan told") {
  Dice dice(42);
  for (int round = 0; round < 300; ++round) {
    const Layer before = random_layer(dice);
    std::vector<PlacedArray> arrays;
    std::vector<ArrayChoice> choices;
    const Index d_in = dice.chance(0.5) ? before.d_in() : dice.between(1, 6), d_out = dice.between(1, 6);
    for (const Role role :
         {Role::Embeddings, Role::QueryWeight, Role::KeyWeight, Role::ValueWeight, Role::KeyBias}) {
      if (!dice.chance(0.4)) continue;
      const bool bias = role == Role::KeyBias, x = role == Role::Embeddings;
      const Matrix values = bias ? dice.matrix(1, d_out) : dice.matrix(x ? 4 : d_in, x ? d_in : d_out);
      arrays.push_back({array_of(role_id(role), values), role, kInOut, {}});
      choices.push_back({role_id(role), arrays.back().array.shape, role, kInOut, false});
    }
    INFO("round " << round);
    const ArrayPlan plan = plan_arrays(choices, std::nullopt, before);
    const Layer after = place_arrays(arrays, std::nullopt, before);
    CHECK_NOTHROW(validate(after));
    CHECK(after.d_in() == plan.d_in);
    CHECK(after.d_out() == plan.d_out);
    CHECK(after.token_count() == plan.tokens);
    CHECK(after.head_count() == plan.num_heads);
    CHECK(after.attention.qkv_bias == plan.qkv_bias);
    for (const Parameter p : kParameters) {
      if (plan.weight(p) == PartSource::Kept) CHECK(same_bits(in_out(after, p), in_out(before, p)));
      if (plan.bias(p) == PartSource::Kept) CHECK(same_bits(after.weights.bias(p), before.weights.bias(p)));
      if (plan.bias(p) == PartSource::Zeros) CHECK(after.weights.bias(p).isZero(0));
    }
    if (arrays.empty()) CHECK(same_layer(before, after));
  }
}

TEST_CASE("array placement: untouched weights are drawn as a notebook with the new shapes would") {
  const Layer before = placed_model();
  const Layer after =
      place_arrays({{array_of("x", Matrix::Ones(3, 5)), Role::Embeddings, kInOut, {}}}, std::nullopt, before);
  Layer expected = before;
  set_d_in(expected, 5);
  CHECK(same_bits(after.weights.matrix(Parameter::Key), expected.weights.matrix(Parameter::Key)));
  CHECK(after.weights.recipe == before.weights.recipe);
  CHECK_FALSE(after.weights.edited);
  CHECK(after.tokens == std::vector<std::string>{"0", "1", "2"});
}

TEST_CASE("array placement: one matrix beside drawn ones counts as an edit of the recipe") {
  const Matrix w = Matrix::Constant(3, 4, 2.0f);
  const Layer after = place_arrays({weight(Role::KeyWeight, w, kOutIn)}, std::nullopt, placed_model());
  CHECK(after.weights.edited);
  CHECK(after.weights.recipe.has_value());
  CHECK(same_bits(after.weights.matrix(Parameter::Key), w));
  Layer expected = placed_model();
  set_d_out(expected, 4);
  CHECK(same_bits(after.weights.matrix(Parameter::Query), expected.weights.matrix(Parameter::Query)));
}

TEST_CASE("array placement: a batch, and tokens from the names of a table's rows") {
  NamedArray batch{"x", {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  const Layer two = place_arrays({{batch, Role::Embeddings, kInOut, {}}}, std::nullopt, placed_model());
  REQUIRE(two.sequence_count() == 2);
  CHECK(two.embeddings[1](0, 1) == 7.0f);
  const Layer named =
      place_arrays({{array_of("x", Matrix::Ones(2, 3)), Role::Embeddings, kInOut, {"Your", "journey"}}},
                   std::nullopt, placed_model());
  CHECK(named.tokens == std::vector<std::string>{"Your", "journey"});
}

TEST_CASE("array placement: tokens as bytes of text, or as ids") {
  const auto bytes = [](std::string_view text) {
    NamedArray array{"tokens", {static_cast<Index>(text.size())}, {}};
    for (const char c : text)
      array.values.push_back(static_cast<unsigned char>(c));
    return array;
  };
  using Tokens = std::vector<std::string>;
  CHECK(tokens_in(bytes(std::string_view("Your\0 jour\xC3\xA9\0\n", 14)), 3) ==
        Tokens{"Your", " jour\xC3\xA9", "\n"});
  CHECK(tokens_in(bytes("a"), 1) == Tokens{"a"});
  CHECK(tokens_in({"tokens", {2}, {7120, 12}}, 2) == Tokens{"7120", "12"});
  check_error([&] { tokens_in(bytes("one"), 2); }, "1 tokens, T is 2", "tokens", "one token for each row");
  check_error([&] { tokens_in({"tokens", {3}, {0.5f, 1, 2}}, 2); }, "no text", "tokens", "one token");
  const Layer after = place_arrays({{array_of("x", Matrix::Ones(2, 3)), Role::Embeddings, kInOut, {}},
                                    {bytes(std::string_view("x\0y", 3)), Role::Tokens, kInOut, {}}},
                                   std::nullopt, placed_model());
  CHECK(after.tokens == Tokens{"x", "y"});
}

TEST_CASE("array placement: masks") {
  const auto with_mask = [](const Matrix& mask) {
    return place_arrays({{array_of("m", mask), Role::Mask, kInOut, {}}}, std::nullopt, placed_model());
  };
  Matrix causal(2, 2), other(2, 2), additive(2, 2);
  causal << 1, 0, 1, 1;
  other << 1, 1, 0, 1;
  additive << 0, -1, 0, 0;
  CHECK(with_mask(causal).attention.mask == MaskKind::Causal);
  CHECK(with_mask(other).attention.mask == MaskKind::Custom);
  CHECK(same_bits(with_mask(other).custom_mask, other));
  check_error([&] { with_mask(additive); }, "neither 0 nor 1", "attention.mask", "attend");
  Layer masked = with_mask(other);
  masked =
      place_arrays({{array_of("x", Matrix::Ones(3, 3)), Role::Embeddings, kInOut, {}}}, std::nullopt, masked);
  CHECK(masked.custom_mask(1, 0) == 0.0f);
  CHECK(masked.custom_mask(2, 0) == 1.0f);
}

TEST_CASE("array placement: NaN and infinity are counted and the first is named") {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const NamedArray bad{"w", {3, 2}, {0, 1, 2, nan, -infinity, nan}};
  const auto place = [](const NamedArray& array, Role role) {
    place_arrays({{array, role, kInOut, {}}}, std::nullopt, placed_model());
  };
  check_error([&] { place(bad, Role::QueryWeight); }, "2 NaN and 1 infinite, the first in row 2, column 2",
              "w", "finite");
  check_error(
      [&] {
        place({"b", {2}, {0, infinity}}, Role::QueryBias);
      },
      "1 infinite, the first in place 2", "b", "finite");
  check_error(
      [&] {
        place({"x", {2, 1, 2}, {0, 1, 2, nan}}, Role::Embeddings);
      },
      "1 NaN, the first in matrix 2, row 1, column 2", "x", "finite");
}

TEST_CASE("array placement: queries, keys and values of any model, heads side by side") {
  Dice dice(43);
  for (int round = 0; round < 100; ++round) {
    const Layer before = random_layer(dice);
    const Index sequences = dice.between(1, 3), heads = dice.between(1, 3), tokens = dice.between(1, 5),
                width = dice.between(1, 3);
    std::vector<PlacedArray> arrays;
    for (const Role role : {Role::Queries, Role::Keys, Role::Values}) {
      NamedArray array{role_id(role), {sequences, heads, tokens, width}, {}};
      for (Index i = 0; i < sequences * heads * tokens * width; ++i)
        array.values.push_back(static_cast<float>(i));
      arrays.push_back({array, role, kInOut, {}});
    }
    const Layer after = place_arrays(arrays, std::nullopt, before);
    INFO("round " << round);
    CHECK(after.attention.projection == Projection::Given);
    CHECK(after.head_count() == heads);
    float number = 0;
    for (Index b = 0; b < sequences; ++b)
      for (Index h = 0; h < heads; ++h)
        for (Index t = 0; t < tokens; ++t)
          for (Index i = 0; i < width; ++i)
            CHECK(after.given[2][static_cast<std::size_t>(b)](t, h * width + i) == number++);
  }
}

TEST_CASE("array placement: keys alone leave queries and values as they were computed") {
  const Layer before = placed_model();
  Layer computed = before;
  set_projection(computed, Projection::Given);
  const Matrix keys = Matrix::Constant(2, 2, 4.0f);
  const Layer after = place_arrays({{array_of("k", keys), Role::Keys, kInOut, {}}}, std::nullopt, before);
  CHECK(same_bits(after.given[0].at(0), computed.given[0].at(0)));
  CHECK(same_bits(after.given[1].at(0), keys));
  const Layer back = place_arrays({weight(Role::KeyWeight, Matrix::Ones(3, 2), kInOut)}, std::nullopt, after);
  CHECK(back.attention.projection == Projection::Linear);
  CHECK(back.given[1].empty());
}

TEST_CASE("array placement: saved attention leaves nothing before it, and the next array finds its way") {
  NamedArray saved{"attentions", {2, 3, 3}, std::vector<float>(18, 1.0f / 3)};
  Layer before = placed_model();
  before.attention.mask = MaskKind::Causal;
  before.attention.softcap = 30;
  const Layer after = place_arrays({{saved, Role::AttentionWeights, kInOut, {}}}, std::nullopt, before);
  CHECK(after.attention.projection == Projection::Weights);
  CHECK(after.given_weights.heads == 2);
  CHECK(after.tokens == std::vector<std::string>{"0", "1", "2"});
  CHECK(after.embeddings.empty());
  CHECK(after.attention.mask == MaskKind::None);
  NamedArray values{"values", {1, 2, 3, 4}, {}};
  for (int i = 0; i < 24; ++i)
    values.values.push_back(static_cast<float>(i));
  const Layer both =
      place_arrays({{saved, Role::AttentionWeights, kInOut, {}}, {values, Role::Values, kInOut, {}}},
                   std::nullopt, before);
  CHECK(both.d_v() == 4);
  CHECK(both.given[2].at(0)(1, 4) == 16.0f);
  const Layer back =
      place_arrays({{array_of("x", Matrix::Ones(3, 5)), Role::Embeddings, kInOut, {}}}, std::nullopt, after);
  CHECK(back.given_weights.empty());
  CHECK(back.attention.projection == Projection::None);
}

TEST_CASE("array placement: heads that share keys, and a mask beside queries, keys and values") {
  const auto numbers = [](const char* name, std::vector<Index> shape) {
    NamedArray array{name, shape, {}};
    Index count = 1;
    for (const Index size : shape)
      count *= size;
    for (Index i = 0; i < count; ++i)
      array.values.push_back(static_cast<float>(i));
    return array;
  };
  Matrix mask(2, 3);
  mask << 1, 0, 1, 1, 1, 0;
  const Layer after = place_arrays({{numbers("q", {1, 4, 2, 2}), Role::Queries, kInOut, {}},
                                    {numbers("k", {1, 2, 3, 2}), Role::Keys, kInOut, {}},
                                    {numbers("v", {1, 2, 3, 2}), Role::Values, kInOut, {}},
                                    {array_of("mask", mask), Role::Mask, kInOut, {}}},
                                   std::nullopt, placed_model());
  CHECK(after.head_count() == 4);
  CHECK(after.kv_head_count() == 2);
  CHECK(after.key_count() == 3);
  CHECK_FALSE(after.may_attend(1, 2));
  CHECK(after.given[1].at(0)(2, 3) == 11.0f);
}

TEST_CASE("array placement: embeddings of the keys, and weights that are fused head by head") {
  Dice dice(77);
  const Matrix x = dice.matrix(3, 4), y = dice.matrix(5, 6), w = dice.matrix(4, 2), kw = dice.matrix(6, 2);
  const Layer cross = place_arrays({{array_of("x", x), Role::Embeddings, kInOut, {}},
                                    {array_of("y", y), Role::KeyEmbeddings, kInOut, {}},
                                    weight(Role::QueryWeight, w, kInOut),
                                    weight(Role::KeyWeight, kw, kInOut),
                                    weight(Role::ValueWeight, kw, kInOut)},
                                   std::nullopt, placed_model());
  CHECK(cross.key_count() == 5);
  CHECK(cross.key_d_in() == 6);
  CHECK(same_bits(cross.key_embeddings.at(0), y));
  CHECK(same_bits(in_out(cross, Parameter::Value), kw));
  // Two heads of width 1; columns: q k v of the first head, then of the second.
  Matrix fused(4, 6);
  for (Index column = 0; column < 6; ++column)
    fused.col(column).setConstant(static_cast<float>(column));
  for (const WeightLayout layout : {kInOut, kOutIn}) {
    const Layer heads = place_arrays(
        {{array_of("x", x), Role::Embeddings, kInOut, {}}, weight(Role::FusedHeadsWeight, fused, layout)}, 2,
        placed_model());
    CHECK(in_out(heads, Parameter::Query).row(1) == Matrix{{0, 3}});
    CHECK(in_out(heads, Parameter::Key).row(2) == Matrix{{1, 4}});
    CHECK(in_out(heads, Parameter::Value).row(3) == Matrix{{2, 5}});
  }
}

TEST_CASE("array placement: a mask of keys closes the padding of its sequence") {
  const Layer after =
      place_arrays({{{"x", {2, 2, 3}, std::vector<float>(12, 1)}, Role::Embeddings, kInOut, {}},
                    {{"attention_mask", {2, 1, 1, 2}, {1, 1, 1, 0}}, Role::Mask, kInOut, {}}},
                   std::nullopt, placed_model());
  CHECK(after.may_attend(0, 1, 0));
  CHECK_FALSE(after.may_attend(0, 1, 1));
}
