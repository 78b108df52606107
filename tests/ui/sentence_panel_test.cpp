// The sentence: words to point at, beams, next words, typing, and a word in pieces.
#include "app/ui/start/sentence_panel.h"

#include <fstream>
#include <iterator>

#include "app/ui/start/bundled_text.h"
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

TEST_CASE("sentence: the boxes of layer and head stand still while one points") {
  SentenceBench bench;
  const Rect layer = bench.robot().widget("sentence.layer").rect,
             head = bench.robot().widget("sentence.head").rect;
  for (int word = 0; word < 13; ++word) {
    bench.robot().hover("sentence.word." + std::to_string(word));
    bench.robot().frames(2);
    CHECK(bench.robot().widget("sentence.layer").rect == layer);
    CHECK(bench.robot().widget("sentence.head").rect == head);
  }
}

TEST_CASE("sentence: drawing from a word to another holds the share of that pair until Escape or a click") {
  SentenceBench bench;
  const auto middle = [&](int word) {
    const Rect rect = bench.robot().widget("sentence.word." + std::to_string(word)).rect;
    return ImVec2{static_cast<float>(rect.x + rect.width / 2), static_cast<float>(rect.y + rect.height / 2)};
  };
  const auto draw = [&](int from, int to) {
    bench.robot().stroke(middle(from), middle(to));
    bench.robot().move_to({1, 1});
    bench.robot().frames(2);
  };
  draw(12, 4);
  CHECK(bench.state.held == SentenceState::Pair{12, 4});
  CHECK(bench.robot().value("sentence.word.12") == "to (chosen)");
  CHECK(bench.robot().shows("sentence.beam.4"));
  CHECK_FALSE(bench.robot().shows("sentence.beam.2"));  // the widest, which is not of this pair
  const std::string share = bench.robot().value("sentence.beam.4");
  CHECK(bench.robot().value("sentence.looks").starts_with("“to” looks at “Tom”: " + share));
  bench.robot().hover("sentence.word.9");
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.word.12") == "to (chosen)");  // it is held
  bench.robot().key(Key::Escape);
  bench.robot().move_to({1, 1});
  bench.robot().frames(2);
  CHECK_FALSE(bench.state.held);
  CHECK(bench.robot().shows("sentence.beam.2"));
  draw(4, 12);  // a later word gets nothing
  CHECK(bench.robot().value("sentence.looks").starts_with("“Tom” looks at “to”: 0"));
  bench.robot().click("sentence.word.9");
  bench.robot().frames(2);
  CHECK_FALSE(bench.state.held);
  draw(12, 4);
  bench.state.text = "When Ann";  // fewer words than the pair needs
  bench.read();
  CHECK_FALSE(bench.state.held);
}

TEST_CASE("sentence: any head of any layer, or all heads of a layer together") {
  SentenceBench bench;
  const TextReading& reading = *bench.state.reading;
  REQUIRE(reading.leading_head);
  const auto shown = [&] { return bench.robot().value("sentence.beam.2"); };
  const auto choose = [&](const std::string& box, const std::string& choice) {
    bench.robot().click(box);
    bench.robot().frames(2);
    bench.robot().click(box + "." + choice);
    bench.robot().frames(3);
  };
  CHECK(bench.robot().value("sentence.layer") == std::to_string(reading.leading_head->layer));
  CHECK(bench.robot().value("sentence.head") == std::to_string(*reading.leading_head->head));
  CHECK_FALSE(bench.robot().shows("sentence.heads.leading"));
  const std::string of_head = shown();
  choose("sentence.head", "all");
  CHECK(bench.robot().value("sentence.head") == "all");
  CHECK(bench.state.shown() == TextHead{reading.leading_head->layer, std::nullopt});
  CHECK(shown() != of_head);
  choose("sentence.head", "1");
  choose("sentence.layer", "0");
  CHECK(bench.state.shown() == TextHead{0, 1});
  bench.state.text = "Tom gave the key to";  // the choice stays
  bench.read();
  CHECK(bench.robot().value("sentence.head") == "1");
  bench.state.text = "When Ann and Tom went out , Tom gave the key to";
  bench.read();
  bench.robot().click("sentence.heads.leading");
  bench.robot().frames(2);
  CHECK(shown() == of_head);
}

TEST_CASE("sentence: the line beside the heads speaks of the word that is pointed at") {
  SentenceBench bench;
  CHECK(
      bench.robot().value("sentence.looks") ==
      "“to” looks most at “Ann”: 91 % · of all heads this one looks most at “Ann”, the likeliest next word");
  bench.robot().hover("sentence.word.4");
  bench.robot().frames(2);
  REQUIRE(bench.robot().value("sentence.word.4").ends_with("(chosen)"));
  CHECK(bench.robot().value("sentence.looks").starts_with("“Tom” looks most at "));
  CHECK(bench.robot().value("sentence.looks").find("no head") == std::string::npos);
}

TEST_CASE("sentence: with little room the heads are chosen, and nothing is said beside them") {
  SentenceBench bench({300, 420});
  CHECK(bench.robot().shows("sentence.head"));
  CHECK_FALSE(bench.robot().shows("sentence.looks"));
}

TEST_CASE("sentence: where no head is singled out, the line says why") {
  SentenceBench bench;
  bench.state.text = "Ann gave";
  bench.read();
  REQUIRE_FALSE(bench.state.reading->leading_head);
  CHECK(bench.robot().value("sentence.head") == "all");
  CHECK_FALSE(bench.robot().shows("sentence.heads.leading"));
  CHECK(bench.robot().value("sentence.looks").find("is not in the text") != std::string::npos);
}

TEST_CASE("sentence: Escape ends typing and keeps the text") {
  SentenceBench bench;
  bench.state.typing = bench.state.focus_asked = true;
  bench.robot().frames(3);
  bench.robot().key(Key::A, {.ctrl = true});
  bench.robot().type("Mary gave the ball to");
  bench.robot().frames(2);
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  CHECK_FALSE(bench.state.typing);
  CHECK(bench.state.text == "Mary gave the ball to");
}

TEST_CASE("sentence: an average that looks elsewhere than the next word is explained") {
  SentenceBench bench;
  bench.state.text = "When Rosa and Ben met , Ben gave the old lamp to";
  bench.read();
  CHECK_FALSE(bench.robot().shows("sentence.mixture"));
  bench.state.head = TextHead{bench.state.reading->layers - 1, std::nullopt};
  bench.robot().frames(2);
  CHECK(bench.robot()
            .value("sentence.mixture")
            .starts_with("On average the heads look most at “Ben”, yet “Rosa”"));
  bench.robot().hover("sentence.word.4");
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("sentence.mixture"));
}

TEST_CASE("sentence: beams without a number are fainter than a number that is shown beside the heads") {
  SentenceBench bench({520, 300});
  bench.state.text = "Ann lost her xyzzyxwvtiliti . Tom found it and gave it to";
  bench.state.head = TextHead{bench.state.reading->layers - 1, std::nullopt};
  bench.read();
  bench.robot().hover("sentence.word.17");
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.looks").find("numbers from ") != std::string::npos);
}

TEST_CASE("sentence: where each beam has its number, nothing is said of numbers") {
  SentenceBench bench;
  CHECK(bench.robot().value("sentence.looks").find("numbers from") == std::string::npos);
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

TEST_CASE(
    "sentence: while one types it says what the model has read, and offers sentences that it goes on with") {
  SentenceBench bench({1280, 520});
  CHECK_FALSE(bench.robot().shows("sentence.read"));
  bench.state.typing = true;
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.read") == kReadByBundled);
  for (const TriedSentence& tried : kTriedSentences) {
    INFO(tried.text);
    bench.robot().click(std::string("sentence.try.") + tried.id);
    CHECK(bench.state.text == tried.text);
    bench.read();
    CHECK(bench.robot().value("sentence.next.0").starts_with(std::string(tried.next) + " "));
    for (std::size_t i = 1; i < bench.state.reading->continues.size(); ++i)
      CHECK_FALSE(bench.state.reading->continues[i]);  // the model knows every word
  }
}

TEST_CASE("sentence: the number of lines that the model has read is that of its training") {
  std::ifstream script(headlight_test::source_root() + "/assets/examples/train_words");
  const std::string text((std::istreambuf_iterator<char>(script)), std::istreambuf_iterator<char>());
  const auto option = [&text](const std::string& name) {
    return std::stoi(text.substr(text.find("--" + name + " ") + name.size() + 3));
  };
  REQUIRE(option("length") == 48);  // each window of the training is one line
  CHECK(option("batch") * option("steps") == 96'000);
  CHECK_THAT(std::string(kReadByBundled), headlight_test::ContainsSubstring("96,000 lines"));
}

namespace {

// As the program does in each frame for what is supposed.
void read_supposing_of(SentenceBench& bench) {
  SentenceState& state = bench.state;
  state.supposing = state.supposed ? std::make_shared<const TextReading>(
                                         read_supposing(bench.pass, *state.reading, *state.supposed, 3))
                                   : nullptr;
  bench.robot().frames(2);
}

ImVec2 middle_of(SentenceBench& bench, int word) {
  const Rect rect = bench.robot().widget("sentence.word." + std::to_string(word)).rect;
  return {static_cast<float>(rect.x + rect.width / 2), static_cast<float>(rect.y + rect.height / 2)};
}

// Pulls the beam that ends at a word to another word.
void pull(SentenceBench& bench, int from, int to) {
  const Rect end = bench.robot().widget("sentence.beam." + std::to_string(from)).rect;
  bench.robot().stroke({static_cast<float>(end.x), static_cast<float>(end.y) - 4}, middle_of(bench, to));
  bench.robot().move_to({1, 1});
  read_supposing_of(bench);
}

}  // namespace

TEST_CASE("sentence: the end of a beam that is pulled to another word says what the model would expect") {
  SentenceBench bench;
  REQUIRE(bench.robot().value("sentence.beam.2") == "91 %");
  pull(bench, 2, 4);
  REQUIRE(bench.state.supposed);
  CHECK(*bench.state.supposed == MovedAttention{*bench.state.reading->leading_head, 12, 2, 4});
  CHECK_FALSE(bench.state.held);
  CHECK_FALSE(bench.robot().shows("sentence.beam.2"));
  CHECK(bench.robot().value("sentence.beam.4") == "95 % (supposed)");
  const std::string said = bench.robot().value("sentence.supposed");
  CHECK(said ==
        "Supposed: layer 2, head 3 looks at “Tom” with 95 % instead of at “Ann”. Next word: “Ann” 64 %");
  CHECK(bench.robot().value("sentence.next.0") == "Ann 64 %");  // other heads still look at Ann
  CHECK(bench.robot().value("sentence.looks").starts_with("as it is: at “Ann” with 91 %, then “Ann” 99.7 %"));
  bench.robot().hover("sentence.word.9");
  bench.robot().frames(2);
  CHECK(bench.robot().value("sentence.word.12") == "to (chosen)");  // the word that was supposed of asks
  bench.robot().move_to({1, 1});

  SECTION("pulled again it goes on from where it is") {
    pull(bench, 4, 10);
    CHECK(*bench.state.supposed == MovedAttention{*bench.state.reading->leading_head, 12, 2, 10});
    pull(bench, 10, 2);  // back to its own place
    CHECK_FALSE(bench.state.supposed);
    CHECK(bench.robot().value("sentence.beam.2") == "91 %");
    CHECK(bench.robot().value("sentence.next.0") == "Ann 99.7 %");
  }
  SECTION("Escape") {
    bench.robot().key(Key::Escape);
  }
  SECTION("a click beside everything") {
    bench.robot().stroke({640, 400}, {640, 400});
  }
  SECTION("a click on a word") {
    bench.robot().click("sentence.word.9");
  }
  SECTION("another head") {
    bench.robot().click("sentence.head");
    bench.robot().frames(2);
    bench.robot().click("sentence.head.1");
  }
  SECTION("another text") {
    bench.state.text = "When Ann and Tom met , Tom gave the key to";
  }
  SECTION("a pair that is drawn") {
    bench.robot().stroke(middle_of(bench, 12), middle_of(bench, 4));
    CHECK(bench.state.held);
  }
  bench.robot().frames(2);
  CHECK_FALSE(bench.state.supposed);
  CHECK_FALSE(bench.robot().shows("sentence.supposed"));
}

TEST_CASE("sentence: between two words the share of a pulled beam is divided, and later words get nothing") {
  SentenceBench bench;
  bench.robot().click("sentence.word.9");
  bench.robot().move_to({1, 1});
  bench.robot().frames(2);
  const SentenceBench& is = bench;
  const Index query = is.state.query();
  REQUIRE(query == 9);
  Eigen::Index from = 0;
  bench.state.weights_of(query).maxCoeff(&from);
  pull(bench, static_cast<int>(from), 12);  // not yet written where "gave" asks
  REQUIRE(bench.state.supposed);
  CHECK(bench.state.supposed->to <= 9);
  const Rect ann = bench.robot().widget("sentence.word.2").rect,
             next = bench.robot().widget("sentence.word.3").rect;
  const auto between = static_cast<float>((ann.x + 0.75 * ann.width + next.x + 0.25 * next.width) / 2);
  const int to = static_cast<int>(bench.state.supposed->to);
  const Rect end = bench.robot().widget("sentence.word." + std::to_string(to)).rect;
  bench.robot().stroke({static_cast<float>(end.x + end.width / 2), static_cast<float>(end.y) - 1},
                       {between, static_cast<float>(ann.y) - 10});
  read_supposing_of(bench);
  REQUIRE(bench.state.supposed);
  CHECK(std::abs(bench.state.supposed->to - 2.5) < 0.1);
  CHECK(bench.robot().value("sentence.supposed").find("” with ") != std::string::npos);
  CHECK_THAT(static_cast<double>(bench.state.weights_of(query).sum()), headlight_test::WithinAbs(1, 1e-5));
}

TEST_CASE("sentence: Shift with the arrows moves the end of the widest beam from word to word") {
  SentenceBench bench;
  bench.robot().key(Key::Right, {.shift = true});
  read_supposing_of(bench);
  REQUIRE(bench.state.supposed);
  CHECK(bench.state.supposed->from == 2);
  CHECK(bench.state.supposed->to == 3);
  bench.robot().key(Key::Right, {.shift = true});
  read_supposing_of(bench);
  CHECK(bench.state.supposed->to == 4);
  CHECK(bench.robot().value("sentence.next.0") == "Ann 64 %");
  bench.robot().key(Key::Left, {.shift = true});
  bench.robot().key(Key::Left, {.shift = true});
  bench.robot().frames(2);
  CHECK_FALSE(bench.state.supposed);  // back at its own place
}

TEST_CASE("sentence: of all heads of a layer a pull moves the share of each of them") {
  SentenceBench bench;
  const Index layer = 2, ann = 2, tom = 4;
  bench.state.head = TextHead{layer, std::nullopt};
  bench.robot().frames(2);
  pull(bench, ann, tom);
  REQUIRE(bench.state.supposed);
  CHECK(
      bench.robot().value("sentence.supposed") ==
      "Supposed: layer 2, all heads look at “Tom” with 45 % on average instead of at “Ann”. Next word: “Tom” "
      "85 %");
  for (Index head = 0; head < bench.state.reading->heads; ++head) {
    const Eigen::RowVectorXf before = bench.state.reading->weights_of(12, {layer, head}),
                             after = bench.state.supposing->weights_of(12, {layer, head});
    CHECK(after(ann) == 0);
    CHECK(std::abs(after(tom) - before(tom) - before(ann)) < 1e-6f);
  }
}
