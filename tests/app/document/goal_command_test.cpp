// Goals, settings of training and blocks of several inputs as commands: undone, merged, refused.
#include "app/document/document.h"
#include "engine/core/error.h"
#include "engine/learning/moved_goal.h"
#include "engine/learning/weight_goals.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Session layer_session() {
  Dice dice(91);
  Session session;
  session.layer.tokens = {"a", "b", "c"};
  session.layer.embeddings = {dice.matrix(3, 2)};
  session.layer.attention.projection = Projection::Linear;
  session.layer.attention.d_out = 2;
  set_random_weights(dice, session.layer);
  return session;
}

CellsEdit whole(Parameter parameter, float value) {
  return {{InputKind::Weight, 0, parameter}, 0, 0, Matrix::Constant(2, 2, value)};
}

}  // namespace

TEST_CASE("goal commands: a goal is set, undone and redone, and strokes of one gesture are one step") {
  Document document(layer_session());
  const auto first = std::make_shared<const Goal>(*pattern_goal(document.layer(), GoalPattern::Itself));
  const auto second = std::make_shared<const Goal>(*pattern_goal(document.layer(), GoalPattern::FirstToken));
  document.run(SetGoal{first});
  CHECK(document.session().goal == first);
  CHECK(document.undo_name() == "Set goal");
  document.run(SetGoal{second, 7});
  document.run(SetGoal{nullptr, 7});
  CHECK(document.session().goal == nullptr);
  document.undo();
  CHECK(document.session().goal == first);
  document.undo();
  CHECK(document.session().goal == nullptr);
  document.redo();
  CHECK(document.session().goal == first);
}

TEST_CASE("goal commands: one that does not fit the model is refused and changes nothing") {
  Document document(layer_session());
  Goal unfit = *pattern_goal(document.layer(), GoalPattern::Itself);
  unfit.target.matrices = {Matrix::Ones(9, 9)};
  check_error([&] { document.run(SetGoal{std::make_shared<const Goal>(unfit)}); }, "rows", "goal.target",
              "axes");
  TrainingSettings settings;
  settings.rate = -1;
  check_error([&] { document.run(SetTraining{settings}); }, "rate", "training.rate", "");
  CHECK_FALSE(document.can_undo());
  CHECK(document.session().goal == nullptr);
}

TEST_CASE("goal commands: blocks of one gesture are one step, which undo takes back as a whole") {
  Document document(layer_session());
  const Layer before = document.layer();
  TrainingSettings settings;
  for (int step = 1; step <= 5; ++step) {
    settings.steps = step;
    const auto value = static_cast<float>(step);
    document.run(
        SetBlocks{{whole(Parameter::Query, value), whole(Parameter::Key, -value)}, "Learn", settings, 3});
  }
  CHECK(document.unsaved_steps() == 1);
  CHECK(document.undo_name() == "Learn");
  CHECK(document.layer().weights.matrix(Parameter::Key)(1, 1) == -5);
  CHECK(document.layer().weights.edited);
  CHECK(document.session().training->steps == 5);
  document.undo();
  CHECK(same_layer(document.layer(), before));
  CHECK_FALSE(document.session().training);
  document.redo();
  CHECK(document.layer().weights.matrix(Parameter::Query)(0, 0) == 5);
  CHECK(document.session().training->steps == 5);
}

TEST_CASE("goal commands: blocks of one gesture at other places are steps of their own") {
  Document document(layer_session());
  const Layer before = document.layer();
  document.run(SetBlocks{{whole(Parameter::Query, 1), whole(Parameter::Key, 2)}, "Learn", {}, 3});
  const Layer between = document.layer();
  document.run(SetBlocks{{whole(Parameter::Query, 3), whole(Parameter::Value, 4)}, "Learn", {}, 3});
  document.run(SetBlocks{{whole(Parameter::Query, 5)}, "Learn", {}, 3});
  CHECK(document.unsaved_steps() == 3);
  document.undo();
  document.undo();
  CHECK(same_layer(document.layer(), between));
  document.undo();
  CHECK(same_layer(document.layer(), before));
}

TEST_CASE("goal commands: if one block does not fit, none is written") {
  Document document(layer_session());
  const Layer before = document.layer();
  CellsEdit outside = whole(Parameter::Value, 1);
  outside.row = 1;
  check_error(
      [&] {
        document.run(SetBlocks{{whole(Parameter::Query, 9), outside}, "Learn", {}, 0});
      },
      "does not fit", "weights.value", "smaller");
  CHECK(same_layer(document.layer(), before));
}

TEST_CASE("goal commands: a goal moves with its tokens, goes with its heads, and undo brings both back") {
  Document document(layer_session());
  const auto goal = std::make_shared<const Goal>(*pattern_goal(document.layer(), GoalPattern::PreviousToken));
  document.run(SetGoal{goal});
  document.run(InsertToken{1, "new", false});
  REQUIRE(document.session().goal);
  CHECK(target_fits(document.layer(), *document.session().goal));
  CHECK(document.session().goal->target.of(0, 0)(2, 0) == 1);
  document.undo();
  CHECK(document.session().goal == goal);
  document.redo();
  CHECK(target_fits(document.layer(), *document.session().goal));
  document.undo();
  document.run(RemoveToken{0});
  REQUIRE(document.session().goal);
  CHECK(document.session().goal->target.of(0, 0)(1, 0) == 1);
  document.undo();
  CHECK(document.session().goal == goal);
}
