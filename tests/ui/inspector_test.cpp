// The inspector: the derivation it shows is the engine's own.
#include "app/ui/inspector/inspector_panel.h"

#include <stdexcept>
#include <string>

#include "app/ui/inspector/derivation.h"
#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

Derivation derive(const Model& model, const CellAddress& cell) {
  return derivation(model, evaluate(model).trace(cell), {});
}

const DerivationStep& step(const Derivation& derived, Stage stage) {
  for (const DerivationStep& s : derived.steps)
    if (s.stage == stage) return s;
  throw std::runtime_error("no such step");
}

}  // namespace

TEST_CASE("derivation: a weight from its products to its quotient, in the notebook's digits") {
  const Model model = lesson_session("05-all-queries-at-once").model;
  const Derivation derived = derive(model, {Stage::Weights, 0, 0, 1, 4});
  REQUIRE(derived.table.terms.size() == 3);
  CHECK(derived.table.left == "query");
  CHECK_THAT(derived.table.sum, headlight_test::WithinAbs(0.7070, 5e-5));
  CHECK(step(derived, Stage::Weights).lines.back().number == "0.1082");
  CHECK(step(derived, Stage::Weights).lines.back().result);
}

TEST_CASE("derivation: a forbidden pair says so and ends in zero") {
  const Model model = lesson_session("16-causal-mask").model;
  const Derivation derived = derive(model, {Stage::Weights, 0, 0, 1, 4});
  CHECK(step(derived, Stage::Masked).lines.back().number == "−∞");
  CHECK(step(derived, Stage::Weights).lines.back().number == "0.0000");
}

TEST_CASE("derivation: dropout keeps with 1/(1-p) or drops") {
  const Model model = lesson_session("18-dropout-after-the-weights").model;
  const Evaluator evaluator = evaluate(model);
  int kept = 0, dropped = 0;
  for (Index row = 0; row < 6; ++row)
    for (Index column = 0; column <= row; ++column) {
      const CellAddress cell = {Stage::Dropped, 0, 0, row, column};
      const std::string number =
          step(derivation(model, evaluator.trace(cell), {}), Stage::Dropped).lines.front().number;
      CHECK((number == "2.0000" || number == "0.0000"));
      (number == "2.0000" ? kept : dropped) += 1;
    }
  CHECK(kept > 0);
  CHECK(dropped > 0);
}

TEST_CASE("derivation: context is a weighted sum over tokens, output adds its bias") {
  const Model model = lesson_session("20-two-heads").model;
  const Derivation context = derive(model, {Stage::Context, 0, 1, 2, 0});
  REQUIRE(context.table.terms.size() == 6);
  CHECK(context.table.labels[1] == "journey (1)");
  const Derivation output = derive(model, {Stage::Output, 0, 0, 0, 0});
  CHECK(output.table.has_bias);
  float sum = output.table.bias;
  for (const Term& term : output.table.terms)
    sum += term.product();
  CHECK_THAT(sum, headlight_test::WithinAbs(output.table.sum, 1e-6));
  CHECK_THAT(output.table.sum, headlight_test::WithinAbs(0.3190, 5e-5));
}

TEST_CASE("derivation: what is copied says from where") {
  const Model model = lesson_session("20-two-heads").model;
  CHECK(derive(model, {Stage::Concat, 0, 0, 3, 1}).note.find("head 1") != std::string::npos);
  CHECK(derive(model, {Stage::Embeddings, 0, 0, 0, 0}).note.find("input") != std::string::npos);
}

TEST_CASE("inspector: names the cell and shows its value in full") {
  PanelFixture fixture(lesson_session("05-all-queries-at-once"), [](UiContext& ui) { inspector_panel(ui); },
                       {300, 700});
  fixture.robot().frames(2);
  CHECK_FALSE(fixture.robot().shows("inspector.value"));
  fixture.view().selected = CellAddress{Stage::Weights, 0, 0, 1, 4};
  fixture.robot().frames(4);
  CHECK(fixture.robot().value("inspector.cell") == "weights[journey (2), one (5)]");
  CHECK_THAT(std::stod(fixture.robot().value("inspector.value")), headlight_test::WithinAbs(0.1082, 5e-5));
}
