// The table of actions, and what is made of it: keys, palette and sheet.
#include "app/ui/palette.h"

#include <set>

#include "app/ui/action_table.h"
#include "app/ui/fuzzy_match.h"
#include "app/ui/key_sheet.h"
#include "app/ui/workbench.h"
#include "engine/model/mask_presets.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct Bench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit Bench(const std::string& lesson = "20-two-heads")
      : fixture(lesson_session(lesson), [this](UiContext& ui) { workbench(ui, state); }) {
    state.lessons = {{"17.headlight", "17-causal-batch", "A batch of two", "Masks", "", 17}};
    robot().frames(3);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  // Opens the palette, types and takes what stands first.
  void command(const std::string& query) {
    robot().key(Key::P, {.ctrl = true});
    robot().frames(2);
    robot().type(query);
    robot().key(Key::Enter);
    robot().frames(2);
  }
};

std::string first_for(const std::string& query) {
  Bench bench;
  bench.robot().key(Key::P, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type(query);
  return bench.robot().shows("palette.item.0") ? bench.robot().value("palette.item.0") : "";
}

}  // namespace

TEST_CASE("palette: letters in order match, in one piece and at words' beginnings better") {
  CHECK(fuzzy_score("msc", "mask: causal"));
  CHECK_FALSE(fuzzy_score("msx", "mask: causal"));
  CHECK(fuzzy_score("causal mask", "mask: causal"));
  CHECK_FALSE(fuzzy_score("causal mazk", "mask: causal"));
  CHECK(fuzzy_score("MASK", "mask: causal") == fuzzy_score("mask", "mask: causal"));
  CHECK(*fuzzy_score("sum", "normalise: sum") > *fuzzy_score("sum", "show summary"));
  CHECK(*fuzzy_score("save", "Save") > *fuzzy_score("save", "Save as…"));
  CHECK(*fuzzy_score("wei", "show weights") > *fuzzy_score("wei", "show when it is"));
  CHECK(fuzzy_score("", "anything") == 0);
}

TEST_CASE("palette: no action is there twice, and no two have the same key") {
  std::set<std::string> ids, keys;
  for (const ActionEntry& entry : action_table()) {
    CHECK(ids.insert(std::string(entry.id)).second);
    CHECK_FALSE(entry.what.empty());
    for (const KeyChord& chord : entry.chords)
      CHECK(keys.insert(chord_text(chord)).second);
  }
  CHECK(action_keys(action_entry("save_as")) == "Ctrl+Shift+S");
  CHECK(action_tip("keys") == "This sheet of all keys (F1)");
}

TEST_CASE("palette: settings, stages and lessons are found by a few letters") {
  CHECK(first_for("mask none") == "mask: none");
  CHECK(first_for("normalise sum") == "normalise: sum");
  CHECK(first_for("heads 1") == "heads: 1");
  CHECK(first_for("show scores") == "show scores");
  CHECK(first_for("batch") == "A batch of two");
  CHECK(first_for("inverse sqrt") == "scale: 1/√dₖ");
  CHECK(first_for("zzzz").empty());
}

TEST_CASE("palette: a setting chosen by the keyboard is sent as one command") {
  Bench bench;
  REQUIRE(bench.fixture.model().attention.mask == MaskKind::Causal);
  bench.command("mask none");
  CHECK(bench.fixture.model().attention.mask == MaskKind::None);
  CHECK_FALSE(bench.robot().shows("palette.query"));
  bench.command("mask window");
  CHECK(bench.fixture.model().custom_mask == mask_of(MaskPreset{}, bench.fixture.model().token_count()));
  bench.command("show scores");
  CHECK(bench.fixture.view().focused_stage == Stage::Scores);
}

TEST_CASE("palette: what is in force already sends nothing") {
  Bench bench;
  bench.command("mask causal");
  CHECK(bench.fixture.commands().empty());
}

TEST_CASE("palette: arrows move, a click chooses, Escape leaves everything as it is") {
  Bench bench;
  bench.robot().key(Key::P, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type("mask");
  bench.robot().key(Key::Down);
  CHECK(bench.state.palette.selected == 1);
  bench.robot().key(Key::Up);
  bench.robot().key(Key::Up);
  CHECK(bench.state.palette.selected == 0);
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("palette.query"));
  CHECK(bench.fixture.commands().empty());

  bench.robot().key(Key::P, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type("mask none");
  bench.robot().click("palette.item.0");
  bench.robot().frames(2);
  CHECK(bench.fixture.model().attention.mask == MaskKind::None);
}

TEST_CASE("palette: what cannot be done now is not offered") {
  Bench bench;
  bench.robot().key(Key::P, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type("undo");
  for (int i = 0; bench.robot().shows("palette.item." + std::to_string(i)); ++i)
    CHECK(bench.robot().value("palette.item." + std::to_string(i)) != "Undo");
}

TEST_CASE("keys: the window's keys run the table's actions") {
  Bench bench;
  bench.robot().key(Key::S, {.ctrl = true, .shift = true});
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions()[0].action == Action::SaveAs);
  bench.fixture.clear();
  bench.robot().key(Key::S, {.ctrl = true});
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions()[0].action == Action::Save);
  bench.robot().key(Key::F11);
  CHECK(bench.fixture.view().opened_stage == bench.fixture.view().focused_stage);
}

TEST_CASE("keys: the sheet tells every key of the table and closes") {
  Bench bench;
  bench.robot().key(Key::F1);
  bench.robot().frames(2);
  for (const ActionEntry& entry : action_table()) {
    if (entry.chords.size() != 1) continue;
    INFO(entry.id);
    CHECK(bench.robot().value("keys." + action_keys(entry)) == entry.what);
  }
  CHECK(bench.robot().shows("keys.Page Up, Page Down"));
  bench.robot().click("keys.close");
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("keys.close"));
  bench.robot().key(Key::L, {.ctrl = true});
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions()[0].action == Action::ShowStart);
}
