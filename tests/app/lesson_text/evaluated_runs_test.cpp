// The verdicts of conditions, and the texts that follow from them.
#include "app/lesson_text/evaluated_runs.h"

#include "app/lesson_text/lesson_labels.h"
#include "engine/layer/reshape.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The evaluated states of a lesson: its layer at first, and now.
struct Evaluated {
  explicit Evaluated(const Layer& layer) : Evaluated(layer, layer) {}
  Evaluated(const Layer& opened, const Layer& now) : first_(evaluate(opened)), now_(evaluate(now)) {}

  Verdict of(const std::string& condition) const {
    TextScanner in(condition);
    return verdict(read_condition(in, 0, 0), states());
  }
  std::string text(const std::string& text) const { return told(parse_text(text, 0, 0), states()); }
  std::string text(const std::string& text, const LessonLanguage& language) const {
    return told(parse_text(text, 0, 0), {&now_source_, &first_source_, &first_source_, nullptr, &language});
  }
  ReferencedStates states() const { return {&now_source_, &first_source_, &first_source_}; }

 private:
  Evaluator first_, now_;
  PassValues first_source_{first_}, now_source_{now_};
};

Layer lesson_model(const std::string& stem) {
  return lesson_session(stem).layer;
}

}  // namespace

TEST_CASE("conditions evaluated: numbers, lists and what joins them") {
  const Evaluated told(lesson_model("01-one-query-dot-products"));
  CHECK(told.of("scores[1,1] > scores[1,4]") == Verdict::Yes);
  CHECK(told.of("scores[1,1] <= scores[1,4]") == Verdict::No);
  CHECK(told.of("scores > 0") == Verdict::Yes);  // for each of the scores
  CHECK(told.of("scores > 1") == Verdict::No);
  CHECK(told.of("scores < 1") == Verdict::No);
  CHECK(told.of("scores = scores transposed") == Verdict::Yes);
  CHECK(told.of("weights ~ weights transposed") == Verdict::No);
  CHECK(told.of("weights !~ weights transposed") == Verdict::Yes);
  CHECK(told.of("scores[1,1] = scores[1] largest and scores[1,4] = scores[1] smallest") == Verdict::Yes);
  CHECK(told.of("scores[1,0] = 7 or not scores[1,0] = 8") == Verdict::Yes);
  CHECK(told.of("weights[1] sum ~ 1") == Verdict::Yes);
  CHECK(told.of("abs (2 - 3 * 4) / 5 = -(-2)") == Verdict::Yes);
  CHECK(told.of("bits 8 = 3") == Verdict::Yes);
  CHECK(told.of("mask is none") == Verdict::Yes);
  CHECK(told.of("normalization is sum") == Verdict::No);
  CHECK(told.of("dropout_seed is set or layout is out_in or projection is linear or bias is on") ==
        Verdict::No);
  CHECK(told.of("training is on and dropout is off and output_projection is off and scale is none and "
                "disabled_heads is none") == Verdict::Yes);
}

TEST_CASE("conditions evaluated: digits that look alike are the same, others are not") {
  CHECK(alike(0.12344, 0.12348));
  CHECK_FALSE(alike(0.1234, 0.1235));
  CHECK(alike(123456.0, 123457.0));
  CHECK_FALSE(alike(123456.0, 123460.0));
  CHECK(alike(INFINITY, INFINITY));
  CHECK_FALSE(alike(INFINITY, 1e30));
  CHECK_FALSE(alike(-INFINITY, INFINITY));
}

TEST_CASE("conditions evaluated: of what is gone, or no number, nothing is claimed") {
  Layer now = lesson_model("03-naive-softmax");
  const Layer opened = now;
  now.embeddings[0].row(1) *= 20;  // the exponentials overflow
  remove_token(now, 5);
  const Evaluated told(opened, now);
  CHECK(told.of("nan weights[1]") == Verdict::Yes);
  CHECK(told.of("nan weights[4]") == Verdict::No);
  CHECK(told.of("weights[1,1] > 0") == Verdict::Undecidable);
  CHECK(told.of("not weights[1,1] > 0") == Verdict::Undecidable);
  CHECK(told.of("weights[5,5] > 0") == Verdict::Undecidable);
  CHECK(told.of("weights[5,5] > 0 and scores[1,0] = 77") == Verdict::No);
  CHECK(told.of("weights[5,5] > 0 or scores[1,0] > 0") == Verdict::Yes);
  CHECK(told.of("changed weights[5,5]") == Verdict::Yes);
  CHECK(told.of("changed embeddings[0]") == Verdict::No);
  CHECK(told.text("It is {if weights[5,5] > 0}more{else}less{end}.") == "It is –.");
}

TEST_CASE("lesson text: the branch that holds, and no other") {
  const Evaluated told(lesson_model("02-dividing-by-the-sum"));
  const std::string text = "{if scores[1,0] < 0}a{elif scores[1,0] < 1}b{token[1]}{else}c{end}!";
  CHECK(told.text(text) == "bjourney!");
  CHECK(told.text("{compare weights[1,4], weights[1,2]: less | as much | more}") == "less");
  CHECK(told.text("{compare weights[1,2], weights[1,4]: less | as much | more}") == "more");
  CHECK(told.text("{compare scores[1,4], scores[4,1]: less | as much | more}") == "as much");
  CHECK(told.text("{tokens words} {fixed 88.7: why} {type −3} {calc 1 / tokens:2} {scores count > 0}") ==
        "six 88.7 −3 0.17 36");
}

TEST_CASE("lesson text: what held first and no longer does is told beside what holds now") {
  const Layer opened = lesson_model("02-dividing-by-the-sum");
  CHECK(Evaluated(opened).text("{now scores[4,5]}") == "0.2935");
  Layer now = opened;
  now.embeddings[0](4, 0) = -3;
  const Evaluated told(opened, now);
  CHECK(told.text("{now scores[4,5]}") == "0.1050 (at first 0.2935)");
  CHECK(told.text("{first scores[4,5]} {scores[4,5]:2} {opened scores[4,5]}").substr(0, 7) == "0.2935 ");
  CHECK(told.text("{now scores[0,1]}") == "0.9544");  // unchanged, hence no "at first"
}

TEST_CASE("lesson text: a live number can be pointed at, one of the past cannot") {
  const Layer opened = lesson_model("02-dividing-by-the-sum");
  const Evaluated told(opened);
  const std::vector<EvaluatedRun> runs =
      evaluated_runs(parse_text("a {scores[1,0]} {first scores[1,0]}", 0, 0), told.states());
  REQUIRE(runs.size() == 4);
  CHECK_FALSE(runs[0].live);
  CHECK(runs[1].live);
  CHECK(runs[1].cell == CellAddress{Stage::Scores, 0, 0, 1, 0});
  CHECK_FALSE(runs[3].cell);
}

TEST_CASE("conditions evaluated: whether there are such numbers, of draws while they are shown") {
  const Evaluated told(lesson_model("18-dropout-after-the-weights"));
  const std::string mean = "{if known dropped[1,1] drawn_mean}{dropped[1,1] drawn_mean}{else}none{end}";
  CHECK(told.text(mean) == "none");
  CHECK(told.text("{if known weights[1,1]}yes{else}no{end} {if known weights[90,1]}yes{else}no{end}") ==
        "yes no");
}

TEST_CASE("evaluated runs: an index is counted as the window counts") {
  const Evaluated told(lesson_model("18-dropout-after-the-weights"));
  ReferencedStates states = told.states();
  const auto pieces = parse_text("in column {index 1}.", 0, 0);
  CHECK(evaluated_runs(pieces, states).at(1).text == "1");
  states.counting = {1};
  CHECK(evaluated_runs(pieces, states).at(1).text == "2");
  for (const char* bad : {"{index}", "{index x}", "{index -1}", "{index 1 2}"})
    CHECK_THROWS_AS(parse_text(bad, 0, 0), Error);
}

TEST_CASE("evaluated runs: a control has its name on screen, or the text's own words") {
  const Evaluated told(lesson_model("01-one-query-dot-products"));
  CHECK(told.text("Press {control many_draws}, set the {control dropout_seed: seed}.") ==
        "Press Many draws, set the seed.");
  const std::vector<EvaluatedRun> runs =
      evaluated_runs(parse_text("Press {control learn} now.", 0, 0), told.states());
  REQUIRE(runs.size() == 3);
  CHECK(runs[1].text == "Learn");
  CHECK(runs[1].control == "learning.learn");
  CHECK(runs[2].control.empty());
  CHECK(told.text("Press {control lern}.") == "Press lern.");  // `check` tells which there are
  for (const char* bad : {"{control}", "{control learn:}", "{control learn now}"})
    CHECK_THROWS_AS(parse_text(bad, 0, 0), Error);
}

TEST_CASE("evaluated runs: a lesson in German and one in Swahili") {
  Layer now = lesson_model("04-softmax-and-context");
  now.embeddings.front()(0, 0) = 1.5f;
  const Evaluated told(lesson_model("04-softmax-and-context"), now);
  const LessonLanguage german = {{{"at_first", "zuerst"}, {"equally", "und ebenso"}}, true};
  const std::string text = told.text("{now embeddings[0,0]}", german);
  CHECK(text == "1,5 (zuerst 0,43)");
  CHECK(told.text("{embeddings[0]}", german) == "1,5; 0,15; 0,89");
  CHECK(told.text("Tippe {type 1.5} ein, 3. Zahl von „{token[0]}“", german) ==
        "Tippe 1,5 ein, 3. Zahl von „Your“");
  CHECK(told.text("{calc 1 / 4:2}", german) == "0,25");
  const LessonLanguage swahili = {{{"at_first", "mwanzoni"}}, false};
  CHECK(told.text("{now embeddings[0,0]}", swahili) == "1.5 (mwanzoni 0.43)");
}

TEST_CASE("lesson labels: own words, English ones, and keys that are unknown") {
  const LessonLanguage language = {{{"next", "Mbele"}, {"rihgt", "Sawa"}, {"back", ""}}};
  CHECK(label_text(language, LessonLabel::Next) == "Mbele");
  CHECK(label_text(language, LessonLabel::Right) == "Right");
  const std::vector<std::string> faults = label_faults(language);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0] == "the label \"back\" has no words: leave it out, or write some");
  CHECK(faults[1].starts_with("there is no label \"rihgt\": the nearest is \"right\"; there are also "));
}
