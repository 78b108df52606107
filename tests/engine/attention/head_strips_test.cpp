// Stages computed from stored scores against stored stages: equal within rounding after any edits.
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/support/stage_errors.h"

using namespace headlight;
using namespace headlight_test;

namespace {

TileRequest random_tile(Dice& dice, const Layer& layer) {
  TileRequest request;
  request.stage = dice.pick<Stage>(pair_stages(layer));
  request.sequence = dice.below(layer.sequence_count());
  request.head = dice.below(layer.head_count());
  request.pooling = dice.pick<Pooling>({Pooling::Max, Pooling::AbsMax, Pooling::AbsMax, Pooling::Mean});
  request.max_rows = dice.between(1, 60);
  request.max_columns = dice.between(1, 60);
  if (dice.chance(0.5)) {
    const Index tokens = layer.token_count();
    request.row_begin = dice.below(tokens);
    request.row_end = dice.between(request.row_begin + 1, tokens);
    request.column_begin = dice.below(tokens);
    request.column_end = dice.between(request.column_begin + 1, tokens);
  }
  return request;
}

Layer model_of_heads(Dice& dice, Index heads) {
  Layer layer = softmax_model(dice, 60);
  layer.attention.num_heads = heads;
  layer.attention.d_out = 2 * heads;
  layer.attention.disabled_heads.clear();
  set_random_weights(dice, layer);
  return layer;
}

CellsEdit small_edit(Dice& dice, const Layer& layer) {
  CellsEdit edit;
  edit.input.kind = dice.pick<InputKind>({InputKind::Embeddings, InputKind::Embeddings, InputKind::Embeddings,
                                          InputKind::Weight, InputKind::Bias, InputKind::Mask});
  if (edit.input.kind == InputKind::Bias && !layer.attention.qkv_bias) edit.input.kind = InputKind::Weight;
  edit.input.sequence = dice.below(layer.sequence_count());
  edit.input.parameter = kParameters[static_cast<std::size_t>(dice.below(3))];
  const Matrix& target = input_matrix(layer, edit.input);
  edit.row = dice.below(target.rows());
  edit.column = dice.below(target.cols());
  Index rows = 1, columns = 1;
  if (dice.chance(0.3)) {
    edit.column = 0;
    columns = target.cols();
    rows = dice.between(1, std::min<Index>(3, target.rows() - edit.row));
  }
  // Some values turn every row towards a token or away from it. They stay small, because the exponential of a
  // score in the hundreds amplifies float32's rounding beyond the tolerance of these tests.
  edit.values = dice.matrix(rows, columns, dice.chance(0.1) ? 3.0 : 1.5);
  if (edit.input.kind == InputKind::Mask) edit.values = (edit.values.array() > 0.0f).cast<float>();
  return edit;
}

}  // namespace

TEST_CASE("strips: every stage is what it is when all stages are kept") {
  Dice dice(71);
  for (int round = 0; round < 60; ++round) {
    const Layer layer = softmax_model(dice, dice.between(1, 90));
    INFO("round " << round << ", " << layer.token_count() << " tokens");
    const Evaluator made = evaluate(layer, StorageKind::Scores), kept = evaluate(layer, StorageKind::Stages);
    REQUIRE(made.storage() == StorageKind::Scores);
    REQUIRE(kept.storage() == StorageKind::Stages);
    check_near(made, kept, 1e-5);
  }
}

TEST_CASE("strips: tiles, rows, heads and traces are those of the stages") {
  Dice dice(72);
  for (int round = 0; round < 120; ++round) {
    const Layer layer = softmax_model(dice, dice.between(1, 90));
    const Evaluator made = evaluate(layer, StorageKind::Scores), kept = evaluate(layer, StorageKind::Stages);
    for (int i = 0; i < 4; ++i) {
      const TileRequest request = random_tile(dice, layer);
      INFO("round " << round << ", " << std::string(stage_info(request.stage).name) << ", mask "
                    << static_cast<int>(layer.attention.mask) << ", pooling "
                    << static_cast<int>(request.pooling));
      check_near(made.tile(request), kept.tile(request), 1e-5);
    }
    const HeadSummary head = made.head({}), same = kept.head({});
    CHECK(std::abs(head.entropy_bits - same.entropy_bits) < 1e-4f);
    CHECK(head.rows == same.rows);
    CHECK(std::abs(head.mean_distance - same.mean_distance) < 1e-4f * (1 + same.mean_distance));
    CHECK(std::abs(head.first_weight - same.first_weight) < 1e-4f);
    const Index last = layer.token_count() - 1;
    const RowSummary row = made.row({Stage::Weights, 0, 0, last}),
                     same_row = kept.row({Stage::Weights, 0, 0, last});
    CHECK(row.marks == same_row.marks);
    CHECK(std::abs(row.sum - same_row.sum) < 1e-5f);
    const CellTrace trace = made.trace({Stage::Dropped, 0, 0, last, last / 2});
    const CellTrace same_trace = kept.trace({Stage::Dropped, 0, 0, last, last / 2});
    CHECK(trace.mark == same_trace.mark);
    CHECK(std::abs(trace.value - same_trace.value) < 1e-5f);
    CHECK(std::abs(trace.chain.row_sum - same_trace.chain.row_sum) <
          1e-4f * same_trace.chain.row_sum + 1e-6f);
  }
}

TEST_CASE("strips: after ten thousand edits of all kinds nothing has drifted from a new start") {
  Dice dice(73);
  for (const MaskKind mask : {MaskKind::Causal, MaskKind::Custom, MaskKind::None}) {
    Layer layer = softmax_model(dice, 100);
    layer.attention.mask = mask;
    layer.attention.scale = {};
    layer.attention.dropout = {mask == MaskKind::None ? 0.3 : 0.0, true, 5};
    Evaluator lived(layer, StorageKind::Scores);
    lived.refresh();
    double worst = 0;
    const int edits = mask == MaskKind::Causal ? 10'000 : 1'000;
    for (int edit = 1; edit <= edits; ++edit) {
      if (edit % 20 == 0) {
        AttentionSettings settings = lived.layer().attention;
        settings.dropout.seed = dice.below(9);
        settings.disabled_heads.clear();
        if (dice.chance(0.5)) settings.disabled_heads.push_back(dice.below(settings.num_heads));
        if (dice.chance(0.2)) settings.scale = {ScaleKind::Number, dice.real(0.3, 1.0)};
        lived.apply(SettingsEdit{settings});
      } else {
        lived.apply(small_edit(dice, lived.layer()));
      }
      // Several edits may be combined, and `output` may stay stale.
      if (dice.chance(0.8)) lived.refresh(dice.chance(0.5) ? kAllStages : stage_bit(Stage::Weights));
      if (edit % 199 != 0) continue;  // never right after a change of settings, which may recompute all rows
      lived.refresh();
      INFO("edit " << edit);
      REQUIRE(lived.storage() == StorageKind::Scores);
      worst = std::max(worst, check_near(lived, evaluate(lived.layer(), StorageKind::Scores), 1e-5));
    }
    CHECK(worst > 0);
  }
}

// Ten strips of 32 queries, the widest, are more than one thread processes at once. Strips are recomputed in
// turn, which would hide a fault after some edits, so each edit is checked.
TEST_CASE("strips: a moved key reaches the queries of every other strip that may attend to it") {
  Dice dice(80);
  for (const MaskKind mask : {MaskKind::Causal, MaskKind::Custom, MaskKind::None}) {
    Layer layer = softmax_model(dice, 300);
    layer.embeddings.resize(1);
    layer.attention.num_heads = 1;
    layer.attention.d_out = 3;
    layer.attention.mask = mask;
    layer.attention.scale = {};
    layer.attention.dropout = {};
    layer.attention.disabled_heads.clear();
    set_random_weights(dice, layer);
    Evaluator lived(layer, StorageKind::Scores);
    lived.refresh();
    for (const Index key : {0, 7, 8, 15, 16, 31, 32, 63, 64, 130, 255, 256, 298, 299}) {
      lived.apply(CellsEdit{{}, key, 0, dice.matrix(1, layer.d_in(), 1.5)});
      lived.refresh();
      INFO("key " << key << ", mask " << static_cast<int>(mask));
      REQUIRE(lived.storage() == StorageKind::Scores);
      const Evaluator anew = evaluate(lived.layer(), StorageKind::Scores);
      for (const Stage stage : {Stage::Scores, Stage::Weights, Stage::Context})
        REQUIRE(error_of(lived.matrix(stage, 0, 0), anew.matrix(stage, 0, 0)) < 1e-5);
    }
  }
}

TEST_CASE("strips: tiles and summaries follow edits as if they were made anew") {
  Dice dice(79);
  for (int round = 0; round < 12; ++round) {
    Evaluator lived(softmax_model(dice, dice.between(30, 150)), StorageKind::Scores);
    lived.refresh();
    // The same few views after every edit, as in a window.
    std::vector<TileRequest> views;
    for (int i = 0; i < 5; ++i)
      views.push_back(random_tile(dice, lived.layer()));
    for (TileRequest& view : views)
      view.max_columns = dice.between(1, 8);
    for (int edit = 0; edit < 25; ++edit) {
      if (dice.chance(0.2)) {
        AttentionSettings settings = lived.layer().attention;
        settings.scale = {ScaleKind::Number, dice.real(-1.0, 1.0)};
        if (dice.chance(0.3))
          settings.mask = dice.pick<MaskKind>({MaskKind::None, MaskKind::Causal, MaskKind::Custom});
        lived.apply(SettingsEdit{settings});
      } else {
        lived.apply(small_edit(dice, lived.layer()));
      }
      if (dice.chance(0.3)) continue;  // combines several edits
      lived.refresh();
      const Evaluator anew = evaluate(lived.layer(), StorageKind::Scores);
      INFO("round " << round << ", edit " << edit);
      for (const TileRequest& view : views) {
        INFO(std::string(stage_info(view.stage).name) << ", pooling " << static_cast<int>(view.pooling));
        check_near(lived.tile(view), anew.tile(view), 1e-5);
      }
      const HeadSummary head = lived.head({}), same = anew.head({});
      CHECK(head.rows == same.rows);
      CHECK(std::abs(head.entropy_bits - same.entropy_bits) < 1e-4f);
      CHECK(std::abs(head.mean_distance - same.mean_distance) < 1e-4f * (1 + same.mean_distance));
      CHECK(std::abs(head.first_weight - same.first_weight) < 1e-4f);
    }
  }
}

TEST_CASE("strips: tokens that come and go, and other settings, lead where a new evaluator starts") {
  Dice dice(74);
  for (int round = 0; round < 15; ++round) {
    Evaluator lived(softmax_model(dice, dice.between(2, 70)), StorageKind::Scores);
    lived.refresh();
    for (int change = 0; change < 6; ++change) {
      Layer layer = lived.layer();
      const Index tokens = layer.token_count();
      if (dice.chance(0.3)) insert_token(layer, dice.between(0, tokens), "new", dice.chance(0.5));
      if (dice.chance(0.3) && tokens > 2) remove_token(layer, dice.below(tokens));
      if (dice.chance(0.6)) randomize_settings(dice, layer);
      lived.apply(LayerEdit{std::make_shared<Layer>(layer)});
      lived.refresh();
      check_near(lived, evaluate(lived.layer(), StorageKind::Stages), 1e-5);
      if (dice.chance(0.5)) {
        AttentionSettings settings = lived.layer().attention;
        settings.mask = dice.pick<MaskKind>({MaskKind::None, MaskKind::Causal, MaskKind::Custom});
        lived.apply(SettingsEdit{settings});
        lived.refresh();
        check_near(lived, evaluate(lived.layer(), StorageKind::Stages), 1e-5);
      }
    }
  }
}

TEST_CASE("strips: numbers that overflow are kept stage by stage, and scores again when they are mended") {
  Dice dice(75);
  Layer layer = softmax_model(dice, 40);
  layer.attention.mask = MaskKind::Causal;
  layer.attention.scale = {};
  Evaluator lived(layer, StorageKind::Scores);
  lived.refresh();
  REQUIRE(lived.storage() == StorageKind::Scores);
  CellsEdit edit;
  edit.row = 7;
  edit.values = Matrix::Constant(1, layer.d_in(), 3e38f);
  lived.apply(edit);
  lived.refresh();
  CHECK(lived.storage() == StorageKind::Stages);
  const Evaluator kept = evaluate(lived.layer(), StorageKind::Stages);
  for (const Stage stage : stages_in_use(layer))
    CHECK(same_numbers(lived.matrix(stage, 0, 0), kept.matrix(stage, 0, 0)));
  edit.values.setConstant(0.5f);
  lived.apply(edit);
  lived.refresh();
  CHECK(lived.storage() == StorageKind::Scores);
  check_near(lived, evaluate(lived.layer(), StorageKind::Stages), 1e-5);
}

TEST_CASE("strips: a matrix has a new version exactly when an edit reaches it") {
  Dice dice(77);
  const Layer layer = model_of_heads(dice, 3);
  Evaluator lived(layer, StorageKind::Scores);
  lived.refresh();
  const auto version = [&](Stage stage, Index head) { return lived.version(stage, 0, head); };
  const auto weights = version(Stage::Weights, 1), other = version(Stage::Weights, 0);
  const auto keys = version(Stage::Keys, 1), output = version(Stage::Output, 0);
  CellsEdit edit;
  edit.input = {InputKind::Weight, 0, Parameter::Query};
  (layer.weights.layout == WeightLayout::InOut ? edit.column : edit.row) = 2;  // of the second head
  edit.values = Matrix::Constant(1, 1, 0.7f);
  lived.apply(edit);
  lived.refresh();
  CHECK(version(Stage::Weights, 1) > weights);
  CHECK(version(Stage::Weights, 0) == other);
  CHECK(version(Stage::Keys, 1) == keys);
  CHECK(version(Stage::Output, 0) > output);
  const auto before = version(Stage::Weights, 0);
  lived.apply(CellsEdit{{}, 3, 0, Matrix::Constant(1, 1, 0.7f)});
  lived.refresh();
  CHECK(version(Stage::Weights, 0) > before);
  CHECK_THROWS_AS(version(Stage::Weights, 3), Error);
}

TEST_CASE("strips: output that nobody wished for is made when it is") {
  Dice dice(76);
  Layer layer = softmax_model(dice, 50);
  layer.attention.disabled_heads.clear();
  Evaluator lived(layer, StorageKind::Scores);
  lived.refresh();
  const Matrix before = lived.matrix(Stage::Output, 0, 0);
  CellsEdit edit;
  edit.row = 20;
  edit.values = Matrix::Constant(1, 1, 4.0f);
  lived.apply(edit);
  lived.refresh(stage_bit(Stage::Weights));
  CHECK_FALSE(lived.fresh());
  CHECK(lived.matrix(Stage::Output, 0, 0) == before);
  lived.refresh();
  CHECK(lived.fresh());
  CHECK(lived.matrix(Stage::Output, 0, 0) != before);
  check_near(lived, evaluate(lived.layer(), StorageKind::Stages), 1e-5);
}

TEST_CASE("strips: one head's weights leave the other heads' bits alone") {
  Dice dice(77);
  const Layer layer = model_of_heads(dice, 4);
  Evaluator lived(layer, StorageKind::Scores);
  lived.refresh();
  const Matrix other = lived.matrix(Stage::Weights, 0, 1), own = lived.matrix(Stage::Weights, 0, 0);
  CellsEdit edit;
  edit.input.kind = InputKind::Weight;
  edit.values = dice.matrix(1, 1, 5.0);
  lived.apply(edit);
  lived.refresh();
  CHECK(lived.matrix(Stage::Weights, 0, 1) == other);
  CHECK(lived.matrix(Stage::Weights, 0, 0) != own);
}

TEST_CASE("strips: weights that nothing is projected with change no stage") {
  Dice dice(78);
  Layer layer = softmax_model(dice, 180);
  layer.embeddings = {dice.matrix(400, 2)};
  layer.tokens.assign(400, "t");
  layer.custom_mask.resize(0, 0);
  layer.attention.mask = MaskKind::None;
  layer.attention.projection = Projection::None;
  layer.attention.output_projection = layer.attention.qkv_bias = false;
  layer.attention.num_heads = 1;
  layer.attention.d_out = 2;
  layer.attention.disabled_heads.clear();
  layer.weights = {};
  layer.weights.matrix(Parameter::Query) = dice.matrix(2, 2);
  Evaluator lived(layer, StorageKind::Scores);
  lived.refresh();
  CellsEdit edit;
  edit.input.kind = InputKind::Weight;
  edit.values = Matrix::Constant(1, 1, 7.0f);
  lived.apply(edit);
  lived.refresh();
  check_near(lived, evaluate(lived.layer(), StorageKind::Stages), 1e-5);
}

namespace {

// A layer that strips support: keys of other tokens, groups, rotary positions, windows, caches and padding.
Layer pipeline_layer(Dice& dice) {
  Layer layer = random_cross_layer(dice);
  while (layer.attention.projection != Projection::Linear)
    layer = random_cross_layer(dice);
  const Index queries = dice.between(1, 90), keys = dice.chance(0.3) ? queries : dice.between(1, 120);
  layer.tokens.assign(static_cast<std::size_t>(queries), "q");
  layer.key_tokens.assign(static_cast<std::size_t>(keys), "k");
  for (Matrix& x : layer.embeddings)
    x = dice.matrix(queries, layer.d_in());
  layer.key_embeddings.clear();
  for (std::size_t b = 0; b < layer.embeddings.size(); ++b)
    layer.key_embeddings.push_back(dice.matrix(keys, layer.d_in()));
  set_random_weights(dice, layer);
  layer.score_bias = {};
  layer.allowed = {};
  AttentionSettings& a = layer.attention;
  a.normalization = Normalization::Softmax;
  a.softcap = 0;
  if (a.position.kind == PositionKind::Alibi) a.position = {};
  layer.custom_mask = dice.mask(queries, keys);
  a.rules = {};  // the random layer's rules may refer to more keys than there are
  if (dice.chance(0.7)) {
    a.mask = MaskKind::Rules;
    a.rules.causal = dice.chance(0.5);
    if (dice.chance(0.6)) a.rules.left = dice.between(0, 60);
    if (dice.chance(0.4)) a.rules.right = dice.between(0, 60);
    for (Index b = 0; b < layer.sequence_count(); ++b)
      a.rules.offsets.push_back(dice.between(-40, keys));
    if (dice.chance(0.3))
      for (Index b = 0; b < layer.sequence_count(); ++b)
        a.rules.keys.push_back(dice.between(0, keys));
  }
  return layer;
}

}  // namespace

TEST_CASE("strips: layers with windows, caches, groups and keys of other tokens are as with whole stages") {
  Dice dice(1414);
  for (int round = 0; round < 150; ++round) {
    const Layer layer = pipeline_layer(dice);
    INFO("round " << round << ", " << layer.token_count() << " x " << layer.key_count() << ", mask "
                  << static_cast<int>(layer.attention.mask));
    Evaluator strips(layer, StorageKind::Scores);
    strips.refresh();
    REQUIRE(strips.storage() == StorageKind::Scores);
    const Evaluator kept = evaluate(layer, StorageKind::Stages);
    check_near(strips, kept, 1e-4);
    for (int i = 0; i < 12; ++i) {
      TileRequest request;
      request.stage = dice.pick<Stage>(pair_stages(layer));
      request.sequence = dice.below(layer.sequence_count());
      request.head = dice.below(layer.head_count());
      request.max_rows = dice.between(1, 20);
      request.max_columns = dice.between(1, 20);
      request.pooling = dice.pick<Pooling>({Pooling::Max, Pooling::AbsMax, Pooling::Mean});
      INFO(stage_info(request.stage).name << " by " << static_cast<int>(request.pooling));
      check_near(strips.tile(request), kept.tile(request), 2e-5);
    }
    const HeadRequest head = {0, dice.below(layer.head_count())};
    CHECK(std::abs(strips.head(head).entropy_bits - kept.head(head).entropy_bits) < 1e-4f);
    CHECK(std::abs(strips.head(head).mean_distance - kept.head(head).mean_distance) < 1e-3f);
    CHECK(std::abs(strips.head(head).first_weight - kept.head(head).first_weight) < 1e-5f);
  }
}

TEST_CASE("strips: a window and groups follow edits of embeddings, weights and the mask") {
  Dice dice(1415);
  for (int round = 0; round < 40; ++round) {
    INFO("round " << round);
    Layer layer = pipeline_layer(dice);
    const Index tokens = dice.between(20, 120);
    layer.tokens.assign(static_cast<std::size_t>(tokens), "t");
    layer.key_tokens.clear();
    layer.key_embeddings.clear();
    for (Matrix& x : layer.embeddings)
      x = dice.matrix(tokens, layer.d_in());
    set_random_weights(dice, layer);
    layer.custom_mask = dice.mask(tokens);
    layer.attention.rules.keys.clear();
    Evaluator lived(layer, StorageKind::Scores);
    lived.refresh();
    for (int edit = 0; edit < 6; ++edit) {
      CellsEdit cells;
      cells.input.kind = dice.chance(0.7) ? InputKind::Embeddings : InputKind::Weight;
      cells.input.parameter = kParameters[static_cast<std::size_t>(dice.below(3))];
      const Matrix& target = input_matrix(lived.layer(), cells.input);
      cells.row = dice.below(target.rows());
      cells.column = dice.below(target.cols());
      cells.values = dice.matrix(1, 1, 2.0);
      lived.apply(cells);
      if (dice.chance(0.2)) {
        AttentionSettings settings = lived.layer().attention;
        settings.rules.left = dice.between(0, 40);
        lived.apply(SettingsEdit{settings});
      }
      lived.refresh();
      REQUIRE(lived.storage() == StorageKind::Scores);
      check_near(lived, evaluate(lived.layer(), StorageKind::Stages), 2e-5);
    }
  }
}
