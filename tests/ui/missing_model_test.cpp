// The question for a session's model that is not there.
#include "app/ui/dialogs/missing_model_dialog.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct Question {
  MissingModelState state;
  int chosen = 0;
  PanelFixture fixture{lesson_session("01-one-query-dot-products"),
                       [this](UiContext& ui) { chosen += missing_model_dialog(ui, state); }};

  Question() {
    open_missing_model_dialog(state, "gpt2", "the session's model \"gpt2\" is not there: /models/gpt2");
    fixture.robot().frames(3);
  }
};

}  // namespace

TEST_CASE("missing model: the dialog names it, and its button asks for its folder once") {
  Question question;
  CHECK_THAT(question.fixture.robot().value("missing.why"), ContainsSubstring("/models/gpt2"));
  question.fixture.robot().click("missing.choose");
  question.fixture.robot().frames(2);
  CHECK(question.chosen == 1);
  CHECK_FALSE(question.state.open);
}

TEST_CASE("missing model: Escape opens nothing") {
  Question cancelled;
  cancelled.fixture.robot().key(Key::Escape);
  cancelled.fixture.robot().frames(2);
  CHECK(cancelled.chosen == 0);
  CHECK_FALSE(cancelled.state.open);
}

TEST_CASE("missing model: Enter asks for the folder") {
  Question entered;
  entered.fixture.robot().key(Key::Enter);
  entered.fixture.robot().frames(2);
  CHECK(entered.chosen == 1);
}
