// Names and words of the window: the views beside their icons, the letters of the status bar, and the button
// that saves the picture.
#include <imgui_internal.h>

#include <algorithm>

#include "app/shell/dialogs.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/views/view_switch.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct NamesBench {
  WorkbenchState state;
  std::string runs;  // the action that the next frame runs
  PanelFixture fixture;

  explicit NamesBench(ImVec2 size)
      : fixture(
            lesson_session("20-two-heads"), [this](UiContext& ui) { draw(ui); }, size) {
    robot().frames(4);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the workbench handles the clicks
    workbench(ui, state);
    if (const std::string id = std::exchange(runs, ""); !id.empty()) action_entry(id).run(ui, state);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  double width_of(const std::string& name) { return robot().widget(name).rect.width; }
};

std::string tip_of(PanelFixture& panel, const std::string& name) {
  panel.robot().hover(name);
  panel.robot().rest(0.7f);
  panel.robot().frames(2);
  return panel.robot().value("tooltip");
}

// The dialog that asks where to save the picture, and its result.
struct SavingBench {
  Dialogs dialogs;
  std::optional<DialogResult> result;
  std::function<void(UiContext&)> ask;
  PanelFixture fixture;

  SavingBench() : fixture(lesson_session("20-two-heads"), [this](UiContext& ui) { draw(ui); }) {
    fixture.robot().frames(3);
  }
  void draw(UiContext& ui) {
    if (ask) ask(ui);
    ask = nullptr;
    if (auto own = dialogs.draw(ui)) result = std::move(own);
  }
};

}  // namespace

TEST_CASE("view switch: names stand beside the icons where there is room") {
  NamesBench wide({1920, 1080});
  for (const char* name : {"view.heatmap", "view.flow", "view.row", "view.vectors", "view.compare"})
    CHECK(wide.width_of(name) > 45);
}

TEST_CASE("view menu: shares are decimals in a lesson, and per cent in every picture of weights if chosen") {
  NamesBench bench({1280, 800});
  bench.fixture.view().focused_stage = Stage::Weights;
  bench.robot().frames(4);
  const auto decimals = [&](const std::string& picture) {
    const std::vector<PlannedText>& texts = bench.state.stages.cache.entry(picture).plan.texts;
    return std::count_if(texts.begin(), texts.end(), [](const PlannedText& text) {
      return text.text.starts_with("0.") && !text.text.ends_with("%");
    });
  };
  for (const char* now : {"off", "on", "off"}) {
    CHECK((decimals("focus.weights.h0") > 10) == (std::string(now) == "off"));
    bench.robot().click("toolbar.view");
    bench.robot().frames(2);
    CHECK(bench.robot().value("view.percent") == now);
    bench.robot().click("view.percent");
    bench.robot().frames(4);
  }
  CHECK(bench.fixture.preferences().shares == ShareForm::PerCent);
  bench.fixture.view().focused_stage = Stage::Scores;
  bench.robot().frames(4);
  CHECK(decimals("focus.scores.h0") > 10);
}

TEST_CASE("view switch: an icon alone has its name in its tooltip") {
  PanelFixture panel(lesson_session("20-two-heads"), [](UiContext& ui) { view_switch(ui, ViewNames::None); });
  panel.robot().frames(2);
  CHECK(panel.robot().widget("view.flow").rect.width < 30);
  CHECK_THAT(tip_of(panel, "view.vectors"), ContainsSubstring("Vectors: "));
}

TEST_CASE("strip: a stage says its shape and the sizes of the layer on pointing, the status bar says none") {
  NamesBench bench({1280, 800});
  const std::string tip = tip_of(bench.fixture, "stage.scores");
  CHECK_THAT(tip, ContainsSubstring("shape 2 × 6 × 6"));
  CHECK_THAT(tip, ContainsSubstring("T: 6 tokens"));
  CHECK_THAT(tip, ContainsSubstring("B: 2 sequences\n"));
  CHECK_THAT(tip, ContainsSubstring("H: 2 heads"));
  for (const ProbedWidget& widget : bench.robot().probe().widgets())
    if (widget.name.starts_with("status.")) CHECK_THAT(widget.value, !ContainsSubstring("T 6"));
}

TEST_CASE("menus: a menu opens at its button, above it in the lower half of the window") {
  float y = 0, low = 0;
  int more = 0;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) {
    ImGui::SetCursorScreenPos({900, y});
    if (!begin_more_menu(ui, "some.more", "")) return;
    low = ImGui::GetWindowPos().y + ImGui::GetWindowSize().y;
    for (int i = 0; i < more; ++i)
      menu_choice(ui, "some." + std::to_string(i), "More", "");
    for (const char* entry : {"some.first", "some.last"})
      menu_choice(ui, entry, entry, "");
    ImGui::EndPopup();
  });
  for (const float at : {40.0f, 740.0f}) {
    y = at;
    panel.robot().frames(2);
    panel.robot().click("some.more");
    panel.robot().frames(3);
    const Rect button = panel.robot().widget("some.more").rect,
               first = panel.robot().widget("some.first").rect, last = panel.robot().widget("some.last").rect;
    CHECK(last.right() <= button.right());
    if (at < 400) CHECK(first.y >= button.bottom());
    if (at > 400) CHECK(last.bottom() <= button.y);
    panel.robot().key(Key::Escape);
    panel.robot().frames(2);
  }
  y = 300;
  more = 60;  // more than there is room for
  panel.robot().frames(2);
  panel.robot().click("some.more");
  panel.robot().frames(3);
  CHECK(low > 700);
  CHECK(low <= panel.robot().size().y);
}

TEST_CASE("save picture: a figure where the view has one, else the pixels of the large picture") {
  NamesBench bench({1280, 800});
  const auto asked = [&] {
    bench.fixture.clear();
    bench.runs = "save_picture";
    bench.robot().frames(1);
    REQUIRE(bench.fixture.actions().size() == 1);
    return bench.fixture.actions().front().action;
  };
  CHECK(asked() == Action::SavePicture);
  for (const auto& [view, action] : {std::pair(FocusView::Flow, Action::SavePicture),
                                     std::pair(FocusView::Vectors, Action::SaveWindowPicture),
                                     std::pair(FocusView::Compare, Action::SavePicture)}) {
    bench.fixture.view().focus_view = view;
    bench.robot().frames(2);
    CHECK(asked() == action);
  }
  CHECK(bench.robot().shows("focus.area"));
  CHECK(bench.robot().shows("toolbar.share"));
}

TEST_CASE("save picture: one more click saves it, in the format that was used last") {
  SavingBench bench;
  const auto ask = [&] {
    bench.result.reset();
    bench.ask = [&](UiContext& ui) { bench.dialogs.ask_save_picture(ui, Stage::Weights); };
    bench.fixture.robot().frames(4);
  };
  const headlight_test::TemporaryFolder place;
  bench.fixture.preferences().exports["folder"] = place.path().string();
  ask();
  CHECK_THAT(bench.fixture.robot().value("dialog.name"), ContainsSubstring("-weights.png"));
  bench.fixture.robot().click("dialog.ok");
  bench.fixture.robot().frames(2);
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::Exported);
  CHECK(bench.result->exported.format == FileFormat::Png);
  REQUIRE(bench.result->exported.items.size() == 1);
  CHECK(bench.result->exported.items[0].choice.part.stage == Stage::Weights);
  CHECK(bench.result->exported.items[0].options.kept_and_now);

  bench.fixture.preferences().exports["format"] = "pdf";
  ask();
  CHECK_THAT(bench.fixture.robot().value("dialog.name"), ContainsSubstring(".pdf"));
  bench.fixture.robot().click("dialog.name");
  bench.fixture.robot().key(Key::A, {true, false});
  bench.fixture.robot().type("mine.svg");
  bench.fixture.robot().key(Key::Enter);
  bench.fixture.robot().frames(2);
  REQUIRE(bench.result);
  CHECK(bench.result->exported.format == FileFormat::Svg);
  CHECK(bench.result->exported.items[0].path.filename() == "mine.svg");
  CHECK(bench.fixture.preferences().exports.at("format") == "svg");
}

TEST_CASE("names on screen: heads and MLPs have the names of files, in the numbers that are shown") {
  CHECK(spoken_heads("L2 H3", Counting{0}) == "L2 H3");
  CHECK(spoken_heads("L0 H1 and L2 H11", Counting{1}) == "L1 H2 and L3 H12");
  CHECK(spoken_heads("L2 MLP", Counting{1}) == "L3 MLP");
  for (const char* other : {"", "to", "L2", "XL2 H3", "L H", "a L"})
    CHECK(spoken_heads(other, Counting{0}) == other);
}
