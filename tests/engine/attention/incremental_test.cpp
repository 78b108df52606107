// After a series of edits, an evaluator equals a new one for the same layer, bit for bit.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

void check_same_stages(const Evaluator& lived, const Evaluator& fresh) {
  const Layer& layer = fresh.layer();
  REQUIRE(same_layer(lived.layer(), layer));
  for (Index b = 0; b < layer.sequence_count(); ++b) {
    for (const Stage stage : stages_in_use(layer))
      for (Index h = 0; h < stage_heads(layer, stage); ++h) {
        INFO("stage " << std::string(stage_info(stage).name) << ", sequence " << b << ", head " << h);
        REQUIRE(same_bits(lived.matrix(stage, b, h), fresh.matrix(stage, b, h)));
      }
    for (Index h = 0; h < layer.head_count(); ++h)
      REQUIRE(same_bits(lived.noise(b, h), fresh.noise(b, h)));
  }
}

CellsEdit random_cells(Dice& dice, const Layer& layer) {
  CellsEdit edit;
  edit.input.kind =
      dice.pick<InputKind>({InputKind::Embeddings, InputKind::Weight, InputKind::Bias, InputKind::Mask});
  if (layer.attention.projection == Projection::Given && dice.chance(0.4)) edit.input.kind = InputKind::Given;
  edit.input.sequence = dice.below(layer.sequence_count());
  edit.input.parameter =
      kParameters[static_cast<std::size_t>(dice.below(edit.input.kind == InputKind::Given ? 3 : 4))];
  const Matrix& target = input_matrix(layer, edit.input);
  if (target.size() == 0) return CellsEdit{{}, 0, 0, dice.matrix(1, 1)};
  edit.row = dice.below(target.rows());
  edit.column = dice.below(target.cols());
  const Index rows = dice.between(1, target.rows() - edit.row);
  const Index columns = dice.between(1, target.cols() - edit.column);
  edit.values = dice.matrix(rows, columns);
  if (edit.input.kind == InputKind::Mask) edit.values = (edit.values.array() > 0.0f).cast<float>();
  return edit;
}

using Reshape = void (*)(Dice&, Layer&);

// Every function of reshape.h. A rejected call leaves the layer unchanged.
const std::vector<Reshape> kReshapes = {
    [](Dice& d, Layer& m) { insert_token(m, d.between(0, m.token_count()), "new", d.chance(0.5)); },
    [](Dice& d, Layer& m) { remove_token(m, d.below(m.token_count())); },
    [](Dice& d, Layer& m) { move_token(m, d.below(m.token_count()), d.below(m.token_count())); },
    [](Dice&, Layer& m) {
      if (m.sequence_count() < 4) add_sequence(m);
    },
    [](Dice& d, Layer& m) { remove_sequence(m, d.below(m.sequence_count())); },
    [](Dice& d, Layer& m) { set_d_in(m, d.between(1, 6)); },
    [](Dice& d, Layer& m) { set_d_out(m, d.between(1, 12)); },
    [](Dice& d, Layer& m) { set_num_heads(m, d.between(1, 4)); },
    [](Dice& d, Layer& m) {
      set_projection(m, d.pick<Projection>(
                            {Projection::None, Projection::Linear, Projection::Linear, Projection::Given}));
    },
    [](Dice& d, Layer& m) { set_output_projection(m, d.chance(0.5)); },
    [](Dice& d, Layer& m) { set_qkv_bias(m, d.chance(0.5)); },
    [](Dice& d, Layer& m) { draw_weights(m, random_recipe(d)); },
    [](Dice& d, Layer& m) {
      fill_parameter(m, kParameters[static_cast<std::size_t>(d.below(4))],
                     d.chance(0.5) ? Fill::Zeros : Fill::Identity);
    },
};

Edit random_edit(Dice& dice, const Layer& layer) {
  const double kind = dice.real(0, 1);
  if (kind < 0.55) return random_cells(dice, layer);
  Layer changed = layer;
  if (kind < 0.8) {
    randomize_settings(dice, changed);
    return SettingsEdit{changed.attention};
  }
  try {
    dice.pick(kReshapes)(dice, changed);
  } catch (const Error&) {
    REQUIRE(same_layer(changed, layer));
  }
  return LayerEdit{std::make_shared<Layer>(changed)};
}

}  // namespace

TEST_CASE("incremental: after any edits every stage is what a fresh evaluator computes, to the bit") {
  Dice dice(11);
  for (int i = 0; i < 60; ++i) {
    INFO("model " << i);
    Evaluator evaluator(random_layer(dice));
    evaluator.refresh();
    for (int round = 0; round < 12; ++round) {
      INFO("round " << round);
      for (Index edits = dice.between(1, 4); edits > 0; --edits)
        evaluator.apply(random_edit(dice, evaluator.layer()));
      evaluator.refresh();
      REQUIRE(evaluator.fresh());
      check_same_stages(evaluator, evaluate(evaluator.layer()));
    }
  }
}

TEST_CASE("incremental: settings that change the heads or what the weights drew renew the dropout") {
  Dice dice(12);
  Layer layer = random_layer(dice);
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 6;
  layer.attention.num_heads = 3;
  layer.attention.disabled_heads.clear();
  layer.attention.output_projection = true;
  layer.attention.dropout = {0.5, true, std::nullopt};
  draw_weights(layer, {InitKind::Linear, 5, {Parameter::Query, Parameter::Key, Parameter::Value}});
  Evaluator evaluator = evaluate(layer);
  AttentionSettings settings = layer.attention;
  for (Index heads : {6, 1, 2}) {
    settings.num_heads = heads;
    evaluator.apply(SettingsEdit{settings});
    evaluator.refresh();
    check_same_stages(evaluator, evaluate(evaluator.layer()));
  }
  settings.output_projection = false;  // its draws no longer precede those of the dropout
  evaluator.apply(SettingsEdit{settings});
  evaluator.refresh();
  check_same_stages(evaluator, evaluate(evaluator.layer()));
}

TEST_CASE("incremental: a refused edit leaves the evaluator as it was, and fresh") {
  Dice dice(13);
  for (int i = 0; i < 20; ++i) {
    const Layer layer = random_layer(dice);
    Evaluator evaluator = evaluate(layer);
    AttentionSettings settings = layer.attention;
    settings.num_heads = 0;
    Layer broken = layer;
    broken.tokens.emplace_back("one too many");
    CHECK_THROWS_AS(evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Zero(1, layer.d_in() + 1)}), Error);
    CHECK_THROWS_AS(evaluator.apply(SettingsEdit{settings}), Error);
    CHECK_THROWS_AS(evaluator.apply(LayerEdit{std::make_shared<Layer>(broken)}), Error);
    CHECK(evaluator.fresh());
    check_same_stages(evaluator, evaluate(layer));
  }
}

TEST_CASE("incremental: only what an edit reaches becomes stale") {
  Dice dice(14);
  Evaluator evaluator(random_layer(dice));
  CHECK_FALSE(evaluator.fresh());
  evaluator.refresh();
  CHECK(evaluator.fresh());
  evaluator.apply(SettingsEdit{evaluator.layer().attention});  // changes nothing
  CHECK(evaluator.fresh());
  evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Ones(1, 1)});
  CHECK_FALSE(evaluator.fresh());
}

TEST_CASE("incremental: embeddings, and output without a projection, are no copies, and follow edits") {
  Dice dice(15);
  Layer layer = random_layer(dice);
  while (layer.embeddings.empty() || layer.attention.projection != Projection::Linear)
    layer = random_layer(dice);
  layer.attention.output_projection = true;
  draw_weights(layer, {InitKind::Linear, 5, {kParameters.begin(), kParameters.end()}});
  Evaluator evaluator = evaluate(layer);
  for (int round = 0; round < 6; ++round) {
    INFO("round " << round);
    AttentionSettings settings = evaluator.layer().attention;
    settings.output_projection = round % 2 == 1;
    evaluator.apply(SettingsEdit{settings});
    evaluator.refresh();
    check_same_stages(evaluator, evaluate(evaluator.layer()));
    evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Constant(1, 1, static_cast<float>(round))});
    evaluator.refresh();
    check_same_stages(evaluator, evaluate(evaluator.layer()));
    CHECK(&evaluator.matrix(Stage::Embeddings, 0, 0) == &evaluator.layer().embeddings.front());
    CHECK((&evaluator.matrix(Stage::Output, 0, 0) == &evaluator.matrix(Stage::Concat, 0, 0)) ==
          !settings.output_projection);
  }
}

TEST_CASE("incremental: queries, keys and values that are given are cut into heads, all rows of them") {
  Dice dice(16);
  const Index tokens = 150, heads = 3, width = 5;  // more rows than one task copies, with a remainder
  Layer layer;
  for (Index t = 0; t < tokens; ++t)
    layer.tokens.push_back("t" + std::to_string(t));
  layer.embeddings = {dice.matrix(tokens, heads * width)};
  layer.attention.projection = Projection::Given;
  layer.attention.d_out = heads * width;
  layer.attention.num_heads = heads;
  layer.attention.output_projection = false;
  for (std::vector<Matrix>& given : layer.given)
    given = {dice.matrix(tokens, heads * width)};
  const Evaluator evaluator = evaluate(layer);
  for (const Parameter parameter : {Parameter::Query, Parameter::Key, Parameter::Value})
    for (Index head = 0; head < heads; ++head)
      CHECK(same_bits(
          evaluator.matrix(projected_stage(parameter), 0, head),
          layer.given[static_cast<std::size_t>(parameter)].front().middleCols(head * width, width)));
}

TEST_CASE("incremental: a model that is not valid is refused at once") {
  CHECK_THROWS_AS(Evaluator(Layer{}), Error);
}
