// Changes of shape: a valid layer stays valid, a rejected change leaves it unchanged, drawn weights are drawn
// again, and entered weights stay.
#include "engine/layer/reshape.h"

#include <functional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/torch_stream.h"
#include "engine/layer/lines.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// T 4, d_in 3, B 2, two heads, d_out 4, weights drawn as torch.rand does with seed 123.
Layer drawn_for_shapes() {
  Layer layer;
  layer.tokens = {"a", "b", "c", "d"};
  layer.embeddings = {Matrix(4, 3), Matrix(4, 3)};
  for (Index i = 0; i < 12; ++i) {
    layer.embeddings[0].data()[i] = static_cast<float>(i);
    layer.embeddings[1].data()[i] = static_cast<float>(100 + i);
  }
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.custom_mask = Matrix::Zero(4, 4);
  for (Index i = 0; i < 4; ++i)
    layer.custom_mask(i, (i + 1) % 4) = 1.0f;
  draw_weights(layer, WeightRecipe{});
  return layer;
}

Layer edited_model() {
  Layer layer = drawn_for_shapes();
  layer.weights.matrix(Parameter::Query)(0, 0) = 42.0f;
  layer.weights.edited = true;
  return layer;
}

void check_shape_refused(const std::function<void(Layer&)>& change, const std::string& text) {
  INFO(text);
  Layer layer = drawn_for_shapes();
  CHECK_THROWS_WITH(change(layer), ContainsSubstring(text));
  CHECK_THROWS_AS(change(layer), Error);
  CHECK(same_layer(layer, drawn_for_shapes()));
}

const Matrix& query(const Layer& layer) {
  return layer.weights.matrix(Parameter::Query);
}

// Calls a random function of reshape.h, possibly with invalid arguments.
void change_somehow(Dice& dice, Layer& layer) {
  const Index last = layer.token_count();
  switch (dice.below(13)) {
    case 0:
      return insert_token(layer, dice.between(-1, last + 1), "new", dice.chance(0.5));
    case 1:
      return remove_token(layer, dice.between(-1, last));
    case 2:
      return move_token(layer, dice.between(-1, last), dice.between(-1, last));
    case 3:
      return add_sequence(layer);
    case 4:
      return remove_sequence(layer, dice.between(-1, layer.sequence_count()));
    case 5:
      return set_d_in(layer, dice.between(-1, 6));
    case 6:
      return set_d_out(layer, dice.between(-1, 12));
    case 7:
      return set_num_heads(layer, dice.between(-1, 5));
    case 8:
      return set_projection(layer,
                            dice.pick<Projection>({Projection::None, Projection::Linear, Projection::Given}));
    case 9:
      return set_output_projection(layer, dice.chance(0.5));
    case 10:
      return set_qkv_bias(layer, dice.chance(0.5));
    case 11: {
      WeightRecipe recipe = random_recipe(dice);
      recipe.order.resize(static_cast<std::size_t>(dice.below(5)));
      return draw_weights(layer, recipe);
    }
    default:
      return fill_parameter(layer, kParameters[static_cast<std::size_t>(dice.below(4))],
                            dice.chance(0.5) ? Fill::Zeros : Fill::Identity);
  }
}

}  // namespace

TEST_CASE("reshape: a valid model stays valid, and a refused change leaves it as it was") {
  Dice dice(51);
  int done = 0, refused = 0;
  for (int i = 0; i < 100; ++i) {
    Layer layer = random_layer(dice);
    if (dice.chance(0.2)) layer.custom_mask = Matrix::Ones(2, 5);  // unused masks may have any shape
    if (layer.attention.mask == MaskKind::Custom) layer.attention.mask = MaskKind::Causal;
    for (int change = 0; change < 30; ++change) {
      INFO("model " << i << ", change " << change);
      const Layer before = layer;
      try {
        change_somehow(dice, layer);
        ++done;
      } catch (const Error& error) {
        CHECK_FALSE(error.summary().empty());
        REQUIRE(same_layer(layer, before));
        ++refused;
      }
      REQUIRE_NOTHROW(validate(layer));
    }
  }
  CHECK(done > 1500);
  CHECK(refused > 200);
}

TEST_CASE("reshape: a custom mask that is in use stays valid, too") {
  Dice dice(52);
  for (int i = 0; i < 60; ++i) {
    Layer layer = random_layer(dice);
    layer.attention.mask = MaskKind::Custom;
    for (int change = 0; change < 20; ++change) {
      try {
        change_somehow(dice, layer);
      } catch (const Error&) {
      }
      REQUIRE_NOTHROW(validate(layer));
    }
  }
}

TEST_CASE("reshape: a new token is zero or a copy of the one before it, in every sequence") {
  for (bool copy : {false, true}) {
    Layer layer = drawn_for_shapes();
    insert_token(layer, 2, "new", copy);
    CHECK(layer.tokens == std::vector<std::string>{"a", "b", "new", "c", "d"});
    const Layer before = drawn_for_shapes();
    for (std::size_t b = 0; b < 2; ++b) {
      const Matrix& x = layer.embeddings[b];
      CHECK(same_bits(x.topRows(2), before.embeddings[b].topRows(2)));
      CHECK(same_bits(x.bottomRows(2), before.embeddings[b].bottomRows(2)));
      CHECK(same_bits(x.row(2), copy ? Matrix(before.embeddings[b].row(1)) : Matrix::Zero(1, 3)));
    }
    // The new token attends to all and all attend to it; other entries do not change.
    CHECK((layer.custom_mask.row(2).array() == 1.0f).all());
    CHECK((layer.custom_mask.col(2).array() == 1.0f).all());
    Layer back = layer;
    remove_token(back, 2);
    CHECK(same_layer(back, before));
  }
}

TEST_CASE("reshape: the first token can be a copy only of the one behind it") {
  Layer layer = drawn_for_shapes();
  insert_token(layer, 0, "new", true);
  CHECK(same_bits(layer.embeddings[0].row(0), layer.embeddings[0].row(1)));
  insert_token(layer, 5, "end", true);
  CHECK(same_bits(layer.embeddings[1].row(5), layer.embeddings[1].row(4)));
}

TEST_CASE("reshape: a moved token takes its embedding and its row and column of the mask along") {
  for (Index from = 0; from < 4; ++from)
    for (Index to = 0; to < 4; ++to) {
      INFO("from " << from << " to " << to);
      const Layer before = drawn_for_shapes();
      Layer layer = before;
      move_token(layer, from, to);
      std::vector<Index> old_place = {0, 1, 2, 3};
      old_place.erase(old_place.begin() + from);
      old_place.insert(old_place.begin() + to, from);
      for (Index t = 0; t < 4; ++t) {
        const Index old = old_place[static_cast<std::size_t>(t)];
        CHECK(layer.tokens[static_cast<std::size_t>(t)] == before.tokens[static_cast<std::size_t>(old)]);
        CHECK(same_bits(layer.embeddings[1].row(t), before.embeddings[1].row(old)));
        for (Index key = 0; key < 4; ++key)
          CHECK(layer.custom_mask(t, key) ==
                before.custom_mask(old, old_place[static_cast<std::size_t>(key)]));
      }
      move_token(layer, to, from);
      CHECK(same_layer(layer, before));
    }
}

TEST_CASE("reshape: sequences come as copies and go") {
  Layer layer = drawn_for_shapes();
  add_sequence(layer);
  REQUIRE(layer.sequence_count() == 3);
  CHECK(same_bits(layer.embeddings[2], layer.embeddings[1]));
  remove_sequence(layer, 0);
  CHECK(same_bits(layer.embeddings[0], drawn_for_shapes().embeddings[1]));
}

TEST_CASE("reshape: untouched drawn weights are drawn again in the new shape, as the notebook would") {
  for (InitKind init : {InitKind::Rand, InitKind::Linear}) {
    Layer layer = drawn_for_shapes();
    WeightRecipe recipe = {init, 789, {Parameter::Key, Parameter::Query, Parameter::Value}};
    draw_weights(layer, recipe);
    set_d_in(layer, 5);
    set_d_out(layer, 6);
    TorchStream stream(789);
    for (Parameter p : recipe.order) {
      Matrix expected = init == InitKind::Rand ? Matrix(5, 6) : Matrix(6, 5);
      if (init == InitKind::Rand)
        fill_rand(stream, expected);
      else
        fill_linear_weight(stream, expected);
      CHECK(same_bits(layer.weights.matrix(p), expected));
    }
    CHECK_FALSE(layer.weights.edited);
    CHECK(layer.weights.recipe == recipe);
    CHECK((layer.embeddings[0].rightCols(2).array() == 0.0f).all());
    CHECK(same_bits(layer.embeddings[0].leftCols(3), drawn_for_shapes().embeddings[0]));
  }
}

TEST_CASE("reshape: edited weights keep what fits and get zeros elsewhere") {
  Layer layer = edited_model();
  const Matrix before = query(layer);
  set_d_in(layer, 4);
  set_d_out(layer, 2);
  Matrix expected = Matrix::Zero(4, 2);
  expected.topRows(3) = before.leftCols(2);
  CHECK(same_bits(query(layer), expected));
  CHECK(layer.weights.edited);
}

TEST_CASE("reshape: heads change no weight") {
  Layer layer = drawn_for_shapes();
  set_num_heads(layer, 4);
  CHECK(layer.head_count() == 4);
  layer.attention.num_heads = 2;
  CHECK(same_layer(layer, drawn_for_shapes()));
}

TEST_CASE("reshape: weights come back with their own d_out when the projection is switched off and on") {
  for (Layer before : {drawn_for_shapes(), edited_model()}) {
    Layer layer = before;
    set_projection(layer, Projection::None);
    CHECK(layer.d_out() == 3);
    CHECK(layer.head_count() == 1);  // two heads do not divide three columns
    set_projection(layer, Projection::Linear);
    layer.attention.num_heads = 2;
    CHECK(same_layer(layer, before));
  }
}

TEST_CASE("reshape: a model without weights draws them when a projection is switched on") {
  Layer layer = drawn_for_shapes();
  layer.attention.projection = Projection::None;
  layer.attention.d_out = 3;
  layer.attention.num_heads = 1;
  layer.weights = {};
  Layer output = layer;
  set_projection(layer, Projection::Linear);
  REQUIRE(layer.weights.recipe.has_value());
  Matrix expected(3, 3);
  TorchStream stream(layer.weights.recipe->seed);
  fill_rand(stream, expected);
  CHECK(same_bits(query(layer), expected));
  set_output_projection(output, true);
  CHECK(same_bits(output.weights.matrix(Parameter::Output), expected));
}

TEST_CASE("reshape: numbers somebody gave are never drawn over") {
  for (bool from_file : {true, false}) {
    // No projection, and an output matrix from a file or edited by hand.
    Layer layer = drawn_for_shapes();
    layer.attention.projection = Projection::None;
    layer.attention.d_out = 3;
    layer.attention.num_heads = 1;
    layer.weights = {};
    if (!from_file) set_output_projection(layer, true);
    layer.attention.output_projection = true;
    layer.weights.matrix(Parameter::Output) = Matrix::Constant(3, 3, 7.0f);
    layer.weights.bias(Parameter::Output) = Matrix::Constant(1, 3, 8.0f);
    layer.weights.edited = !from_file;
    set_projection(layer, Projection::Linear);
    CHECK(same_bits(layer.weights.matrix(Parameter::Output), Matrix::Constant(3, 3, 7.0f)));
    CHECK(same_bits(layer.weights.bias(Parameter::Output), Matrix::Constant(1, 3, 8.0f)));
    for (Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value})
      CHECK((layer.weights.matrix(p).array() != 0.0f).any());
  }
}

TEST_CASE("reshape: an edited model gains an output projection that changes nothing") {
  Layer layer = edited_model();
  set_output_projection(layer, true);
  CHECK(same_bits(layer.weights.matrix(Parameter::Output), Matrix::Identity(4, 4)));
  CHECK(same_bits(layer.weights.bias(Parameter::Output), Matrix::Zero(1, 4)));
  // The matrix stays when the projection is switched off and on again.
  layer.weights.matrix(Parameter::Output)(1, 2) = 5.0f;
  const Layer before = layer;
  set_output_projection(layer, false);
  set_output_projection(layer, true);
  CHECK(same_layer(layer, before));
}

TEST_CASE("reshape: an output projection drawn last changes nothing that was drawn before it") {
  Layer layer = drawn_for_shapes();
  layer.weights.recipe->order.pop_back();
  set_output_projection(layer, true);
  CHECK(same_bits(query(layer), query(drawn_for_shapes())));
  CHECK(layer.weights.matrix(Parameter::Output).rows() == 4);
  CHECK(layer.weights.recipe->order.back() == Parameter::Output);
}

TEST_CASE("reshape: biases of nn.Linear are drawn behind their weights") {
  Layer layer = drawn_for_shapes();
  draw_weights(layer, {InitKind::Linear, 5, {Parameter::Query, Parameter::Key, Parameter::Value}});
  const Matrix without = layer.weights.matrix(Parameter::Key);
  set_qkv_bias(layer, true);
  TorchStream stream(5);
  Matrix weight(4, 3), bias(1, 4);
  fill_linear_weight(stream, weight);
  fill_linear_bias(stream, 3, bias);
  CHECK(same_bits(query(layer), weight));
  CHECK(same_bits(layer.weights.bias(Parameter::Query), bias));
  CHECK_FALSE(same_bits(layer.weights.matrix(Parameter::Key), without));
  CHECK(drawn_value_count(layer) == 3 * (12 + 4));
}

TEST_CASE("reshape: a draw completes an order that leaves a parameter out") {
  Layer layer = drawn_for_shapes();
  draw_weights(layer, {InitKind::Linear, 1, {Parameter::Value}});
  CHECK_NOTHROW(validate(layer));
  CHECK(layer.weights.recipe->order ==
        std::vector<Parameter>{Parameter::Value, Parameter::Query, Parameter::Key});
}

TEST_CASE("reshape: filling makes zeros or an identity and counts as an edit") {
  Layer layer = drawn_for_shapes();
  set_qkv_bias(layer, true);
  layer.weights.bias(Parameter::Key).setOnes();
  fill_parameter(layer, Parameter::Key, Fill::Identity);
  CHECK(same_bits(layer.weights.matrix(Parameter::Key), Matrix::Identity(3, 4)));
  CHECK(same_bits(layer.weights.bias(Parameter::Key), Matrix::Zero(1, 4)));
  CHECK(layer.weights.edited);
  fill_parameter(layer, Parameter::Key, Fill::Zeros);
  CHECK(same_bits(layer.weights.matrix(Parameter::Key), Matrix::Zero(3, 4)));
}

TEST_CASE("reshape: refused changes say what is wrong") {
  check_shape_refused([](Layer& m) { insert_token(m, 5, "x", false); }, "no position 6 (there are 4 tokens)");
  check_shape_refused([](Layer& m) { insert_token(m, -1, "x", false); }, "no position 0");
  check_shape_refused([](Layer& m) { remove_token(m, 4); }, "no position 5");
  check_shape_refused([](Layer& m) { move_token(m, 0, 4); }, "no position 5");
  check_shape_refused([](Layer& m) { move_token(m, -1, 0); }, "no position 0");
  check_shape_refused([](Layer& m) { remove_sequence(m, 2); }, "no sequence 3 (there are 2)");
  check_shape_refused([](Layer& m) { set_d_in(m, 0); }, "d_in is 0");
  check_shape_refused([](Layer& m) { set_d_out(m, 0); }, "d_out is 0");
  check_shape_refused([](Layer& m) { set_d_out(m, 5); }, "does not divide d_out 5");
  check_shape_refused([](Layer& m) { set_num_heads(m, 3); }, "num_heads 3 does not divide d_out 4");
  check_shape_refused([](Layer& m) { set_num_heads(m, 0); }, "num_heads is 0");
  check_shape_refused([](Layer& m) { fill_parameter(m, Parameter::Output, Fill::Zeros); },
                      "output is not used");
}

TEST_CASE("reshape: the last token and the last sequence stay") {
  Layer layer = drawn_for_shapes();
  for (int i = 0; i < 3; ++i)
    remove_token(layer, 0);
  remove_sequence(layer, 1);
  const Layer before = layer;
  CHECK_THROWS_WITH(remove_token(layer, 0), ContainsSubstring("last token cannot be removed"));
  CHECK_THROWS_WITH(remove_sequence(layer, 0), ContainsSubstring("last sequence cannot be removed"));
  CHECK(same_layer(layer, before));
}

TEST_CASE("reshape: weights that would not fit into memory are refused, and nothing is changed") {
  Layer layer;
  layer.tokens = {"a", "b"};
  layer.embeddings = {Matrix::Ones(2, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 2;
  layer.attention.output_projection = true;
  draw_weights(layer, {});
  const Layer before = layer;
  CHECK_THROWS_AS(set_d_out(layer, 1'000'000), Error);
  CHECK(same_layer(layer, before));
  set_output_projection(layer, false);
  set_d_out(layer, 1'000'000);
  CHECK_THROWS_AS(set_output_projection(layer, true), Error);
  CHECK_FALSE(layer.attention.output_projection);
}

TEST_CASE("reshape: every projection of a random layer is set or refused, without embeddings too") {
  Dice dice(905);
  int refused = 0;
  for (int round = 0; round < 400; ++round)
    for (const Projection projection :
         {Projection::None, Projection::Linear, Projection::Given, Projection::Weights}) {
      Layer layer = random_cross_layer(dice);
      const bool embedded = !layer.embeddings.empty();
      const Projection before = layer.attention.projection;
      try {
        set_projection(layer, projection);
        CHECK_NOTHROW(validate(layer));
        CHECK(layer.attention.projection == projection);
      } catch (const Error& error) {
        ++refused;
        CHECK_FALSE(std::string(error.hint()).empty());
        INFO(error.what());
        // Queries and keys cannot be computed from embeddings if there are neither weights nor equal widths.
        CHECK((!embedded || projection != Projection::Given || before == Projection::Weights));
      }
    }
  CHECK(refused > 0);
}
