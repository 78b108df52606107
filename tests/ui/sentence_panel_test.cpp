// The sentence: words to point at, beams, next words, typing, and a word in pieces.
#include "app/ui/sentence/sentence_panel.h"

#include "engine/network/network_pass.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::PanelFixture;

namespace {

struct SentenceBench {
  SentenceState state;
  NetworkPass pass{std::make_shared<const Network>(headlight_test::source_root() + "/assets/examples/words")};
  PanelFixture fixture;
  ImVec2 area;

  explicit SentenceBench(ImVec2 size = {1280, 420}, float scale = 1)
      : fixture(
            headlight_test::lesson_session("16-causal-mask"),
            [this](UiContext& ui) {
              sentence_panel(ui, state, {{0, 0}, ImGui::GetIO().DisplaySize});
            },
            size, ThemeKind::Dark, scale),
        area(size) {
    fixture.preferences().motion = false;
    read();
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  // As the program does for a text that has changed.
  void read() {
    state.reading = std::make_shared<const TextReading>(read_text(pass, state.text, 3));
    robot().frames(2);
  }
};

}  // namespace

TEST_CASE("sentence: it opens on the last word, with its beams and the next words") {
  SentenceBench bench;
  CHECK(bench.robot().value("sentence.word.12") == "to (chosen)");
  CHECK(bench.robot().value("sentence.next.0").starts_with("Ann "));
  CHECK(bench.robot().shows("sentence.beam.2"));  // Ann
  CHECK_FALSE(bench.robot().shows("sentence.note"));
  const Rect bar = bench.robot().widget("sentence.next.0.bar").rect;
  const Rect track = bench.robot().widget("sentence.next.0.track").rect;
  const double probability = bench.state.reading->next.back().front().probability;
  CHECK(std::abs(bar.width - track.width * probability) < 1);
}

TEST_CASE("sentence: the word under the pointer asks; a click keeps it") {
  SentenceBench bench;
  bench.robot().hover("sentence.word.9");
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.word.9") == "gave (chosen)");
  CHECK_FALSE(bench.robot().shows("sentence.beam.11"));  // later words are not seen
  bench.robot().move_to({1, 1});
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.word.12") == "to (chosen)");
  bench.robot().click("sentence.word.9");
  bench.robot().move_to({1, 1});
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.word.9") == "gave (chosen)");
}

TEST_CASE("sentence: one head, or all heads of the last layer") {
  SentenceBench bench;
  const auto shown = [&] { return bench.robot().value("sentence.beam.2"); };
  const std::string of_head = shown();
  CHECK(bench.robot().value("sentence.heads.leading").ends_with("(chosen)"));
  bench.robot().click("sentence.heads.all");
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.heads.all").ends_with("(chosen)"));
  CHECK(shown() != of_head);
  bench.robot().click("sentence.heads.leading");
  bench.robot().frames(2);
  CHECK(shown() == of_head);
}

TEST_CASE("sentence: what is said of the chosen head is true whichever word is pointed at") {
  SentenceBench bench;
  const std::string at_rest = bench.robot().value("sentence.heads.leading");
  CHECK(at_rest.find("which of all heads looks most from “to” at “Ann”") != std::string::npos);
  bench.robot().hover("sentence.word.4");
  bench.robot().frames(2);
  REQUIRE(bench.robot().value("sentence.word.4").ends_with("(chosen)"));
  CHECK(bench.robot().value("sentence.heads.leading") == at_rest);
}

TEST_CASE("sentence: with little room the chosen head has its name alone") {
  SentenceBench bench({300, 420});
  CHECK(bench.robot().value("sentence.heads.leading").find("looks") == std::string::npos);
}

TEST_CASE("sentence: where no head is offered, the line says why") {
  SentenceBench bench;
  CHECK_FALSE(bench.robot().shows("sentence.heads.only"));
  bench.state.text = "Ann gave";
  bench.read();
  REQUIRE_FALSE(bench.state.reading->leading_head);
  CHECK_FALSE(bench.robot().shows("sentence.heads.leading"));
  CHECK(bench.robot().value("sentence.heads.only").find("is not in the text") != std::string::npos);
}

TEST_CASE("sentence: an average that looks elsewhere than the next word is explained") {
  SentenceBench bench;
  bench.state.text = "When Rosa and Ben met , Ben gave the old lamp to";
  bench.read();
  CHECK_FALSE(bench.robot().shows("sentence.mixture"));
  bench.robot().click("sentence.heads.all");
  bench.robot().frames(2);
  CHECK(bench.robot()
            .value("sentence.mixture")
            .starts_with("On average the heads look most at “Ben”, yet “Rosa”"));
  bench.robot().hover("sentence.word.4");
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("sentence.mixture"));
}

TEST_CASE("sentence: beams without a number are fainter than a number that is shown beside the heads") {
  SentenceBench bench({420, 300});
  bench.state.text = "Ann lost her xyzzyxwvtiliti . Tom found it and gave it to";
  bench.state.all_heads = true;
  bench.read();
  bench.robot().hover("sentence.word.17");
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.numbers").starts_with("numbers from "));
}

TEST_CASE("sentence: where each beam has its number, nothing is said of numbers") {
  SentenceBench bench;
  CHECK_FALSE(bench.robot().shows("sentence.numbers"));
}

TEST_CASE("sentence: typing changes the text with each letter, and Enter ends it") {
  SentenceBench bench;
  bench.state.typing = bench.state.focus_asked = true;
  bench.robot().frames(3);
  bench.robot().key(Key::A, {.ctrl = true});
  bench.robot().type("Tom gave the zyxomma to");
  bench.robot().frames(1);
  CHECK(bench.state.text == "Tom gave the zyxomma to");
  bench.read();
  CHECK(bench.robot().value("sentence.note").starts_with("“zyxomma” is not a word"));
  bench.robot().key(Key::Enter);
  bench.robot().frames(2);
  CHECK_FALSE(bench.state.typing);
  CHECK_FALSE(bench.robot().shows("sentence.text"));
}

TEST_CASE("sentence: a text longer than the field fades out at the sides at which it continues") {
  SentenceBench bench;
  bench.state.typing = bench.state.focus_asked = true;
  bench.robot().frames(3);
  CHECK_FALSE(bench.robot().shows("sentence.text.more_before"));
  CHECK_FALSE(bench.robot().shows("sentence.text.more_behind"));
  bench.state.text.clear();
  for (int i = 0; i < 30; ++i)
    bench.state.text += "Tom gave ";
  bench.state.typing = false;
  bench.robot().frames(2);
  bench.state.typing = bench.state.focus_asked = true;
  bench.robot().frames(3);
  CHECK(bench.robot().shows("sentence.text.more_behind"));
  bench.robot().key(Key::End);
  bench.robot().frames(2);
  CHECK(bench.robot().shows("sentence.text.more_before"));
  CHECK_FALSE(bench.robot().shows("sentence.text.more_behind"));
}

TEST_CASE("sentence: what the model does not take is told, and typing goes on") {
  SentenceBench bench;
  bench.state.text.clear();
  for (int i = 0; i < 200; ++i)
    bench.state.text += "Tom ";
  bench.read();
  CHECK(bench.robot().shows("sentence.note"));
  CHECK_FALSE(bench.robot().shows("sentence.word.0"));
  bench.state.reading = nullptr;
  bench.state.trouble = "config.json: it is not there";
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.note") == "config.json: it is not there");
}

TEST_CASE("sentence: one word, right-to-left words and emoji, in every size") {
  for (const std::string text : {"Tom", "שלום Ann مرحبا gave 😀 to", "🎉🎉🎉", "a b c d e f g h i j k l m n o p"})
    for (const ImVec2 size : {ImVec2{512, 160}, ImVec2{200, 90}, ImVec2{1280, 420}, ImVec2{3000, 900}})
      for (const float scale : {0.5f, 1.0f, 2.5f}) {
        SentenceBench bench(size, scale);
        bench.state.text = text;
        bench.read();
        for (const ProbedWidget& widget : bench.robot().probe().widgets()) {
          INFO(text << ": " << widget.name);
          CHECK(widget.rect.right() <= static_cast<double>(size.x) + 1);
          CHECK(widget.rect.bottom() <= static_cast<double>(size.y) + 1);
        }
      }
}
