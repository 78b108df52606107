// The stage table: names, order, shapes and dependencies.
#include "engine/layer/stage.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

StageSet set_of(std::initializer_list<Stage> stages) {
  StageSet set = 0;
  for (Stage stage : stages)
    set |= stage_bit(stage);
  return set;
}

Layer three_heads() {
  Layer layer;
  layer.tokens = {"a", "b", "c", "d", "e"};
  layer.embeddings = {Matrix::Zero(5, 4), Matrix::Zero(5, 4)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 6;
  layer.attention.num_heads = 3;
  return layer;
}

}  // namespace

TEST_CASE("stage: the names are those of the command line, in the order of computation") {
  const std::vector<std::string> expected = {
      "embeddings", "queries", "keys",   "values",  "rotated_queries", "rotated_keys", "scores", "scaled",
      "capped",     "biased",  "masked", "weights", "dropped",         "context",      "concat", "output"};
  std::vector<std::string> names;
  for (const StageInfo& info : stage_table())
    names.emplace_back(info.name);
  CHECK(names == expected);
}

TEST_CASE("stage: a name leads to its stage, any other text to none") {
  for (const StageInfo& info : stage_table()) {
    CHECK(&stage_info(info.stage) == &info);
    CHECK(stage_from_name(info.name) == info.stage);
  }
  for (const char* text : {"", "Weights", "weight", "weights ", "alpha"})
    CHECK_FALSE(stage_from_name(text).has_value());
}

TEST_CASE("stage: a stage stands behind everything it needs") {
  StageSet before = 0;
  for (const StageInfo& info : stage_table()) {
    INFO(std::string(info.name));
    CHECK((info.needs & ~before) == 0);
    CHECK((info.needs == 0) == (info.stage == Stage::Embeddings));
    CHECK((before & stage_bit(info.stage)) == 0);
    before |= stage_bit(info.stage);
  }
  CHECK(before == kAllStages);
}

TEST_CASE("stage: every stage has a symbol of its own") {
  std::set<std::string_view> symbols;
  for (const StageInfo& info : stage_table())
    symbols.insert(info.symbol);
  CHECK(symbols.size() == kStageCount);
  CHECK_FALSE(symbols.contains(""));
}

TEST_CASE("stage: what a change reaches") {
  const StageSet after_scores =
      set_of({Stage::Scaled, Stage::Capped, Stage::Biased, Stage::Masked, Stage::Weights, Stage::Dropped,
              Stage::Context, Stage::Concat, Stage::Output});
  CHECK(with_dependents(0) == 0);
  CHECK(with_dependents(stage_bit(Stage::Embeddings)) == kAllStages);
  CHECK(with_dependents(stage_bit(Stage::Queries)) ==
        (set_of({Stage::Queries, Stage::RotatedQueries, Stage::Scores}) | after_scores));
  CHECK(with_dependents(stage_bit(Stage::Keys)) ==
        (set_of({Stage::Keys, Stage::RotatedKeys, Stage::Scores}) | after_scores));
  CHECK(with_dependents(stage_bit(Stage::Values)) ==
        set_of({Stage::Values, Stage::Context, Stage::Concat, Stage::Output}));
  CHECK(with_dependents(stage_bit(Stage::Scaled)) == after_scores);
  CHECK(with_dependents(stage_bit(Stage::Masked)) ==
        (after_scores & ~set_of({Stage::Scaled, Stage::Capped, Stage::Biased})));
  CHECK(with_dependents(stage_bit(Stage::Dropped)) ==
        set_of({Stage::Dropped, Stage::Context, Stage::Concat, Stage::Output}));
  CHECK(with_dependents(stage_bit(Stage::Output)) == stage_bit(Stage::Output));
  CHECK(with_dependents(set_of({Stage::Values, Stage::Keys})) ==
        (with_dependents(stage_bit(Stage::Values)) | with_dependents(stage_bit(Stage::Keys))));
}

TEST_CASE("stage: shapes follow the model") {
  const Layer layer = three_heads();
  const auto shape = [&](Stage stage) {
    return std::pair(stage_heads(layer, stage), stage_columns(layer, stage));
  };
  CHECK(shape(Stage::Embeddings) == std::pair<Index, Index>(1, 4));
  for (Stage stage : {Stage::Queries, Stage::Keys, Stage::Values, Stage::Context})
    CHECK(shape(stage) == std::pair<Index, Index>(3, 2));
  for (Stage stage : {Stage::Scores, Stage::Scaled, Stage::Masked, Stage::Weights, Stage::Dropped}) {
    CHECK(shape(stage) == std::pair<Index, Index>(3, 5));
    CHECK(is_pair(stage));
  }
  for (Stage stage : {Stage::Concat, Stage::Output}) {
    CHECK(shape(stage) == std::pair<Index, Index>(1, 6));
    CHECK_FALSE(is_pair(stage));
  }
}
