// Masks in the window: presets with their numbers, and painting on the large picture.
#include <variant>

#include "app/ui/pipeline/mask_settings.h"
#include "app/ui/pipeline/settings_bar.h"
#include "app/ui/views/stages_panel.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct Settings {
  SettingsBarState state;
  PanelFixture fixture;

  explicit Settings(Session session)
      : fixture(std::move(session), [this](UiContext& ui) { settings_bar(ui, state); }, {1256, 400}) {
    robot().frames(2);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const Layer& layer() const { return fixture.layer(); }
  void choose(const std::string& choice) {
    robot().click("settings.mask");
    robot().click("settings.mask." + choice);
    robot().frames(2);
  }
  void enter(const std::string& name, const std::string& text) {
    robot().click(name);
    robot().frames(1);
    robot().key(Key::A, {true, false});
    robot().type(text);
    robot().key(Key::Enter);
    robot().frames(2);
  }
};

struct Painting {
  StagesPanelState state;
  PanelFixture fixture;

  explicit Painting(const std::string& lesson)
      : fixture(lesson_session(lesson), [this](UiContext& ui) { stages_panel(ui, state); }, {640, 680}) {
    fixture.view().focused_stage = Stage::Masked;
    robot().frames(4);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  ImVec2 cell(int row, int column) {
    const Rect r = robot().widget("focus.masked.h0").rect;
    return {static_cast<float>(r.x + r.width * (column + 0.5) / 6),
            static_cast<float>(r.y + r.height * (row + 0.5) / 6)};
  }
};

}  // namespace

TEST_CASE("mask settings: each preset sets its matrix in one step, and its numbers change it") {
  Settings panel(lesson_session("05-all-queries-at-once"));
  panel.choose("window");
  CHECK(panel.layer().attention.mask == MaskKind::Custom);
  CHECK(panel.layer().custom_mask == window_mask(6, 1, 0));
  CHECK(panel.robot().value("settings.mask") == "window");
  panel.enter("settings.mask_left", "2");
  panel.enter("settings.mask_right", "1");
  CHECK(panel.layer().custom_mask == window_mask(6, 2, 1));
  panel.choose("block");
  panel.enter("settings.mask_block", "3");
  CHECK(panel.layer().custom_mask == block_mask(6, 3));
  panel.choose("prefix");
  panel.enter("settings.mask_prefix", "4");
  CHECK(panel.layer().custom_mask == prefix_mask(6, 4));
  panel.choose("padding");
  CHECK(panel.layer().custom_mask == padding_mask(6, {5}));
  panel.enter("settings.mask_padding", "0, 4-5");
  CHECK(panel.layer().custom_mask == padding_mask(6, {0, 4, 5}));
  CHECK(panel.robot().value("settings.mask_padding") == "0, 4-5");
  CHECK(panel.fixture.commands().size() == 9);
  for (int step = 0; step < 9; ++step)
    panel.fixture.document().undo();
  CHECK(panel.layer().attention.mask == MaskKind::None);
  CHECK_FALSE(panel.fixture.document().can_undo());
}

TEST_CASE("mask settings: a preset that equals another one keeps its name while it was chosen") {
  Settings panel(lesson_session("05-all-queries-at-once"));
  panel.choose("prefix");
  panel.enter("settings.mask_prefix", "1");
  REQUIRE(panel.layer().custom_mask == causal_mask(6));
  CHECK(panel.robot().value("settings.mask") == "prefix");
}

TEST_CASE("mask settings: a session's mask is shown as the preset it is, or as custom") {
  Session session = lesson_session("05-all-queries-at-once");
  session.layer.attention.mask = MaskKind::Custom;
  session.layer.custom_mask = window_mask(6, 3, 1);
  {
    Settings panel(session);
    CHECK(panel.robot().value("settings.mask") == "window");
    CHECK(panel.robot().value("settings.mask_left") == "3");
    CHECK(panel.robot().value("settings.mask_right") == "1");
  }
  session.layer.custom_mask(5, 0) = 1;
  Settings panel(session);
  CHECK(panel.robot().value("settings.mask") == "custom");
  panel.choose("causal");
  CHECK(panel.layer().attention.mask == MaskKind::Causal);
  panel.choose("custom");
  CHECK(panel.layer().attention.mask == MaskKind::Custom);
  CHECK(panel.layer().custom_mask == session.layer.custom_mask);
}

TEST_CASE("mask settings: numbers that are none are refused and change nothing") {
  Settings panel(lesson_session("05-all-queries-at-once"));
  panel.choose("block");
  panel.enter("settings.mask_block", "0");
  CHECK_FALSE(panel.state.mask.block.message.empty());
  CHECK(panel.layer().custom_mask == block_mask(6, 2));
}

TEST_CASE("mask settings: positions as people write them") {
  const Counting from_0, from_1{1};
  CHECK(positions_text({1, 4, 5, 6}, from_0) == "1, 4-6");
  CHECK(positions_text({1, 4, 5, 6}, from_1) == "2, 5-7");
  CHECK(positions_text({}, from_0).empty());
  CHECK(parse_positions("1, 4-6", from_0) == std::vector<Index>{1, 4, 5, 6});
  CHECK(parse_positions("2, 5-7", from_1) == std::vector<Index>{1, 4, 5, 6});
  CHECK(parse_positions("0", from_0) == std::vector<Index>{0});
  CHECK(parse_positions("3 1 3", from_1) == std::vector<Index>{0, 2});
  CHECK(parse_positions("", from_1) == std::vector<Index>{});
  for (const char* wrong : {"0", "a", "3-1", "1-", "-2", "1.5", "2--3"}) {
    INFO(wrong);
    CHECK_FALSE(parse_positions(wrong, from_1));
  }
}

TEST_CASE("painting: a stroke on a causal mask allows what its first cell allowed, in one step") {
  Painting panel("16-causal-mask");
  panel.robot().click("focus.paint");
  REQUIRE(panel.fixture.view().picture.paints_mask);
  const ImVec2 from = panel.cell(0, 2), to = panel.cell(0, 5);
  panel.robot().stroke(from, to);
  const Layer& layer = panel.fixture.layer();
  REQUIRE(layer.attention.mask == MaskKind::Custom);
  Matrix expected = causal_mask(6);
  expected.row(0).tail(4).setOnes();
  CHECK(layer.custom_mask == expected);
  panel.fixture.document().undo();
  CHECK(layer.attention.mask == MaskKind::Causal);
  CHECK_FALSE(panel.fixture.document().can_undo());
}

TEST_CASE("painting: a stroke that starts on an allowed cell forbids, and leaves no gaps when it is fast") {
  Painting panel("05-all-queries-at-once");
  panel.robot().click("focus.paint");
  panel.robot().stroke(panel.cell(0, 0), panel.cell(5, 5), 2);
  const Layer& layer = panel.fixture.layer();
  REQUIRE(layer.attention.mask == MaskKind::Custom);
  CHECK(layer.custom_mask == Matrix::Ones(6, 6) - Matrix::Identity(6, 6));
  panel.robot().click_at(panel.cell(3, 3));
  CHECK(layer.custom_mask(3, 3) == 1);
  panel.fixture.document().undo();
  CHECK(layer.custom_mask(3, 3) == 0);
}

TEST_CASE("painting: while it is off, or on another stage, a drag changes nothing") {
  Painting panel("16-causal-mask");
  panel.robot().stroke(panel.cell(0, 2), panel.cell(0, 5));
  CHECK(panel.fixture.commands().empty());
  panel.robot().click("focus.paint");
  panel.fixture.view().focused_stage = Stage::Weights;
  panel.robot().frames(3);
  CHECK_FALSE(panel.robot().shows("focus.paint"));
  const Rect r = panel.robot().widget("focus.weights.h0").rect;
  const auto x = static_cast<float>(r.x), y = static_cast<float>(r.y);
  panel.robot().stroke({x + 10, y + 10}, {x + 60, y + 60});
  CHECK(panel.fixture.commands().empty());
}
