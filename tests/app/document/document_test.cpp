// The document: every command and its undo, steps, the saved point, and the edits that it passes on.
#include "app/document/document.h"

#include <new>
#include <string>
#include <variant>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/layer/reshape.h"
#include "engine/learning/weight_goals.h"
#include "tests/support/catch.h"
#include "tests/support/not_finite.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Three tokens of width 3, two sequences, two heads over d_out 4; drawn weights, not edited.
Session session() {
  Session result;
  result.title = "Title";
  result.notes = "Notes";
  Layer& layer = result.layer;
  layer.tokens = {"a", "b", "c"};
  Dice dice(71);
  layer.embeddings = {dice.matrix(3, 3), dice.matrix(3, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.qkv_bias = true;
  layer.attention.mask = MaskKind::Custom;
  layer.custom_mask = Matrix::Ones(3, 3);
  draw_weights(layer, {InitKind::Linear, 42, {kParameters.begin(), kParameters.end()}});
  return result;
}

bool same_goal(const Session& a, const Session& b) {
  return a.goal == b.goal || (a.goal && b.goal && *a.goal == *b.goal);
}

bool same_session(const Session& a, const Session& b) {
  return same_goal(a, b) && a.training == b.training && a.title == b.title && a.notes == b.notes &&
         same_layer(a.layer, b.layer);
}

const InputId kQuery = {InputKind::Weight, 0, Parameter::Query};
const InputId kKeyBias = {InputKind::Bias, 0, Parameter::Key};
const InputId kMask = {InputKind::Mask, 0, Parameter::Query};
const InputId kSecondSequence = {InputKind::Embeddings, 1, Parameter::Query};

Matrix one(float value) {
  return Matrix::Constant(1, 1, value);
}

SetCells cell(const InputId& input, Index row, Index column, float value, std::uint64_t gesture = 0) {
  return {input, row, column, one(value), gesture};
}

SetAttention changed_settings() {
  SetAttention command{session().layer.attention};
  command.attention.mask = MaskKind::Causal;
  command.attention.scale = {ScaleKind::Number, 0.3};
  command.attention.normalization = Normalization::Sum;
  command.attention.dropout = {0.5, true, 123};
  return command;
}

TrainingSettings adam() {
  TrainingSettings settings;
  settings.optimizer = OptimizerKind::Adam;
  return settings;
}

struct Named {
  Command command;
  std::string name;
};

Layer other_text() {
  Layer model = session().layer;
  remove_token(model, 1);
  return model;
}

// Commands of every kind, each of which changes `session()`, with the name of its step.
std::vector<Named> every_command() {
  return {
      {cell({}, 0, 1, 9.0f), "Edit embedding"},
      {SetCells{kSecondSequence, 1, 0, Matrix::Constant(2, 3, 0.25f)}, "Edit embedding"},
      {cell(kQuery, 3, 2, -1.0f), "Edit W_query"},
      {cell(kKeyBias, 0, 3, 2.0f), "Edit key bias"},
      {cell(kMask, 2, 0, 0.0f), "Edit mask"},
      {changed_settings(), "Change settings"},
      {SetBlocks{{{kQuery, 0, 0, Matrix::Ones(1, 2)}, {{}, 1, 1, Matrix::Ones(1, 1)}}, "Learn", {}, 0},
       "Learn"},
      {SetGoal{std::make_shared<const Goal>(*pattern_goal(session().layer, GoalPattern::FirstToken))},
       "Set goal"},
      {SetTraining{adam()}, "Change training"},
      {RenameToken{1, "begins"}, "Rename token"},
      {InsertToken{1, "new", true}, "Insert token"},
      {RemoveToken{0}, "Remove token"},
      {MoveToken{0, 2}, "Move token"},
      {ReplaceTokens{{"x", "y"}, Matrix::Ones(2, 3)}, "Tokens from text"},
      {ChangeLines{{LineKind::Token, LineChange::Duplicate, 0, 2, 0}}, "Duplicate 2 tokens"},
      {ChangeLines{{LineKind::Input, LineChange::Move, 0, 1, 2}}, "Move dimension"},
      {ChangeLines{{LineKind::Output, LineChange::Remove, 0, 2, 0}}, "Remove 2 output dimensions"},
      {PasteGrowing{{}, 2, 2, Matrix::Ones(2, 2)}, "Paste into embedding"},
      {AddSequence{}, "Add sequence"},
      {RemoveSequence{0}, "Remove sequence"},
      {SetDIn{5}, "Change d_in"},
      {SetDOut{6}, "Change d_out"},
      {SetNumHeads{4}, "Change heads"},
      {SetProjection{Projection::None}, "Change projection"},
      {SetOutputProjection{true}, "Change output projection"},
      {SetQkvBias{false}, "Change bias"},
      {DrawWeights{{InitKind::Rand, 7, {kParameters.begin(), kParameters.end()}}}, "Draw weights"},
      {FillParameter{Parameter::Value, Fill::Identity}, "Fill W_value"},
      {SetTitle{"Another", "New notes"}, "Change title"},
      {SetOpenModel{nullptr, std::make_shared<const Layer>(other_text()), "Text"}, "Text"},
  };
}

std::vector<Command> bad_commands() {
  SetAttention three_heads{session().layer.attention};
  three_heads.attention.num_heads = 3;
  return {
      cell({}, 3, 0, 1.0f),
      cell({}, -1, 0, 1.0f),
      cell({InputKind::Embeddings, 2, Parameter::Query}, 0, 0, 1.0f),
      cell(kQuery, 0, 0, kNan),
      cell(kMask, 0, 0, 0.5f),
      three_heads,
      RenameToken{3, "x"},
      EditOpenModel{ShowLayer{1}, "Another layer"},
      RenameToken{-1, "x"},
      InsertToken{4, "x", false},
      RemoveToken{3},
      MoveToken{0, 3},
      ReplaceTokens{{}, Matrix()},
      ChangeLines{{LineKind::Output, LineChange::Insert, 0, 1, 0}},
      ChangeLines{{LineKind::Token, LineChange::Remove, 0, 3, 0}},
      PasteGrowing{kKeyBias, 0, 3, Matrix::Ones(1, 2)},
      PasteGrowing{{}, 0, 0, Matrix::Constant(1, 1, kNan)},
      RemoveSequence{2},
      SetDIn{0},
      SetDOut{5},
      SetNumHeads{3},
      FillParameter{Parameter::Output, Fill::Zeros},
  };
}

}  // namespace

TEST_CASE("document: every command can be undone and done again, to the last bit") {
  // EditOpenModel, TakeLayer, GiveUpLayer and LeaveModel need an open model: see model_command_test.cpp,
  // layer_in_model_test.cpp.
  REQUIRE(every_command().size() >= std::variant_size_v<Command> - 4);
  for (const Named& named : every_command()) {
    INFO(named.name);
    Document document(session());
    document.run(named.command);
    const Session after = document.session();
    CHECK_FALSE(same_session(after, session()));
    CHECK_NOTHROW(validate(after.layer));
    CHECK(command_name(named.command) == named.name);
    CHECK(document.undo_name() == named.name);
    CHECK_FALSE(document.can_redo());
    for (int round = 0; round < 2; ++round) {
      document.undo();
      CHECK(same_session(document.session(), session()));
      CHECK_FALSE(document.can_undo());
      CHECK(document.redo_name() == named.name);
      document.redo();
      CHECK(same_session(document.session(), after));
    }
  }
}

TEST_CASE("document: a long way there is a long way back, through every state") {
  Dice dice(72);
  for (int walk = 0; walk < 10; ++walk) {
    Document document(session());
    std::vector<Session> states = {session()};
    const std::vector<Named> commands = every_command();
    while (states.size() < 40) {
      try {
        document.run(dice.pick(commands).command);
        states.push_back(document.session());
      } catch (const Error&) {  // the command no longer fits the shapes
        REQUIRE(same_session(document.session(), states.back()));
      }
    }
    for (std::size_t i = states.size() - 1; i > 0; --i) {
      document.undo();
      REQUIRE(same_session(document.session(), states[i - 1]));
    }
    for (std::size_t i = 1; i < states.size(); ++i) {
      document.redo();
      REQUIRE(same_session(document.session(), states[i]));
    }
  }
}

TEST_CASE("document: a command that fails changes nothing and leaves no step") {
  for (const Command& command : bad_commands()) {
    INFO(command_name(command));
    int passed_on = 0;
    Document document(session(), [&](const Edit&, std::uint64_t) { ++passed_on; });
    CHECK_THROWS_AS(document.run(command), Error);
    CHECK(same_session(document.session(), session()));
    CHECK(document.revision() == 1);
    CHECK(passed_on == 0);
    CHECK_FALSE(document.can_undo());
    CHECK(document.saved());
  }
}

TEST_CASE("document: a command that fails keeps what could be done again") {
  Document document(session());
  document.run(SetDIn{4});
  document.undo();
  for (const Command& command : bad_commands())
    CHECK_THROWS_AS(document.run(command), Error);
  CHECK(document.redo_name() == "Change d_in");
}

TEST_CASE("document: a new command forgets what was undone") {
  Document document(session());
  document.run(SetDIn{4});
  document.undo();
  document.run(AddSequence{});
  CHECK_FALSE(document.can_redo());
  CHECK(document.undo_name() == "Add sequence");
}

TEST_CASE("document: with nothing to undo or redo both do nothing") {
  Document document(session());
  document.undo();
  document.redo();
  CHECK(document.revision() == 1);
  CHECK(same_session(document.session(), session()));
}

TEST_CASE("document: one gesture is one step") {
  Document document(session());
  for (int step = 1; step <= 20; ++step)
    document.run(cell({}, 0, 0, static_cast<float>(step), 5));
  CHECK(document.layer().embeddings[0](0, 0) == 20.0f);
  CHECK(document.revision() == 21);
  document.undo();
  CHECK(same_session(document.session(), session()));
  CHECK_FALSE(document.can_undo());
  document.redo();
  CHECK(document.layer().embeddings[0](0, 0) == 20.0f);
}

TEST_CASE("document: settings dragged in one gesture are one step") {
  Document document(session());
  SetAttention command{session().layer.attention, 8};
  for (int step = 1; step <= 10; ++step) {
    command.attention.dropout.probability = step / 20.0;
    document.run(command);
  }
  document.undo();
  CHECK(same_session(document.session(), session()));
  CHECK_FALSE(document.can_undo());
}

TEST_CASE("document: other gestures, other cells and other kinds are steps of their own") {
  Document document(session());
  document.run(cell({}, 0, 0, 1.0f, 5));
  document.run(cell({}, 0, 0, 2.0f, 6));                        // another gesture
  document.run(cell({}, 0, 1, 3.0f, 6));                        // another cell
  document.run(cell(kSecondSequence, 0, 1, 4.0f, 6));           // another matrix
  document.run(SetAttention{changed_settings().attention, 6});  // another kind
  document.run(cell({}, 2, 2, 5.0f));                           // no gesture
  document.run(cell({}, 2, 2, 6.0f));
  int steps = 0;
  for (; document.can_undo(); ++steps)
    document.undo();
  CHECK(steps == 7);
  CHECK(same_session(document.session(), session()));
}

TEST_CASE("document: a gesture that goes on after an undo starts a step of its own") {
  Document document(session());
  document.run(cell({}, 0, 0, 1.0f, 5));
  document.run(cell({}, 0, 0, 2.0f, 5));
  document.undo();
  document.run(cell({}, 0, 0, 3.0f, 5));
  CHECK_FALSE(document.can_redo());
  document.undo();
  CHECK(same_session(document.session(), session()));
}

TEST_CASE("document: undoing the edit of a weight makes drawn weights drawn again") {
  for (const Command& command : {Command(cell(kQuery, 0, 0, 5.0f, 3)), Command(cell(kKeyBias, 0, 0, 5.0f)),
                                 Command(FillParameter{Parameter::Key, Fill::Zeros})}) {
    Document document(session());
    document.run(command);
    document.run(command);
    CHECK(document.layer().weights.edited);
    while (document.can_undo())
      document.undo();
    CHECK_FALSE(document.layer().weights.edited);
    document.redo();
    CHECK(document.layer().weights.edited);
    document.undo();
    document.run(SetDIn{4});  // draws the weights again: the new column is not zeros
    CHECK((document.layer().weights.matrix(Parameter::Query).col(3).array() != 0.0f).all());
  }
}

TEST_CASE("document: what it passes on keeps an evaluator at the same numbers") {
  Dice dice(73);
  Evaluator evaluator(session().layer);
  std::uint64_t last = 1;
  Document document(session(), [&](const Edit& edit, std::uint64_t revision) {
    CHECK(revision == last + 1);
    last = revision;
    evaluator.apply(edit);
  });
  const std::vector<Named> commands = every_command();
  for (int i = 0; i < 300; ++i) {
    INFO("step " << i);
    try {
      if (dice.chance(0.3))
        document.undo();
      else if (dice.chance(0.2))
        document.redo();
      else
        document.run(dice.pick(commands).command);
    } catch (const Error&) {
    }
    REQUIRE(document.revision() == last);
    if (i % 10 != 9) continue;
    evaluator.refresh();
    const Evaluator fresh = evaluate(document.layer());
    for (Index b = 0; b < document.layer().sequence_count(); ++b)
      REQUIRE(same_numbers(evaluator.matrix(Stage::Output, b, 0), fresh.matrix(Stage::Output, b, 0)));
  }
}

TEST_CASE("document: a new label is a revision that the engine answers, too") {
  std::vector<std::uint64_t> revisions;
  Document document(session(), [&](const Edit&, std::uint64_t revision) { revisions.push_back(revision); });
  document.run(RenameToken{0, "Your"});
  document.run(SetTitle{"t", "n"});
  document.undo();
  CHECK(revisions == std::vector<std::uint64_t>{2, 3, 4});
  CHECK(document.layer().tokens[0] == "Your");
  CHECK(document.session().title == "Title");
}

TEST_CASE("document: a session that is not valid is refused, and the open one stays") {
  Session broken = session();
  broken.layer.embeddings[0](0, 0) = kNan;
  CHECK_THROWS_AS(Document(broken), Error);
  Document document(session());
  document.run(SetDIn{4});
  const Session before = document.session();
  CHECK_THROWS_AS(document.replace(broken, "other.headlight"), Error);
  CHECK(same_session(document.session(), before));
  CHECK_FALSE(document.path().has_value());
  CHECK(document.can_undo());
  CHECK(document.revision() == 2);
}

TEST_CASE("document: another session comes with no history and one edit that holds all of it") {
  std::vector<Edit> passed_on;
  Document document(session(), [&](const Edit& edit, std::uint64_t) { passed_on.push_back(edit); });
  document.run(SetDIn{4});
  Session other = session();
  other.layer.tokens[0] = "other";
  document.replace(other, "other.headlight");
  CHECK(same_session(document.session(), other));
  CHECK((document.path() == "other.headlight"));
  CHECK(document.saved());
  CHECK_FALSE(document.can_undo());
  REQUIRE(passed_on.size() == 2);
  const auto* whole = std::get_if<LayerEdit>(&passed_on[1]);
  REQUIRE(whole);
  CHECK(same_layer(*whole->layer, other.layer));
  CHECK(document.revision() == 3);
}

TEST_CASE("document: what cannot be passed on has not happened") {
  bool fails = false;
  const auto pass_on = [&](const Edit&, std::uint64_t) {
    if (fails) throw std::bad_alloc();
  };
  for (const Named& named : every_command()) {
    INFO(named.name);
    Document document(session(), pass_on);
    int watched = 0;
    document.set_change_listener([&](Change) { ++watched; });
    const auto check_nothing_happens = [&](const auto& step) {
      const Session before = document.session();
      const std::uint64_t revision = document.revision(), opening = document.opening();
      const std::string undo = document.undo_name(), redo = document.redo_name();
      const bool edited = before.layer.weights.edited;
      watched = 0;
      fails = true;
      CHECK_THROWS_AS(step(), std::bad_alloc);
      fails = false;
      CHECK(same_session(document.session(), before));
      CHECK(document.layer().weights.edited == edited);
      CHECK(document.revision() == revision);
      CHECK(document.opening() == opening);
      CHECK(document.undo_name() == undo);
      CHECK(document.redo_name() == redo);
      CHECK(watched == 0);
      CHECK_FALSE(document.path());
    };
    check_nothing_happens([&] { document.run(named.command); });
    document.run(named.command);
    const Session after = document.session();
    check_nothing_happens([&] { document.undo(); });
    check_nothing_happens([&] { document.replace(session(), "x.headlight"); });
    document.undo();
    CHECK(same_session(document.session(), session()));
    check_nothing_happens([&] { document.redo(); });
    document.redo();
    CHECK(same_session(document.session(), after));
  }
}

TEST_CASE(
    "document: an opened session is one copy for all that follow its changes, until the first of them") {
  std::shared_ptr<const Layer> passed_on;
  Document document(session(), [&](const Edit& edit, std::uint64_t) {
    if (const auto* whole = std::get_if<LayerEdit>(&edit)) passed_on = whole->layer;
  });
  const std::shared_ptr<const Session> first = document.unchanged();
  CHECK(first == document.unchanged());
  CHECK(same_session(*first, document.session()));
  document.replace(session(), std::nullopt);
  const std::shared_ptr<const Session> opened = document.take_unchanged();
  CHECK(passed_on.get() == &opened->layer);

  document.unchanged();
  document.run(SetCells{{}, 0, 0, Matrix::Constant(1, 1, 5.0f)});
  CHECK(opened->layer.embeddings[0](0, 0) != 5.0f);
  CHECK(document.take_unchanged()->layer.embeddings[0](0, 0) == 5.0f);
}
