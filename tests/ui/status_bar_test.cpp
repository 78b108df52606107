// The status bar.
#include "app/ui/main_window/workbench.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

TEST_CASE("status bar: work that takes long says how far it is, and is silent when it is done") {
  WorkbenchState state;
  std::optional<double> progress;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) {
    ui.progress = progress;
    status_bar(ui, state);
  });
  CHECK_FALSE(panel.robot().shows("status.progress"));
  progress = 0.427;
  panel.robot().frames(1);
  CHECK(panel.robot().value("status.progress") == "computing  43 %");
  progress.reset();
  panel.robot().frames(1);
  CHECK_FALSE(panel.robot().shows("status.progress"));
}

TEST_CASE("status bar: good news stands in it and covers nothing; an error stays until it is closed") {
  WorkbenchState state;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) {
    status_bar(ui, state);
    message_line(ui, state);
  });
  state.message = {"Kept.", false, ImGui::GetTime() + 8};
  panel.robot().frames(1);
  CHECK(panel.robot().value("message") == "Kept.");
  CHECK(panel.robot().shows("message.line"));
  CHECK_FALSE(panel.robot().shows("message.close"));
  panel.robot().rest(9);
  panel.robot().frames(2);
  CHECK_FALSE(panel.robot().shows("message"));
  CHECK_FALSE(panel.robot().shows("message.line"));
  state.message = {"There is no file.", true, 0};
  panel.robot().frames(2);
  CHECK(panel.robot().shows("message.close"));
}

TEST_CASE("status bar: an error has lines of its own above it, as many as it needs") {
  WorkbenchState state;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) { workbench(ui, state); });
  panel.robot().frames(3);
  const Rect before = panel.robot().widget("stage.weights").rect;
  CHECK(panel.robot().shows("status.saved"));
  std::string text = "x.npy: it cannot be read";
  for (int i = 0; i < 30; ++i)
    text += ": and here is why, in some words";
  state.message = {text, true, 0};
  panel.robot().frames(3);
  const Rect message = panel.robot().widget("message").rect;
  const Rect status = panel.robot().widget("status.saved").rect;
  CHECK(message.height > 40);
  CHECK(message.bottom() <= status.y);
  for (const ProbedWidget& widget : panel.robot().probe().widgets()) {
    if (widget.name == "message" || widget.name == "message.close") continue;
    INFO(widget.name);
    CHECK((widget.rect.bottom() <= message.y || widget.rect.y >= message.bottom()));
  }
  panel.robot().click("message.close");
  panel.robot().frames(3);
  CHECK_FALSE(panel.robot().shows("message"));
  CHECK(panel.robot().widget("stage.weights").rect == before);
}

TEST_CASE("status bar: after a change it says where the session is, and nothing else") {
  WorkbenchState state;
  state.edit_to_picture_ms = 12.6;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) {
    ImGui::SetCursorScreenPos({0, 700});
    status_bar(ui, state);
  });
  CHECK(panel.robot().shows("status.saved"));
  for (const ProbedWidget& widget : panel.robot().probe().widgets()) {
    INFO(widget.name);
    CHECK((!widget.name.starts_with("status.") || widget.name == "status.saved"));
  }
}
