// A layer of a whole model takes every edit as the same layer by itself does; the model has it then, and undo
// gives both back.
#include <algorithm>

#include "app/document/document.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/catch.h"
#include "tests/support/layer_settings.h"
#include "tests/support/random_models.h"
#include "tests/support/thinned.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Session session_in(const std::string& family, LayerPlace place) {
  NetworkPass pass = golden_pass(family);
  OpenModel work;
  work.network = pass.network_owner();
  work.ids = pass.ids();
  work.layer = place;
  Session session;
  session.layer = layer_at(pass, place);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

Session alone(Session session) {
  session.work = nullptr;
  return session;
}

Layer layer_in(const OpenModel& work) {
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  return layer_at(pass, work.layer);
}

Command random_cells(Dice& dice, const Layer& layer, InputId input) {
  const Matrix& matrix = input_matrix(layer, input);
  const Index row = dice.below(matrix.rows()), column = dice.below(matrix.cols());
  const Index rows = dice.between(1, std::min<Index>(3, matrix.rows() - row)),
              columns = dice.between(1, std::min<Index>(3, matrix.cols() - column));
  return SetCells{input, row, column, dice.matrix(rows, columns)};
}

Command random_setting(Dice& dice, const Layer& layer) {
  const std::vector<SettingCase> cases = setting_cases(layer, layer.token_count(), layer.key_count());
  Layer edited = layer;
  put_settings(dice.pick(cases).settings, edited);
  return ReplaceLayer{std::make_shared<const Layer>(std::move(edited)), "Setting"};
}

Command random_command(Dice& dice, const Layer& layer) {
  const bool given = layer.attention.projection == Projection::Given;
  const Parameter parameter =
      given ? Parameter::Output : kParameters[static_cast<std::size_t>(dice.below(4))];
  AttentionSettings settings = layer.attention;
  switch (dice.below(given ? 6 : 7)) {
    case 0:
      return random_cells(dice, layer, {InputKind::Weight, 0, parameter});
    case 1:
      if (!layer.uses_bias(parameter)) return SetTitle{"Another", ""};
      return random_cells(dice, layer, {InputKind::Bias, 0, parameter});
    case 2:
      settings.disabled_heads = {dice.below(layer.head_count())};
      return SetAttention{settings};
    case 3:
      return SetMask{MaskKind::Custom, dice.mask(layer.token_count())};
    case 4:
      return FillParameter{parameter, Fill::Zeros};
    case 5:
      return random_setting(dice, layer);
    default:
      return random_cells(dice, layer, {InputKind::Embeddings});
  }
}

// Each stage within the rounding of another order of sums.
void check_same_layer(const Layer& in_model, const Layer& by_itself) {
  const Evaluator a = evaluate(in_model), b = evaluate(by_itself);
  for (Index head = 0; head < by_itself.head_count(); ++head)
    for (const Stage stage : {Stage::Weights, Stage::Context}) {
      const Matrix expected = b.matrix(stage, 0, head);
      CHECK(headlight_test::largest_difference(a.matrix(stage, 0, head), expected) <=
            kRounding * std::max(1.0f, expected.cwiseAbs().maxCoeff()));
    }
}

std::string why(Document& document, const Command& command) {
  try {
    document.run(command);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("layer in a model: random edits change it as they change it by itself, and undo gives all back") {
  constexpr int kEdits = 8;
  const std::vector<std::string> families = {"gpt2", "llama3", "qwen3", "gemma2", "bert", "gpt_neox"};
  for (int seed = 0; seed < session_count(); ++seed) {
    Dice dice(static_cast<std::uint32_t>(seed));
    const std::string family = dice.pick(families);
    Document in_model(session_in(family, dice.below(2)));
    Document by_itself(alone(in_model.session()));
    const OpenModel start = *in_model.session().work;
    const Layer layer = in_model.layer();
    for (int edit = 0; edit < kEdits; ++edit) {
      INFO(family << ", session " << seed << ", edit " << edit);
      const Command command = random_command(dice, by_itself.layer());
      by_itself.run(command);
      in_model.run(command);
      CHECK(same_layer(in_model.layer(), by_itself.layer()));
    }
    INFO(family << ", session " << seed);
    check_same_layer(layer_in(*in_model.session().work), by_itself.layer());
    while (in_model.can_undo())
      in_model.undo();
    CHECK(*in_model.session().work == start);
    CHECK(same_layer(in_model.layer(), layer));
    while (in_model.can_redo())
      in_model.redo();
    CHECK(same_layer(in_model.layer(), by_itself.layer()));
    check_same_layer(layer_in(*in_model.session().work), by_itself.layer());
  }
}

TEST_CASE("layer in a model: what does not fit is refused where it is made, and the layer alone takes it") {
  Document document(session_in("gpt2", 1));
  const std::shared_ptr<const OpenModel> before = document.session().work;
  const std::vector<Command> misfits = {SetNumHeads{2},     SetDIn{4},     SetDOut{8},
                                        SetProjection{},    AddSequence{}, SetOutputProjection{false},
                                        SetHeadWidths{4, 4}};
  for (const Command& command : misfits) {
    INFO(command_name(command));
    CHECK_THAT(why(document, command), ContainsSubstring("Layer alone"));
    CHECK(document.session().work == before);
    CHECK_FALSE(document.can_undo());
  }
  document.run(LeaveModel{});
  CHECK(document.session().work == nullptr);
  CHECK(document.undo_name() == "Layer alone");
  CHECK(why(document, SetNumHeads{2}) == "");
  document.undo();
  document.undo();
  CHECK(document.session().work == before);
  document.redo();
  CHECK(document.session().work == nullptr);
}

TEST_CASE("layer in a model: arrays of one's own that are no layer of it leave the model, others change it") {
  Document document(session_in("gpt2", 1));
  const std::shared_ptr<const OpenModel> before = document.session().work;
  Layer edited = document.layer();
  edited.weights.matrix(Parameter::Key)(0, 0) += 1;
  document.run(ReplaceLayer{
      .layer = std::make_shared<const Layer>(edited), .name = "Arrays", .may_leave_model = true});
  REQUIRE(document.session().work);
  CHECK(list_changes(*document.session().work).size() == 1);
  document.undo();
  CHECK(*document.session().work == *before);
  set_num_heads(edited, 2);
  const auto other = std::make_shared<const Layer>(edited);
  CHECK_FALSE(why(document, ReplaceLayer{other, "Arrays"}).empty());
  document.run(ReplaceLayer{.layer = other, .name = "Arrays", .may_leave_model = true});
  CHECK(document.session().work == nullptr);
  CHECK(document.layer().head_count() == 2);
  document.undo();
  CHECK(*document.session().work == *before);
  CHECK(document.layer().head_count() == 4);
}

TEST_CASE("layer in a model: a number set to the checkpoint's again is no change") {
  Document document(session_in("gpt2", 1));
  const Matrix stored = document.layer().weights.matrix(Parameter::Query);
  const InputId input{InputKind::Weight, 0, Parameter::Query};
  document.run(SetCells{input, 1, 2, Matrix::Constant(1, 1, 9)});
  CHECK(list_changes(*document.session().work).size() == 1);
  document.run(SetCells{input, 1, 2, stored.block(1, 2, 1, 1)});
  CHECK(list_changes(*document.session().work).empty());
}
