// Very long texts: frames process only the part that is shown, and fields refuse them.
#include <algorithm>
#include <cctype>
#include <limits>

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kMillion(1'000'000, 'm');

// The lesson on two heads with a million letters in every name and text.
Session absurd_session() {
  Session session = lesson_session("20-two-heads");
  session.title = session.notes = kMillion;
  for (std::string& token : session.layer.tokens)
    token = kMillion;
  session.lesson->chapter = session.lesson->source = kMillion;
  for (LessonStep& step : session.lesson->steps) {
    step.title = kMillion;
    step.text = step.try_it = kMillion;
  }
  return session;
}

struct LongTextWindow {
  WorkbenchState state;
  int most_vertices = 0;
  PanelFixture fixture;

  explicit LongTextWindow(Session session)
      : fixture(std::move(session), [this](UiContext& ui) {
          most_vertices =
              std::max(most_vertices, ImGui::GetIO().MetricsRenderVertices);  // of the previous frame
          workbench(ui, state);
        }) {
    state.lesson.guide = begin_guide(fixture.document().session());
    fixture.robot().frames(3);
  }
  PanelRobot& robot() { return fixture.robot(); }
};

struct Inputs {
  InputsPanelState state;
  PanelFixture fixture;

  explicit Inputs(Session session)
      : fixture(std::move(session), [this](UiContext& ui) { inputs_panel(ui, state); }, {300, 700}) {}
  PanelRobot& robot() { return fixture.robot(); }
};

void paste_text(PanelRobot& robot, const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
  robot.key(Key::V, {true});
  robot.frames(2);
}

}  // namespace

TEST_CASE("long text: is measured no further than any window is wide") {
  PanelFixture panel(lesson_session("20-two-heads"), [](UiContext& ui) {
    CHECK(text_width(ui.theme.fonts.text, kMillion) <= kWidestText);
    CHECK(text_width(ui.theme.fonts.text, kMillion) > kWidestText / 2);
    CHECK(imgui_measure(ui.theme)(kMillion, 12, FontFace::Text).width <= static_cast<double>(kWidestText));
  });
}

TEST_CASE("long text: what fits stays, what does not is cut where the room ends") {
  PanelFixture panel(lesson_session("20-two-heads"), [](UiContext&) {
    const std::string words = "héllo wörld";
    const float width = ImGui::CalcTextSize(words.c_str()).x;
    CHECK(elided(words, width) == words);
    const std::string shorter = elided(words, width - 1);
    CHECK(shorter.ends_with("…"));
    CHECK(ImGui::CalcTextSize(shorter.c_str()).x <= width - 1);
    // It is the longest that fits: one letter more would not.
    const std::size_t kept = shorter.size() - std::string("…").size();
    CHECK(words.starts_with(shorter.substr(0, kept)));
    CHECK(ImGui::CalcTextSize((words.substr(0, kept + 1) + "…").c_str()).x > width - 1);
    CHECK(elided(kMillion, 200).size() < 200);
    CHECK(elided("one\ntwo", 500) == "one…");
    CHECK(elided("", 10).empty());
    CHECK(elided("word", 0) == "…");
  });
}

TEST_CASE("long text: no number is cut within it, nor broken over two lines") {
  PanelFixture panel(lesson_session("20-two-heads"), [](UiContext& ui) {
    const std::string text = "the loss is -12.3429 ± 0.9876 over 20 rows";
    const float whole = ImGui::CalcTextSize(text.c_str()).x;
    const auto of_number = [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
    };
    for (float width = 30; width < whole; ++width) {
      const std::string shorter = elided(text, width);
      const std::size_t kept = shorter.size() - std::string("…").size();
      INFO(shorter);
      REQUIRE(kept < text.size());
      CHECK_FALSE((kept > 0 && of_number(text[kept - 1]) && of_number(text[kept])));
    }
    CHECK(elided("12.3429", ImGui::CalcTextSize("12.34…").x).starts_with("12."));  // nothing else is left
    CHECK(elided("−12.3429", ImGui::CalcTextSize("−12.34…").x).starts_with("−12."));
    ImFont* const font = ui.theme.fonts.text;
    CHECK(wrapped_lines(font, text_width(font, "12.3429") + 2, "a 12.3429 b") == 3);
  });
  panel.robot().frames(1);
}

TEST_CASE("long text: what is read from right to left is cut between its letters, too") {
  PanelFixture panel(lesson_session("20-two-heads"), [](UiContext&) {
    const std::string words = "החלק הראשון של השיעור הזה";
    ImFont* const font = ImGui::GetFont();
    const float width = drawn_width(font, words);
    CHECK(elided(words, width + 1) == drawn_text(words));
    const float some = drawn_width(font, elided(words, width / 2));
    CHECK(some <= width / 2 + 1);
    CHECK(some > width / 4);
  });
}

TEST_CASE("long text: a frame of a session made of it draws as much as any other") {
  const int usual = LongTextWindow(lesson_session("20-two-heads")).most_vertices;
  REQUIRE(usual > 1000);
  LongTextWindow absurd(absurd_session());
  CHECK(absurd.most_vertices < 2 * usual);
  absurd.state.inputs.folds.tokens.chosen = absurd.state.inputs.folds.weights.chosen = true;  // unfolded
  absurd.robot().frames(3);
  absurd.robot().hover("inputs.embeddings[1,1]");
  absurd.robot().rest(1);
  absurd.robot().frames(3);
  absurd.robot().right_click("inputs.token[1]");
  absurd.robot().frames(3);
  CHECK(absurd.most_vertices < 2 * usual);
}

TEST_CASE("long text: ten megabytes pasted into the palette are refused with a word about it") {
  LongTextWindow window(lesson_session("20-two-heads"));
  open_palette(window.state.palette, PaletteKind::Everything);
  window.robot().frames(4);
  window.robot().type("mask");
  window.robot().frames(2);
  paste_text(window.robot(), std::string(10'000'000, 'x'));
  CHECK(window.robot().value("palette.query") == "mask");
  CHECK(window.robot().value("palette.query.refused").find("10.0 MB") != std::string::npos);
  window.robot().rest(7);
  window.robot().frames(2);
  CHECK_FALSE(window.robot().shows("palette.query.refused"));
  paste_text(window.robot(), " causal");
  CHECK(window.robot().value("palette.query") == "mask causal");
}

TEST_CASE("long text: what is selected stays when what was to take its place is refused") {
  Inputs window(lesson_session("20-two-heads"));
  window.robot().double_click("inputs.token[0]");
  window.robot().frames(2);
  REQUIRE(window.robot().shows("inputs.token[0].editor"));
  paste_text(window.robot(), kMillion);
  CHECK(window.robot().value("inputs.token[0].editor") == "Your");
  CHECK(window.robot().shows("inputs.token.editor.refused"));
  window.robot().key(Key::Enter);
  window.robot().frames(3);
  CHECK(window.fixture.layer().tokens[0] == "Your");
}

TEST_CASE("long text: a name too long to be edited keeps its end when it is left alone") {
  Inputs window(absurd_session());
  window.robot().double_click("inputs.token[0]");
  window.robot().frames(2);
  REQUIRE(window.robot().shows("inputs.token[0].editor"));
  CHECK(window.robot().value("inputs.token[0].editor").size() == kMostLabel);
  window.robot().key(Key::Enter);
  window.robot().frames(3);
  CHECK(window.fixture.layer().tokens[0] == kMillion);
  window.robot().double_click("inputs.token[0]");
  window.robot().frames(4);
  window.robot().type("short");
  window.robot().key(Key::Enter);
  window.robot().frames(3);
  CHECK(window.fixture.layer().tokens[0] == "short");
}

TEST_CASE("long text: the text dialog refuses more than it can show") {
  LongTextWindow window(lesson_session("20-two-heads"));
  open_text_dialog(window.state.text, window.fixture.layer());
  window.robot().frames(4);
  const std::string before = window.robot().value("text.input");
  window.robot().click("text.input");
  window.robot().frames(2);
  paste_text(window.robot(), std::string(10'000'000, 'x'));
  CHECK(window.robot().value("text.input") == before);
  CHECK(window.robot().shows("text.input.refused"));
}

TEST_CASE("long text: the head of a text ends with a whole character") {
  CHECK(text_head("abc", 3) == "abc");
  CHECK(text_head("abcd", 3) == "abc");
  CHECK(text_head("aé", 2) == "a");
  CHECK(amount_of_text(812) == "812 bytes");
  CHECK(amount_of_text(1500) == "1.5 KB");
  CHECK(amount_of_text(10'000'000) == "10.0 MB");
}
