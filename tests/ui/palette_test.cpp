// The table of actions, and what is derived from it: keys, palette and sheet of keys.
#include "app/ui/main_window/palette.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "app/settings/assets.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/key_sheet.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/word_match.h"
#include "engine/core/file.h"
#include "engine/layer/layer_difference.h"
#include "engine/layer/mask_presets.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct PaletteBench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit PaletteBench(const std::string& lesson = "20-two-heads")
      : fixture(lesson_session(lesson), [this](UiContext& ui) { workbench(ui, state); }) {
    state.lesson.entries = {{"17.headlight", "17-causal-batch", "A batch of two", "Masks", "", 17}};
    robot().frames(3);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  // Opens the palette, types the query and runs the first entry.
  void command(const std::string& query) {
    robot().key(Key::P, {.ctrl = true});
    robot().frames(2);
    robot().type(query);
    robot().key(Key::Enter);
    robot().frames(2);
  }
};

std::string first_for(const std::string& query) {
  PaletteBench bench;
  bench.robot().key(Key::P, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type(query);
  return bench.robot().shows("palette.item.0") ? bench.robot().value("palette.item.0") : "";
}

}  // namespace

TEST_CASE("palette: words match in one piece, at words' beginnings better, and are not guessed") {
  CHECK(match_score("causal mask", "mask: causal"));
  CHECK(match_score("ca ma", "mask: causal"));
  CHECK_FALSE(match_score("msc", "mask: causal"));
  CHECK_FALSE(match_score("causal mazk", "mask: causal"));
  CHECK_FALSE(match_score("html", "sort by the entropy of the model"));
  CHECK(match_score("trop", "entropy"));
  CHECK_FALSE(match_score("tr", "entropy"));  // nearly any text has two letters somewhere
  CHECK(match_score("MASK", "mask: causal") == match_score("mask", "mask: causal"));
  CHECK(*match_score("sum", "normalise: sum") > *match_score("sum", "show summary"));
  CHECK(*match_score("save", "Save") > *match_score("save", "Save as…"));
  CHECK(*match_score("wei", "show weights") > *match_score("wei", "the unweighted"));
  CHECK(*match_score("loss", "Loss: how well it is predicted") > *match_score("loss", "What a loss may be"));
  CHECK(match_score("", "anything") == 0);
}

TEST_CASE("palette: the ten words that are typed most lead first to what they are typed for") {
  const auto found_for = [](const std::string& query, MaskKind mask) {
    PaletteBench bench;
    AttentionSettings settings = bench.fixture.layer().attention;
    settings.mask = mask;
    bench.fixture.document().run(SetAttention{settings});
    bench.state.start.model = "model";  // questions about a layer are offered
    bench.robot().key(Key::P, {.ctrl = true});
    bench.robot().frames(2);
    bench.robot().type(query);
    std::vector<std::string> found;
    for (int i = 0; bench.robot().shows("palette.item." + std::to_string(i)); ++i)
      found.push_back(bench.robot().value("palette.item." + std::to_string(i)));
    return found;
  };
  const std::pair<const char*, const char*> expected[] = {{"mask", "mask: causal"},
                                                          {"dropout", "dropout: 0.1"},
                                                          {"heads", "heads: 1"},
                                                          {"softmax", "normalise: softmax"},
                                                          {"scale", "scale: 1/√dₖ"},
                                                          {"seed", "What if the weights had another seed?"},
                                                          {"average", "What if all tokens were averaged?"},
                                                          {"loss", "Loss"},
                                                          {"save", "Save"},
                                                          {"export", "Export…"}};
  for (const auto& [query, first] : expected)
    for (const MaskKind mask : {MaskKind::None, MaskKind::Causal}) {
      INFO(query);
      const std::vector<std::string> found = found_for(query, mask);
      REQUIRE_FALSE(found.empty());
      const std::string text = found.front();
      CHECK((text == first || text.starts_with(std::string(first) + ": ")));
    }
  const std::vector<std::string> masks = found_for("mask", MaskKind::None);
  const auto at = [&](const char* text) {
    return std::find(masks.begin(), masks.end(), text) - masks.begin();
  };
  CHECK(at("mask: causal") < at("mask: none"));
  CHECK(at("mask: none") < std::ssize(masks));
  CHECK(found_for("mask none", MaskKind::None).front() == "mask: none");
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
  CHECK(action_tip(action_entry("keys")) == "This sheet of all keys (Shift+F1)");
}

TEST_CASE("keys: no letter alone is a command, so that words typed beside a field do nothing") {
  const std::regex letter("(Shift\\+)?[A-Z]");
  for (const ActionEntry& entry : action_table())
    for (const KeyChord& chord : entry.chords) {
      INFO(entry.name << ": " << chord_text(chord));
      CHECK_FALSE(std::regex_match(chord_text(chord), letter));
    }
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

TEST_CASE("palette: everything is found by what people call it, and nothing is guessed") {
  PaletteBench bench;
  bench.state.start.model = "/assets/words/who-gave-what.headlight";
  bench.fixture.preferences().look = Look::Light;
  const auto all = [&](const std::string& query) {
    bench.robot().key(Key::K, {.ctrl = true});
    bench.robot().frames(2);
    bench.robot().type(query);
    bench.robot().frames(2);
    std::string found;
    for (int i = 0; bench.robot().shows("palette.item." + std::to_string(i)); ++i)
      found += bench.robot().value("palette.item." + std::to_string(i)) + "\n";
    CHECK(bench.robot().shows("palette.none") == found.empty());
    bench.robot().key(Key::Escape);
    bench.robot().frames(2);
    return found;
  };
  const std::pair<const char*, const char*> calls[] = {{"loss", "Loss: how well"},
                                                       {"surpris", "Loss: how well"},
                                                       {"perplexity", "Loss: how well"},
                                                       {"ablate", "Ablation: "},
                                                       {"knock out", "Ablation: "},
                                                       {"steer", "Direction: "},
                                                       {"activation patching", "Patches: "},
                                                       {"logit lens", "Logit lens: "},
                                                       {"share", "Save picture…"},
                                                       {"web", "Save picture…"},
                                                       {"screenshot", "Save picture…"},
                                                       {"present", "Present"},
                                                       {"home", "Start screen"},
                                                       {"dark mode", "look: dark"},
                                                       {"font size", "Larger text"},
                                                       {"figures", "Figures and numbers"}};
  for (const auto& [query, entry] : calls) {
    INFO(query);
    CHECK(all(query).find(entry) != std::string::npos);
  }
  for (const char* query : {"docx", "handoutt", "zq"}) {
    INFO(query);
    CHECK(all(query).empty());
  }
}

TEST_CASE("palette: the lessons of a book's section are found by its number") {
  PaletteBench bench;
  bench.state.lesson.entries = read_lessons(lesson_files());
  const auto first = [&](const std::string& query) {
    bench.robot().key(Key::K, {.ctrl = true});
    bench.robot().frames(2);
    bench.robot().type(query);
    bench.robot().frames(2);
    const std::string found =
        bench.robot().shows("palette.item.0") ? bench.robot().value("palette.item.0") : "";
    bench.robot().key(Key::Escape);
    bench.robot().frames(2);
    return found;
  };
  for (const char* query : {"3.3", "3.3.2", "section 3.5", "3.6", "section 3.4.2"}) {
    INFO(query);
    const std::string found = first(query),
                      section = std::string(query).substr(std::string(query).rfind(' ') + 1);
    CHECK(std::any_of(bench.state.lesson.entries.begin(), bench.state.lesson.entries.end(),
                      [&](const LessonEntry& lesson) {
                        return found == lesson.title && section_of(lesson).starts_with(section);
                      }));
  }
}

TEST_CASE("palette: the manual's list of sections names the lessons that stand after them") {
  std::map<std::string, std::string> lessons;
  for (const LessonEntry& lesson : read_lessons(lesson_files()))
    if (const std::string section = section_of(lesson); !section.empty())
      lessons[section] += (lessons[section].empty() ? "" : ", ") + number_of(lesson);
  const std::string manual = read_file(headlight_test::source_root() + "/app/manual/lessons.md");
  CHECK(lessons.size() == 9);
  for (const auto& [section, numbers] : lessons)
    CHECK(manual.find("| " + section + " | " + numbers + " |") != std::string::npos);
}

TEST_CASE("palette: the questions of a class are found by their words and answered beside what was") {
  const std::pair<const char*, const char*> asked[] = {{"average", "averaged"},
                                                       {"all equal", "embeddings were equal"},
                                                       {"huge", "one number were huge"},
                                                       {"first row 1", "future were hidden"},
                                                       {"test time", "dropout do at test time"},
                                                       {"another seed", "another seed"},
                                                       {"without scale", "divided by"}};
  for (const auto& [query, answer] : asked) {
    PaletteBench bench("15-linear-layers");
    INFO(query);
    const Layer before = bench.fixture.layer();
    bench.robot().key(Key::P, {.ctrl = true});
    bench.robot().frames(2);
    bench.robot().type(query);
    REQUIRE(bench.robot().shows("palette.item.0"));
    CHECK(bench.robot().value("palette.item.0").find(answer) != std::string::npos);
    bench.robot().key(Key::Enter);
    bench.robot().frames(3);
    CHECK(bench.fixture.view().focus_view == FocusView::Compare);
    CHECK(bench.state.message.text.find("goes back") != std::string::npos);
    CHECK_FALSE(layer_differences(before, bench.fixture.layer()).empty());
    bench.fixture.document().undo();
    CHECK(layer_differences(before, bench.fixture.layer()).empty());
  }
}

TEST_CASE("palette: each row says where it leads") {
  WorkbenchState state;
  state.start.model = "/assets/words/who-gave-what.headlight";
  state.lesson.entries = {{"17.headlight", "17-causal-batch", "A batch of two", "Masks", "", 17}};
  std::vector<PaletteEntry> entries;
  PanelFixture fixture(lesson_session("20-two-heads"),
                       [&](UiContext& ui) { entries = palette_entries(ui, state); });
  fixture.robot().frames(1);
  std::set<std::string> places;
  for (const PaletteEntry& entry : entries)
    places.insert(entry.group);
  for (const char* place : {"session", "edit", "help", "view", "picture", "lesson", "setting", "stage",
                            "head", "question", "model", "lesson 17"})
    CHECK(places.count(place) == 1);
  CHECK(places.count("action") == 0);
  // On the start screen nothing is offered that changes what is behind it.
  state.show_start = true;
  fixture.robot().frames(1);
  for (const PaletteEntry& entry : entries) {
    INFO(entry.text);
    CHECK(entry.group != "setting");
    CHECK(entry.text != "Save");
  }
}

TEST_CASE("palette: a question opens the bundled model where none is open, and then its page") {
  PaletteBench bench;
  bench.state.start.model = "/assets/words/who-gave-what.headlight";
  bench.command("perplexity");
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions()[0].action == Action::OpenLesson);
  CHECK(bench.fixture.actions()[0].path == bench.state.start.model);
  CHECK(bench.state.after_opening.run);
  // Another session is opened instead: what was to be done is forgotten.
  bench.state.memory.last = "/other.headlight";
  bench.fixture.document().replace(lesson_session("20-two-heads"), std::nullopt);
  bench.robot().frames(2);
  CHECK_FALSE(bench.state.after_opening.run);
}

TEST_CASE("palette: a number of heads that does not divide d_out is found, with the reason why not") {
  PaletteBench bench("10-queries-keys-values");
  const Index d_out = bench.fixture.layer().d_out();
  REQUIRE(d_out == 2);
  bench.fixture.document().run(SetDOut{3});
  bench.command("heads 2");
  CHECK(bench.state.message.text == "d_out 3 is not divisible by 2");
  CHECK(bench.fixture.layer().head_count() == 1);
}

TEST_CASE("palette: a setting chosen by the keyboard is sent as one command") {
  PaletteBench bench;
  REQUIRE(bench.fixture.layer().attention.mask == MaskKind::Causal);
  bench.command("mask none");
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
  CHECK_FALSE(bench.robot().shows("palette.query"));
  bench.command("mask window");
  CHECK(bench.fixture.layer().custom_mask == mask_of(MaskPreset{}, bench.fixture.layer().token_count()));
  bench.command("show scores");
  CHECK(bench.fixture.view().focused_stage == Stage::Scores);
}

TEST_CASE("palette: what is in force already sends nothing") {
  PaletteBench bench;
  bench.command("mask causal");
  CHECK(bench.fixture.commands().empty());
}

TEST_CASE("palette: arrows move, a click chooses, Escape leaves everything as it is") {
  PaletteBench bench;
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
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
}

TEST_CASE("palette: what cannot be done now is not offered") {
  PaletteBench bench;
  bench.robot().key(Key::P, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type("undo");
  for (int i = 0; bench.robot().shows("palette.item." + std::to_string(i)); ++i)
    CHECK(bench.robot().value("palette.item." + std::to_string(i)) != "Undo");
}

TEST_CASE("palette: every mask is offered, and looks and motion are preferences") {
  CHECK(first_for("mask window") == "mask: window");
  PaletteBench bench;
  bench.robot().key(Key::P, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type("mask window");
  int windows = 0;
  for (int i = 0; bench.robot().shows("palette.item." + std::to_string(i)); ++i)
    windows += bench.robot().value("palette.item." + std::to_string(i)) == "mask: window";
  CHECK(windows == 1);
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  bench.command("mask block");
  CHECK(bench.fixture.layer().attention.mask == MaskKind::Custom);
  MaskPreset block;
  block.kind = MaskPresetKind::Block;
  CHECK(bench.fixture.layer().custom_mask == mask_of(block, bench.fixture.layer().token_count()));

  // Rules are none of the masks that the palette offers, so none is marked as the present one.
  AttentionSettings rules = bench.fixture.layer().attention;
  rules.mask = MaskKind::Rules;
  rules.rules.causal = true;
  bench.fixture.document().run(SetAttention{rules});
  bench.robot().frames(3);
  bench.command("mask block");
  CHECK(bench.fixture.layer().attention.mask == MaskKind::Custom);
  bench.command("look light");
  CHECK(bench.fixture.preferences().look == Look::Light);
  bench.command("motion off");
  CHECK_FALSE(bench.fixture.preferences().motion);
}

TEST_CASE("palette: heads and tokens are counted from 1 or from 0") {
  WorkbenchState state;
  PanelFixture fixture(lesson_session("20-two-heads"), [&state](UiContext& ui) { workbench(ui, state); });
  const auto command = [&](const std::string& query) {
    fixture.robot().key(Key::P, {.ctrl = true});
    fixture.robot().frames(2);
    fixture.robot().type(query);
    fixture.robot().key(Key::Enter);
    fixture.robot().frames(3);
  };
  fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 2};
  fixture.robot().frames(2);
  CHECK(fixture.robot().value("inspector.cell") == "weights[one (4), starts (2)]");
  CHECK(fixture.robot().value("inputs.embeddings.column[0]") == "0");
  command("count heads from 1");
  CHECK(fixture.preferences().count_from == 1);
  CHECK(fixture.robot().value("inspector.cell") == "weights[one (5), starts (3)]");
  CHECK(fixture.robot().value("inputs.embeddings.column[0]") == "1");
  command("count heads from 0");
  CHECK(fixture.preferences().count_from == 0);
  CHECK(fixture.robot().value("inspector.cell") == "weights[one (4), starts (2)]");
}

TEST_CASE("palette: a lesson that counts as its text does says what is counted from") {
  Session session = lesson_session("20-two-heads");
  session.lesson->count_from = 1;
  PaletteBench bench;
  bench.fixture.document().replace(std::move(session), std::nullopt);
  REQUIRE(bench.fixture.preferences().count_from == 0);
  bench.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 2};
  bench.robot().frames(2);
  CHECK(bench.robot().value("inspector.cell") == "weights[one (5), starts (3)]");
  bench.command("count heads from 0");
  CHECK(bench.state.message.is_error);
  CHECK(bench.state.message.text == "The open lesson counts heads and tokens from 1");
  CHECK(bench.robot().value("inspector.cell") == "weights[one (5), starts (3)]");
}

TEST_CASE("find a token: by its beginning first, by a part, by its number") {
  const Layer layer = lesson_session("20-two-heads").layer;  // Your journey starts with one step
  const auto found = [&](const std::string& query) { return matching_tokens(layer, query, 10, {1}); };
  CHECK(found("st") == std::vector<Index>{2, 5});
  CHECK(found("ST") == std::vector<Index>{2, 5});
  CHECK(found("ou") == std::vector<Index>{0, 1});
  CHECK(found("3") == std::vector<Index>{2});
  CHECK(found("7").empty());
  CHECK(found("").size() == 6);
  CHECK(matching_tokens(layer, "", 2, {}) == std::vector<Index>{0, 1});
  CHECK(matching_tokens(layer, "3", 10, {0}) == std::vector<Index>{3});
}

TEST_CASE("find a token: its row is selected in the pictures and in the grid") {
  PaletteBench bench;
  bench.robot().key(Key::F, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type("wit");
  CHECK(bench.robot().value("palette.item.0") == "with (3)");
  bench.robot().key(Key::Enter);
  bench.robot().frames(2);
  REQUIRE(bench.fixture.view().selection.cell.has_value());
  CHECK(*bench.fixture.view().selection.cell == CellAddress{Stage::Weights, 0, 0, 3, 3});
  CHECK(bench.state.inputs.tokens.grid.selection.row == 3);
  CHECK(bench.fixture.commands().empty());
  bench.fixture.view().focused_stage = Stage::Output;
  bench.robot().key(Key::F, {.ctrl = true});
  bench.robot().frames(2);
  bench.robot().type("qqq");
  CHECK(bench.robot().shows("palette.none"));
}

TEST_CASE("keys: text size goes up, down and back") {
  PaletteBench bench;
  bench.robot().key(Key::Plus, {.ctrl = true});
  CHECK(bench.fixture.preferences().text_scale == 1.1);
  bench.robot().key(Key::Minus, {.ctrl = true});
  bench.robot().key(Key::Minus, {.ctrl = true});
  CHECK(bench.fixture.preferences().text_scale == 0.9);
  bench.robot().key(Key::Num0, {.ctrl = true});
  CHECK(bench.fixture.preferences().text_scale == 1);
}

TEST_CASE("first steps: they stand on the start screen") {
  PaletteBench bench;
  bench.command("first steps");
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions()[0].action == Action::ShowStart);
}

TEST_CASE("keys: the window's keys run the table's actions") {
  PaletteBench bench;
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
  PaletteBench bench;
  bench.robot().key(Key::F1, {.shift = true});
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

TEST_CASE("palette: heads are shown, switched and sorted") {
  PaletteBench bench("induction-head");
  bench.command("head 2");
  CHECK(bench.fixture.view().head == Index{2});
  bench.command("head 1 off");
  CHECK(bench.fixture.layer().attention.disabled_heads == std::vector<Index>{1});
  bench.command("head 1 on");
  CHECK(bench.fixture.layer().attention.disabled_heads.empty());
  bench.command("head 3 solo");
  CHECK(bench.fixture.layer().attention.disabled_heads == std::vector<Index>{0, 1, 2});
  bench.command("all heads on");
  CHECK(bench.fixture.layer().attention.disabled_heads.empty());
  bench.command("sort by induction");
  CHECK(bench.fixture.view().heads.sorting.by == HeadMeasure::Induction);
  CHECK_FALSE(bench.fixture.view().head);  // side by side again
  bench.command("smallest first");
  CHECK(bench.fixture.view().heads.sorting.ascending);
  bench.command("sort by entropy");
  CHECK(bench.fixture.view().heads.sorting.by == HeadMeasure::Entropy);
  bench.command("sort by likeness to head 1");
  CHECK(bench.fixture.view().heads.sorting.by == HeadMeasure::LikePicture);
  CHECK(bench.fixture.view().heads.picture == HeadPicture{PictureKind::Head, 1});
  bench.command("sort by number");
  CHECK_FALSE(bench.fixture.view().heads.sorting.by);
}

TEST_CASE("palette: the table of heads") {
  PaletteBench bench("induction-head");
  bench.command("table of heads");
  CHECK(bench.robot().shows("heads.row.h0"));
}
