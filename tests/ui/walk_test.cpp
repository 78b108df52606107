// "Step through": one forward pass in steps.
#include "app/ui/lesson/walk.h"

#include <algorithm>

#include "engine/attention/evaluator.h"
#include "engine/session/lesson_text.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;

namespace {

std::vector<Stage> stages_of(const std::vector<LessonStep>& steps) {
  std::vector<Stage> stages;
  for (const LessonStep& step : steps)
    stages.push_back(step.stage);
  return stages;
}

std::string text_at(const std::vector<LessonStep>& steps, Stage stage) {
  for (const LessonStep& step : steps)
    if (step.stage == stage) return step.text.written();
  return "";
}

std::vector<LessonStep> walk_of(const Layer& layer, Index row = 1) {
  WalkQuery query;
  query.row = row;
  return walk_steps(layer, query, {});
}

}  // namespace

TEST_CASE("walk: every stage that does something has a step, in their order") {
  using enum Stage;
  const Layer full = lesson_session("22-two-heads-with-dropout").layer;
  Layer wide = lesson_session("21-two-heads-of-two").layer;
  wide.attention.dropout.probability = 0.5;
  CHECK(stages_of(walk_of(wide)) == std::vector<Stage>{Embeddings, Queries, Keys, Values, Scores, Scaled,
                                                       Masked, Weights, Dropped, Context, Concat, Output});
  CHECK(stages_of(walk_of(full)) == std::vector<Stage>{Embeddings, Queries, Keys, Values, Scores, Masked,
                                                       Weights, Dropped, Context, Concat, Output});
  CHECK(stages_of(walk_of(lesson_session("04-softmax-and-context").layer)) ==
        std::vector<Stage>{Embeddings, Scores, Weights, Context, Output});
}

TEST_CASE("walk: stages that do nothing are left out with a word about it") {
  const std::vector<LessonStep> plain = walk_of(lesson_session("04-softmax-and-context").layer);
  CHECK(text_at(plain, Stage::Scores).find("Without a projection") == 0);
  CHECK(text_at(plain, Stage::Weights).find("The scale is none") == 0);
  CHECK(text_at(plain, Stage::Weights).find("no mask") != std::string::npos);
  CHECK(text_at(plain, Stage::Context).find("There is no dropout") == 0);
  CHECK(text_at(plain, Stage::Output).find("With one head") == 0);
  CHECK(text_at(plain, Stage::Output).find("Without an output projection") != std::string::npos);
  CHECK(text_at(walk_of(lesson_session("20-two-heads").layer), Stage::Masked).find("1/√dₖ is 1") !=
        std::string::npos);
  Layer evaluation = lesson_session("18-dropout-after-the-weights").layer;
  evaluation.attention.dropout.training = false;
  CHECK(text_at(walk_of(evaluation), Stage::Context).find("In evaluation") == 0);
}

TEST_CASE("walk: the query of the selected cell, and a key that it may look at") {
  const Layer layer = lesson_session("21-two-heads-of-two").layer;
  const WalkQuery pair = walk_query(layer, CellAddress{Stage::Weights, 0, 1, 4, 2}, std::nullopt, 0);
  CHECK(pair.row == 4);
  CHECK(pair.column == 2);
  CHECK(pair.head == 1);
  const WalkQuery masked = walk_query(layer, CellAddress{Stage::Scores, 0, 0, 1, 5}, std::nullopt, 0);
  CHECK(masked.row == 1);
  CHECK(masked.column == 0);
  const WalkQuery none = walk_query(layer, std::nullopt, 1, 0);
  CHECK(none.row == 5);
  CHECK(none.head == 1);
  const WalkQuery gone = walk_query(layer, CellAddress{Stage::Scores, 0, 0, 99, 0}, std::nullopt, 0);
  CHECK(gone.row == 5);
}

TEST_CASE("walk: in random models every quote exists and every cell is there") {
  headlight_test::Dice dice(20240);
  for (int round = 0; round < 60; ++round) {
    const Layer layer =
        round % 2 == 0 ? headlight_test::random_layer(dice) : headlight_test::random_cross_layer(dice);
    const Evaluator pass = evaluate(layer);
    for (Index row = 0; row < layer.token_count(); ++row) {
      WalkQuery query =
          walk_query(layer, CellAddress{Stage::Weights, 0, layer.head_count() - 1, row, 0}, std::nullopt, 0);
      const std::vector<LessonStep> steps = walk_steps(layer, query, {});
      // Given weights without values end with the weights, or with dropout if it is in use.
      CHECK((steps.back().stage == stages_in_use(layer).back() || !stage_exists(layer, Stage::Context)));
      for (const LessonStep& step : steps) {
        INFO(step.title << ": " << step.text.written());
        REQUIRE(step.selected);
        CHECK(address_exists(
            layer, {step.stage, step.sequence, step.first_head(), (*step.selected)[0], (*step.selected)[1]}));
        for (const TextReference& quote : references_of(step.text.pieces()))
          CHECK(reference_exists(quote, layer));
      }
    }
  }
}

TEST_CASE("walk: a query that may look at nothing is told as it is") {
  Layer layer = lesson_session("04-softmax-and-context").layer;
  layer.attention.mask = MaskKind::Custom;
  layer.custom_mask = Matrix::Ones(6, 6);
  layer.custom_mask.row(1).setZero();
  const std::vector<LessonStep> steps = walk_of(layer, 1);
  CHECK(text_at(steps, Stage::Masked).find("may look at 0 of") != std::string::npos);
  CHECK(text_at(steps, Stage::Weights).find("may look at nothing") != std::string::npos);
}

TEST_CASE("walk: a step that speaks of weights brings their grid to the front") {
  const std::vector<LessonStep> steps = walk_of(lesson_session("20-two-heads").layer);
  for (const LessonStep& step : steps) {
    const bool projected = step.stage == Stage::Queries || step.stage == Stage::Keys ||
                           step.stage == Stage::Values || step.stage == Stage::Output;
    INFO(stage_info(step.stage).name);
    CHECK(step.weight.has_value() == projected);
    if (step.weight) CHECK(projected_stage(*step.weight) == step.stage);
  }
  for (const LessonStep& step : walk_of(lesson_session("04-softmax-and-context").layer))
    CHECK_FALSE(step.weight);
}

TEST_CASE(
    "walk: a selected key of other tokens is the key, and shared heads of keys lead to a head of queries") {
  headlight_test::Dice dice(20241);
  int seen = 0;
  while (seen < 20) {
    const Layer layer = headlight_test::random_cross_layer(dice);
    if (layer.self_attention() || layer.kv_head_count() < 2 || !stage_exists(layer, Stage::Keys)) continue;
    ++seen;
    const Index head = layer.kv_head_count() - 1, key = layer.key_count() - 1;
    const WalkQuery query = walk_query(layer, CellAddress{Stage::Keys, 0, head, key, 0}, std::nullopt, 0);
    CHECK(query.row == layer.token_count() - 1);
    CHECK(layer.kv_head_of(query.head) == head);
    if (layer.may_attend(query.row, key, 0, query.head)) CHECK(query.column == key);
    const std::vector<LessonStep> steps = walk_steps(layer, query, {});
    CHECK_THAT(text_at(steps, Stage::Keys),
               headlight_test::ContainsSubstring(layer.key_tokens[static_cast<std::size_t>(query.column)]));
  }
}
