// The window around a whole model: its pages beside the chosen head, with the text and its beams above both.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/ui/dialogs/export_dialog.h"
#include "engine/interpretation/predictions.h"
#include "tests/support/catch.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/model_window.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr const char* kSentence = "When Ann and Tom went out , Tom gave the key to";

ModelWindow window_of_words(float scale = 1) {
  return ModelWindow(scale, model_session(source_root() + "/assets/examples/words", kSentence));
}

void show_weights(ModelWindow& window) {
  window.fixture.view().model.map_colors = MapColors::Weights;
  window.settle();
}

}  // namespace

TEST_CASE("model columns: the pages and the chosen head are seen at once") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  CHECK(window.fixture.view().focus_view == FocusView::Heatmap);
  const Rect pages = robot.widget("model.area").rect, picture = robot.widget("focus.area").rect;
  CHECK(pages.right() < picture.x);
  CHECK(picture.width > pages.width);
  CHECK_FALSE(robot.shows("view.model"));
  robot.click("model.head.2.3");
  window.settle();
  CHECK(window.fixture.view().head == 3);
  CHECK(window.fixture.document().session().work->layer == LayerPlace(2));
  CHECK(robot.shows("model.head.0.0"));  // the pages stay
  CHECK(robot.shows("focus.weights.h3"));
}

TEST_CASE("model columns: an error moves nothing of the page, and what it takes can be scrolled to") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const std::vector<ProbedWidget> before = robot.probe().widgets();
  window.state.message = {"the session has no file: save it first", true, 0};
  robot.frames(3);
  const Rect message = robot.widget("message").rect;
  std::size_t compared = 0;
  std::set<std::string> names;
  for (const ProbedWidget& was : before) {
    const ProbedWidget* const now = robot.probe().find(was.name);
    if (!names.insert(was.name).second || was.rect.bottom() > message.y - 8 || !now) continue;
    INFO(was.name);
    CHECK(now->rect == was.rect);
    ++compared;
  }
  CHECK(compared > 40);
  const Rect area = robot.widget("model.area").rect;
  robot.wheel_at({static_cast<float>(area.x + area.width / 2), static_cast<float>(area.y + 4)}, -5);
  robot.frames(3);
  CHECK(robot.widget("model.area").rect.y < area.y);
}

TEST_CASE("model columns: each page takes the place of the heads, never that of the picture") {
  ModelWindow window = window_of_words();
  PanelRobot& robot = window.fixture.robot();
  const Rect picture = robot.widget("focus.area").rect;
  for (const char* page : {"layers", "parts", "patches", "questions", "text", "heads"}) {
    INFO(page);
    robot.click(std::string("model.page.") + page);
    window.settle();
    CHECK(robot.widget(std::string("model.page.") + page).value == "chosen");
    CHECK(robot.widget("focus.area").rect.x == picture.x);
    CHECK(robot.widget("focus.area").rect.width == picture.width);
  }
  robot.click("model.page.text");
  window.settle();
  CHECK(robot.shows("model.text"));
  robot.resize({890, 1400});  // in a narrow window the pages stand below the picture
  window.settle();
  CHECK(window.fixture.view().model.page == ModelPage::Text);
  CHECK(robot.shows("model.text"));
  CHECK(robot.widget("model.area").rect.y > robot.widget("focus.area").rect.bottom());
  CHECK_FALSE(robot.shows("view.model"));
}

TEST_CASE("model columns: no text of the page of parts is cut, with a head chosen or without") {
  for (const float width : {1280.0f, 1920.0f}) {
    ModelWindow window = window_of_words();
    PanelRobot& robot = window.fixture.robot();
    robot.resize({width, 1100});
    window.settle();
    robot.click("model.page.parts");
    window.settle();
    for (const bool chosen : {false, true}) {
      INFO(width << (chosen ? ", a head is chosen" : ""));
      if (chosen) window.fixture.view().model.part = std::pair(LayerPlace(1), Index{2});
      window.settle();
      const Rect sum = robot.widget("model.parts.sum").rect, area = robot.widget("model.area").rect;
      CHECK(sum.right() <= robot.widget("model.parts.more").rect.x);
      CHECK(robot.shows("model.sources.title") == chosen);
      for (const DrawnText& text : drawn_texts()) {
        const bool button = text.place.width < 16;  // "…" alone
        const bool inside = text.place.x >= area.x && text.place.right() <= area.right() &&
                            text.place.y >= sum.y && text.place.bottom() <= area.bottom();
        if (!inside || button) continue;
        INFO(text.place.x << " " << text.place.y);
        CHECK_FALSE(text.shortened);
      }
    }
  }
}

TEST_CASE("model columns: without room for the inspector it is a page") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  CHECK_FALSE(robot.shows("model.page.cell"));
  robot.resize({1024, 700});
  window.settle();
  const Rect pages = robot.widget("model.area").rect, picture = robot.widget("focus.area").rect;
  CHECK(pages.right() < picture.x);
  CHECK(picture.width > pages.width);
  CHECK(robot.widget("model.page.cell").rect.right() <= pages.right());
  window.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 4, 2};
  robot.click("model.page.cell");
  window.settle();
  CHECK(robot.shows("inspector.value"));
  robot.resize({1280, 800});
  window.settle();
  CHECK(window.fixture.view().model.page == ModelPage::Heads);
  CHECK(robot.shows("inspector.value"));
}

TEST_CASE("model columns: the heads that look most from one token at another lead to their pictures") {
  ModelWindow window = window_of_words();
  window.state.memory.examples_read.insert("heads");
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  CHECK(robot.widget("model.strongest").value == "From “to” at “Ann”, the strongest of 18 heads");
  CHECK(robot.widget("model.strongest.0").value == "layer 2, head 3 91 %");
  robot.click("model.strongest.1");
  window.settle();
  CHECK(robot.widget("model.strongest.1").value.starts_with("layer 2, head 1"));
  CHECK(window.fixture.view().head == 1);
  // A selected pair is asked about in the place of the prediction.
  window.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 2};
  window.settle();
  CHECK(robot.widget("model.strongest").value.starts_with("From “Tom” at “Ann”"));
}

TEST_CASE("model columns: a double click on a word types another one in the line itself") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const ModelPage page = window.fixture.view().model.page;
  const Rect word = robot.widget("line.word.2").rect, heads = robot.widget("model.head.0.0").rect;
  robot.double_click("line.word.2");  // "Ann"
  robot.frames(2);
  REQUIRE(robot.shows("line.text"));
  CHECK(robot.widget("line.text").rect.y >= word.y);
  CHECK(robot.widget("line.text").rect.bottom() <= word.bottom() + 1);
  robot.type("Eve");                     // the word was selected
  CHECK(robot.shows("model.head.0.0"));  // nothing blanks
  window.settle();
  CHECK(window.fixture.document().session().work->text == "When Eve and Tom went out , Tom gave the key to");
  CHECK(window.state.line.editor.typing);
  CHECK(robot.widget("model.head.0.0").rect.y == heads.y);
  robot.key(Key::Enter);
  window.settle();
  CHECK_FALSE(robot.shows("line.text"));
  CHECK(robot.widget("line.word.2").value.starts_with("Eve"));
  CHECK(window.fixture.view().model.page == page);
  CHECK(robot.widget("line.next").value.starts_with("next: Eve"));  // the end of the text asks
  CHECK(robot.widget("line.word.12").value.ends_with("(query)"));
  window.fixture.document().undo();  // all typing is one step
  window.settle();
  CHECK(window.fixture.document().session().work->text == kSentence);
}

TEST_CASE("model columns: Escape ends typing in the line and keeps the text") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  robot.double_click("line.word.12");
  robot.type("from");
  window.settle();
  robot.key(Key::Escape);
  window.settle();
  CHECK_FALSE(robot.shows("line.text"));
  CHECK(window.fixture.document().session().work->text ==
        "When Ann and Tom went out , Tom gave the key from");
}

TEST_CASE("model columns: beams stay over the words while one types") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  robot.click("model.head.2.3");
  robot.double_click("line.word.12");
  window.settle();
  REQUIRE(robot.shows("line.text"));
  REQUIRE(robot.shows("line.beam.2"));
  const Rect field = robot.widget("line.text").rect, beam = robot.widget("line.beam.2").rect;
  CHECK(beam.x > field.x);
  CHECK(beam.x < field.x + field.width / 2);
}

TEST_CASE("model columns: the cell that was selected last and the next word are of the same word") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  window.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 3, 8, 2};
  window.settle();
  CHECK(robot.widget("line.next").value.starts_with("after “Tom”:"));
  robot.double_click("line.word.12");
  robot.type("for");
  robot.key(Key::Enter);
  window.settle();
  CHECK(robot.widget("line.next").value.starts_with("next:"));
  CHECK(robot.widget("line.word.12").value.ends_with("(query)"));
  REQUIRE(window.fixture.view().selection.cell);
  CHECK(window.fixture.view().selection.cell->row == 12);
}

TEST_CASE("model columns: what surprises the model in the text, and its words coloured by that") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const OpenModel& work = *window.fixture.document().session().work;
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  const std::vector<TokenLoss> losses = token_losses(pass);
  const auto most = std::max_element(losses.begin(), losses.end(),
                                     [](const TokenLoss& a, const TokenLoss& b) { return a.loss < b.loss; });
  char loss[64];
  std::snprintf(loss, sizeof loss, "loss %.2f per token", mean_loss(losses));
  CHECK(robot.widget("line.loss").value == loss);
  const Index token = most - losses.begin() + 1;
  const std::string word = spoken_label(token_label(work, token));
  CHECK(robot.widget("line.surprise").value ==
        "most surprised by: " + word + " (" + share_text(most->probability) + ")");
  robot.click("line.surprise");
  window.settle();
  CHECK(robot.widget("line.word." + std::to_string(token - 1)).value.ends_with("(query)"));
  CHECK_FALSE(robot.shows("line.surprise.scale"));
  window.fixture.preferences().surprise = true;
  window.settle();
  CHECK(robot.widget("line.surprise.scale").value == "100 % to 0.1 %");
}

TEST_CASE("model columns: beams of the chosen head stand over the text, and the next word behind it") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  robot.click("model.head.2.3");
  window.settle();
  CHECK(robot.widget("model.sentence").value == "Head 3 of layer 2 looks from “to” at “Ann” with 91 %.");
  CHECK(robot.widget("line.beam.2").value == "91 %");
  CHECK(robot.widget("line.beam.2").rect.y < robot.widget("line.word.2").rect.bottom());
  CHECK(robot.widget("line.next").value == "next: Ann 99.7 %");
  CHECK_FALSE(robot.shows("model.prediction.0"));
  robot.click("line.next");
  robot.frames(2);
  CHECK(robot.widget("model.prediction.0").value.starts_with("·Ann"));
}

TEST_CASE(
    "model columns: the beams and the next word are of the same word, and a click selects what it looks at "
    "most") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  robot.click("model.head.2.3");
  window.settle();
  robot.click("line.word.8");  // "Tom"
  window.settle();
  CHECK(robot.widget("line.word.8").value.ends_with("(query)"));
  CHECK(robot.widget("line.next").value.starts_with("after “Tom”:"));
  REQUIRE(window.fixture.view().selection.cell);
  CHECK(window.fixture.view().selection.cell->row == 8);
  const Index column = window.fixture.view().selection.cell->column;
  CHECK(robot.shows("line.beam." + std::to_string(column)));
  robot.click("model.head.1.1");  // selects no cell
  window.settle();
  robot.move_to({640, 600});
  window.settle();
  CHECK(robot.widget("line.word.8").value.ends_with("(query)"));
  CHECK(robot.widget("line.next").value.starts_with("after “Tom”:"));
}

TEST_CASE("model columns: Escape ends typing and keeps the text, whose end is asked for the next word") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  robot.click("line.word.2");
  robot.click("model.page.text");
  window.settle();
  robot.click("model.text");
  robot.key(Key::End, {.ctrl = true});
  robot.type(" Ann");
  window.settle();
  robot.key(Key::Escape);
  window.settle();
  CHECK(window.fixture.document().session().work->text == std::string(kSentence) + " Ann");
  CHECK(robot.widget("model.text").value == std::string(kSentence) + " Ann");
  CHECK_FALSE(window.state.model.text.typing);
  CHECK(robot.widget("line.next").value.starts_with("next:"));
}

TEST_CASE("model columns: while a new text is computed the heads and the sentence of the one before stay") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const std::string sentence = robot.widget("model.sentence").value;
  const Rect head = robot.widget("model.head.0.0").rect;
  window.fixture.document().run(
      Command{EditOpenModel{SetModelText{std::string(kSentence) + " Ann", Side::Own}, "Text", 0}});
  robot.frames(1);  // the answer is of the text before
  CHECK_FALSE(robot.shows("model.page.note"));
  CHECK(robot.widget("model.head.0.0").rect.y == head.y);
  CHECK(robot.widget("model.sentence").value == sentence);
  window.settle();
  CHECK(robot.shows("model.head.0.0"));
}

namespace {

// Draws frame by frame until all is computed; in each of them the page shows its numbers. Returns in how many
// they were faint.
int frames_without_a_gap(ModelWindow& window, const std::string& widget) {
  int faint = 0;
  for (int quiet = 0; quiet < 4;) {
    window.fixture.robot().frames(1);
    CHECK(window.fixture.robot().shows(widget));
    CHECK(window.fixture.robot().shows("model.sentence"));
    faint += window.state.stages.model.cover > 0 ? 1 : 0;
    quiet = window.room->idle() ? quiet + 1 : 0;
    if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return faint;
}

void type_at_end(ModelWindow& window, const std::string& more) {
  const std::string text = window.fixture.document().session().work->text + more;
  window.fixture.document().run(Command{EditOpenModel{SetModelText{text, Side::Own}, "Text", 0}});
}

}  // namespace

TEST_CASE(
    "model columns: no page is blank while a new text is computed, and its numbers are faint until then") {
  const std::pair<ModelPage, const char*> pages[] = {{ModelPage::Heads, "model.head.0.0"},
                                                     {ModelPage::Layers, "model.lens.0.0"},
                                                     {ModelPage::Parts, "model.parts"}};
  for (const auto& [page, widget] : pages) {
    INFO(widget);
    ModelWindow window = window_of_words();
    window.fixture.view().baseline = {};
    show_weights(window);
    window.fixture.view().model.page = page;
    window.settle();
    CHECK(frames_without_a_gap(window, widget) == 0);
    type_at_end(window, " Ann");
    CHECK(frames_without_a_gap(window, widget) > 0);
    window.fixture.robot().rest(0.3f);
    CHECK(window.state.stages.model.cover == 0);
  }
}

TEST_CASE(
    "model columns: another logit leaves the parts of the one before on screen until its own are there") {
  ModelWindow window = window_of_words();
  show_weights(window);
  window.fixture.view().model.page = ModelPage::Parts;
  window.settle();
  const std::string sum = window.fixture.robot().value("model.parts.sum");
  window.fixture.view().model.target = 7;
  CHECK(frames_without_a_gap(window, "model.parts") > 0);
  CHECK(window.fixture.robot().value("model.parts.sum") != sum);
}

TEST_CASE("model columns: the estimate of the text before stays, faint, until that of this text is there") {
  ModelWindow window = window_of_words();
  show_weights(window);
  const auto type = [&](const char* text) {
    window.fixture.document().run(Command{EditOpenModel{SetModelText{text, Side::Own}, "Text", 0}});
  };
  type("When Tom and Ann went out , Tom gave the key to");
  window.fixture.view().model.page = ModelPage::Patches;
  window.settle();
  type("When Tom and Ann went out , Ann gave the key to");
  CHECK(frames_without_a_gap(window, "model.estimate") > 0);
}

TEST_CASE("model columns: a picture at full size has the room of the pages too") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const double before = robot.widget("focus.area").rect.width;
  window.fixture.view().opened_stage = Stage::Weights;
  window.settle();
  CHECK_FALSE(robot.shows("model.area"));
  CHECK(robot.widget("focus.area").rect.width > 1.5 * before);
}

TEST_CASE("model columns: an example above the map of few layers hides no row of it") {
  ModelWindow window(1, model_session(source_root() + "/tests/golden/library/t5"));
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const Rect area = robot.widget("model.area").rect;
  for (const char* head : {"model.head.encoder.0.0", "model.head.cross.1.2"}) {
    INFO(head);
    const Rect rect = robot.widget(head).rect;
    CHECK(rect.height == rect.width);
    CHECK(rect.bottom() <= area.bottom());
  }
  CHECK_FALSE(robot.shows("model.example"));
  robot.resize({1280, 1080});
  window.settle();
  CHECK(robot.shows("model.example"));
  CHECK(robot.widget("model.head.cross.1.2").rect.bottom() <= robot.widget("model.area").rect.bottom());
}

TEST_CASE("model columns: another head shows the pair of tokens that is looked at") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  window.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 5, 2};
  window.settle();
  robot.click("model.head.1.4");
  window.settle();
  CHECK(window.fixture.view().selection.cell == CellAddress{Stage::Weights, 0, 4, 5, 2});
}

TEST_CASE("model columns: a saved picture of a head has the numbers that stand in its cells, and no others") {
  ModelWindow window = window_of_words();
  show_weights(window);
  ViewState& view = window.fixture.view();
  view.head = 3;
  window.settle();
  std::optional<ExportItem> saved;
  window.then = [&](UiContext& ui) { saved = picture_on_screen(ui, Stage::Weights); };
  window.settle();
  CHECK(window.fixture.layer().token_count() == 13);
  CHECK(view.picture.numbered);
  CHECK(saved->options.numbers);
  CHECK(saved->options.many_numbers);
  view.head.reset();  // six small pictures without numbers
  window.settle();
  CHECK_FALSE(view.picture.numbered);
  CHECK_FALSE(saved->options.many_numbers);
}

TEST_CASE("model columns: the menu of the picture has its layers and heads, colours, full size and export") {
  ModelWindow window = window_of_words();
  PanelRobot& robot = window.fixture.robot();
  const auto choose = [&](const char* name) {
    robot.click("focus.more");
    robot.frames(2);
    for (const char* entry : {"focus.menu.layers", "focus.menu.heads", "focus.colours", "focus.by_value",
                              "focus.compare", "focus.menu.play", "focus.export"})
      CHECK(robot.shows(entry));
    robot.click(name);
    window.settle();
  };
  choose("focus.open");
  CHECK(window.fixture.view().opened_stage == Stage::Weights);
  choose("focus.close");
  CHECK_FALSE(window.fixture.view().opened_stage);
  CHECK_FALSE(robot.shows("view.compare"));  // it stands in the menu, also once a state is kept
  choose("focus.compare");
  CHECK(window.fixture.view().focus_view == FocusView::Compare);
  CHECK(robot.shows("view.compare"));
}

TEST_CASE(
    "model columns: what was chosen for pages and curves is not carried into a lesson, nor out of one") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const auto choose = [&] {
    robot.click("model.measure");
    robot.click("model.measure.previous_token");
    window.settle();
    return robot.value("model.sentence").find("“previous token”") != std::string::npos;
  };
  const auto open = [&](Session session) {
    window.state.lesson.guide = begin_guide(session);  // as the program does
    window.fixture.document().replace(std::move(session), std::nullopt);
    window.fixture.view().focus_view = FocusView::Model;
    window.settle();
    return robot.value("model.sentence").find("“previous token”") != std::string::npos;
  };
  REQUIRE(choose());
  CHECK_FALSE(open(lesson_session("whole-model")));
  window.state.stages.model.measure = HeadMeasure::PreviousToken;
  window.settle();
  CHECK_FALSE(open(lesson_session("two-steps")));
  window.state.stages.model.measure = HeadMeasure::PreviousToken;
  CHECK_FALSE(open(model_session(source_root() + "/assets/examples/words", kSentence)));
  REQUIRE(choose());
  CHECK(open(model_session(source_root() + "/assets/examples/words", kSentence)));  // between models it stays
}

TEST_CASE(
    "model columns: the next word follows dropout, softcap and positions of a layer, and their switches") {
  ModelWindow window = window_of_words();
  show_weights(window);
  PanelRobot& robot = window.fixture.robot();
  const AttentionSettings plain = window.fixture.layer().attention;
  const std::string next = robot.value("line.next");
  const auto follows = [&](const std::string& words, const std::function<void(AttentionSettings&)>& change) {
    INFO(words);
    AttentionSettings settings = plain;
    change(settings);
    window.fixture.document().run(SetAttention{settings});
    window.settle();
    CHECK(robot.value("line.next") != next);
    const std::vector<ChangeEntry> entries = list_changes(*window.fixture.view().model.work);
    REQUIRE(entries.size() == 1);
    CHECK(change_text(*window.fixture.view().model.work, entries[0], {}).ends_with(words));
    window.fixture.document().run(EditOpenModel{SwitchChange{entries[0]}, "Switch change off"});
    window.settle();
    CHECK(robot.value("line.next") == next);
    window.fixture.document().undo();
    window.fixture.document().undo();
    window.settle();
    CHECK(robot.value("line.next") == next);
    CHECK(list_changes(*window.fixture.view().model.work).empty());
  };
  follows("dropout 0.9, seed 5", [](AttentionSettings& s) { s.dropout = {0.9, true, 5}; });
  follows("softcap 0.1", [](AttentionSettings& s) { s.softcap = 0.1; });
  follows("rotary positions, base 3", [](AttentionSettings& s) {
    s.position.kind = PositionKind::Rotary;
    s.position.theta = 3;
  });
}

TEST_CASE(
    "model columns: “?” shows the example of each page, in a popup where it has no room above the page") {
  bool popup = false;
  for (const char* page : {"heads", "layers", "parts", "patches"})
    for (const float scale : {1.0f, 1.2f}) {
      INFO(page << " " << scale);
      ModelWindow window = window_of_words(scale);
      show_weights(window);
      PanelRobot& robot = window.fixture.robot();
      const auto click = [&](const std::string& name) {
        robot.click(name);
        window.settle();
      };
      click(std::string("model.page.") + page);
      if (robot.shows("model.example.close")) click("model.example.close");
      REQUIRE(robot.shows("model.example.open"));
      CHECK_FALSE(robot.shows("model.example"));
      click("model.example.open");
      CHECK(robot.shows("model.example"));
      popup = popup || !robot.shows("model.example.close");
    }
  CHECK(popup);
}
