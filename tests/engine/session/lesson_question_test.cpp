// The question of a lesson step: reading, writing, errors, and the change of the layer that it applies.
#include "engine/attention/evaluator.h"
#include "engine/session/lesson.h"
#include "engine/session/lesson_text.h"
#include "engine/session/session.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

namespace {

json asking(const json& ask) {
  json document = small_session();
  document["lesson"] = {{"order", 1},
                        {"steps", json::array({{{"title", "A step"}, {"text", "Words."}, {"ask", ask}}})}};
  return document;
}

json choice() {
  return {{"question", "What will {weights[1,0]} do?"},
          {"answers", {"Grow", "Shrink"}},
          {"right", 1},
          {"replies", {"It shrank.", "Yes: {now weights[1,0]}."}}};
}

LessonQuestion read(const json& ask) {
  return *parsed(asking(ask)).lesson->steps[0].question;
}

// Expects an error for `choice` with one key changed, or removed if the value is null.
void refuse_question(const std::string& key, const std::string& value, const std::string& what,
                     const std::string& where, const std::string& hint) {
  json ask = choice();
  ask[key] = json::parse(value);
  if (ask[key].is_null()) ask.erase(key);
  INFO(ask.dump());
  check_error([&] { parsed(asking(ask)); }, what, "lesson.steps[0].ask" + where, hint);
}

}  // namespace

TEST_CASE("lesson questions: of each kind they are read, and written as they were read") {
  const LessonQuestion chosen = read(choice());
  CHECK(chosen.answers == std::vector<std::string>{"Grow", "Shrink"});
  CHECK(chosen.right == 1);
  CHECK(chosen.replies.size() == 2);

  json cell = {{"question", "Which is largest?"},
               {"cell", {{"stage", "scores"}, {"head", 0}, {"row", 1}, {"column", 1}}},
               {"replies", {"Yes.", "No."}}};
  CHECK(read(cell).cell == AskedCell{Stage::Scores, 0, {1, 1}});
  json number = {{"question", "How large will it be?"},
                 {"number", {{"of", "weights[1,0]"}, {"low", 0.25}, {"high", 0.75}}},
                 {"replies", {"Near.", "It is {weights[1,0]}."}},
                 {"change",
                  {{"set", {{"mask", "causal"}}},
                   {"numbers", {{{"of", "embeddings"}, {"row", 1}, {"column", 0}, {"value", 2.5}}}}}}};
  const LessonQuestion guessed = read(number);
  CHECK(guessed.number == AskedNumber{"{weights[1,0]}", 0.25, 0.75});
  REQUIRE(guessed.change);
  CHECK(guessed.change->settings.mask == MaskKind::Causal);
  CHECK(guessed.change->numbers == std::vector<ChangedNumber>{{std::nullopt, 1, 0, 2.5f}});

  for (const json& ask : {choice(), cell, number}) {
    const Session session = parsed(asking(ask));
    const std::string text = session_text(session);
    const Session again = parse_session(text, ".", "x.headlight");
    CHECK((again.lesson->steps[0].question == session.lesson->steps[0].question));
    CHECK(session_text(again) == text);
  }
}

TEST_CASE("lesson questions: what is wrong with one is said with its place") {
  refuse_question("question", "null", "\"question\" is missing", "", "say what is asked");
  refuse_question("question", "\"{weights[9,0]}?\"", "a quote names what is not there", ".question",
                  "count from 0");
  refuse_question("answers", "null", "a question without an answer", ".question",
                  "\"answers\" to choose from");
  refuse_question("cell", R"({"row": 0})", "more than one kind of answer", ".question", "\"cell\" to click");
  refuse_question("answers", R"(["One"])", "1 answers, expected two or three", ".answers", "It grows");
  refuse_question("answers", R"(["One", 2])", "is a number, expected text", ".answers[1]", "");
  refuse_question("right", "null", "\"right\" is missing", "", "which answer is right");
  refuse_question("right", "2", "", ".right", "");
  refuse_question("replies", "null", "\"replies\" is missing", "", "once it was tried");
  refuse_question("replies", R"(["One."])", "1 replies, expected 2", ".replies", "one for each answer");
  refuse_question("replies", R"(["One.", "{wieghts[0,0]}"])", "unknown name", ".replies[1]", "\"weights\"");
  refuse_question("change", "{}", "changes nothing", ".change", "\"set\", numbers");
  refuse_question("change", R"({"numbers": [{"of": "embeddings", "row": 99, "column": 0, "value": 1}]})", "",
                  ".change", "");
  refuse_question("change", R"({"numbers": [{"of": "W_quary", "row": 0, "column": 0, "value": 1}]})", "",
                  ".change.numbers[0].of", "W_query");
  refuse_question("change", R"({"set": {"d_out": 3, "num_heads": 2}})", "", ".change", "");
  refuse_question("reply", "1", "unknown key \"reply\"", ".reply", "rename or remove it");
}

namespace {

json drawn(const json& bars) {
  return {{"question", "Where will the bars be?"},
          {"bars", bars},
          {"replies", {"Yes.", "No: {now weights[1,0]}."}},
          {"change", {{"set", {{"mask", "causal"}}}}}};
}

void refuse_guess(const json& ask, const std::string& what, const std::string& where) {
  INFO(ask.dump());
  check_error([&] { parsed(asking(ask)); }, what, "lesson.steps[0].ask" + where, "");
}

}  // namespace

TEST_CASE("lesson questions: guesses with a shape are read, and written as they were read") {
  json bars = drawn({{"of", "weights[1]"}, {"drawn", {0, 1}}, {"high", 0.5}, {"right", "guess[1] > 0.25"}});
  bars["wrong"] = {{{"if", "guess sum > 1.5"}, {"reply", "Together they are {fixed 1: shares}."}}};
  const LessonQuestion drawn_ones = read(bars);
  REQUIRE(drawn_ones.bars);
  CHECK(drawn_ones.has_shape());
  CHECK(drawn_ones.bars->drawn == std::vector<Index>{0, 1});
  CHECK(drawn_ones.bars->near == 0.025);  // a twentieth
  CHECK(drawn_ones.wrong.size() == 1);
  CHECK(drawn_ones.replies.size() == 3);
  json cells = {{"question", "Which are forbidden?"},
                {"cells", {{"stage", "weights"}, {"rows", {0}}, {"right", "= 0"}}},
                {"wrong", {{{"if", "guess[0,0] = 1"}, {"reply", "It may see itself."}}}},
                {"replies", {"Yes.", "No."}},
                {"change", {{"set", {{"mask", "causal"}}}}}};
  const LessonQuestion marked = read(cells);
  REQUIRE(marked.marks);
  CHECK(marked.marks->rows == std::vector<Index>{0});
  CHECK(marked.marks->columns.size() == static_cast<std::size_t>(parsed(small_session()).layer.key_count()));
  CHECK((marked.marks->right == RightRule{RightIf::Equal, 0}));
  json word = {{"question", "Which is largest?"},
               {"word", {{"of", "weights[1]"}, {"right", "largest"}}},
               {"replies", {"Yes.", "No."}}};
  CHECK(read(word).word->right.kind == RightIf::Largest);
  json below = word;
  below["word"] = {{"of", "output[,0]"}, {"right", "< -0.5"}};
  CHECK((read(below).word->right == RightRule{RightIf::Less, -0.5}));
  for (const json& ask : {bars, cells, word, below}) {
    const Session session = parsed(asking(ask));
    const std::string text = session_text(session);
    const Session again = parse_session(text, ".", "x.headlight");
    CHECK((again.lesson->steps[0].question == session.lesson->steps[0].question));
    CHECK(session_text(again) == text);
  }
}

TEST_CASE("lesson questions: what is wrong with a guess is said with its place") {
  refuse_guess(drawn({{"of", "weights[1,0]"}}), "no row that is there", ".bars.of");
  refuse_guess(drawn({{"of", "weights[99]"}}), "no row that is there", ".bars.of");
  refuse_guess(drawn({{"of", "token[1]"}}), "no row that is there", ".bars.of");
  refuse_guess(drawn({{"of", "first weights[1]"}}), "no row that is there", ".bars.of");
  refuse_guess(drawn({{"of", "weights[1]"}, {"drawn", {77}}}), "", ".bars.drawn[0]");
  refuse_guess(drawn({{"of", "weights[1]"}, {"low", 1}, {"high", 0}}), "not below", ".bars");
  refuse_guess(drawn({{"of", "weights[1]"}, {"near", 0}}), "not above 0", ".bars.near");
  refuse_guess(drawn({{"of", "weights[1]"}, {"right", "guess[9] > 1"}}), "not there", ".bars.right");
  refuse_guess(drawn({{"of", "weights[1]"}, {"right", "weights[1,0] > 0"}}), "does not name the guess",
               ".bars.right");
  refuse_guess(drawn({{"of", "weights[1]"}, {"right", "guess[1] entropy > 0"}}), "asks a guess for",
               ".bars.right");
  refuse_guess(drawn({{"of", "weights[1]"}, {"right", "guess[1]} {if guess > 0"}}), "", ".bars.right");
  refuse_guess(drawn({{"of", "weights[1]"}, {"hihg", 1}}), "unknown key", ".bars.hihg");
  json both = drawn({{"of", "weights[1]"}});
  both["word"] = {{"of", "weights[1]"}, {"right", "largest"}};
  refuse_guess(both, "more than one kind of answer", ".question");
  json word = drawn({{"of", "weights[1]"}});
  word.erase("bars");
  word["word"] = {{"of", "queries[1]"}, {"right", "largest"}};
  refuse_guess(word, "no token for each number", ".word.of");
  word["word"] = {{"of", "weights[1]"}, {"right", "bigest"}};
  refuse_guess(word, "\"bigest\" is unknown", ".word.right");
  word["word"] = {{"of", "weights[1]"}, {"right", "< x"}};
  refuse_guess(word, "is no rule", ".word.right");
  word["word"] = {{"of", "weights[1]"}, {"right", "largest"}};
  word["wrong"] = {{{"if", "guess[0] ="}, {"reply", "No."}}};
  refuse_guess(word, "", ".wrong[0].if");
  word["wrong"] = {{{"if", "guess[0] = 1"}}};
  refuse_guess(word, "\"reply\" is missing", ".wrong[0]");
  json chosen = choice();
  chosen["wrong"] = {{{"if", "guess[0] = 1"}, {"reply", "No."}}};
  refuse_guess(chosen, "conditions on the guess", ".wrong");
  json outside = choice();
  outside["question"] = "Is it {guess[1]}?";
  refuse_guess(outside, "not there: the guess", ".question");
  json shaped = drawn({{"of", "queries[1]"}});
  shaped["change"] = {{"set", {{"d_out", 64}, {"num_heads", 1}}}};
  refuse_guess(shaped, "takes away what is guessed", ".change");
}

TEST_CASE("lesson questions: a number to guess is a single one, with ends in their order") {
  const auto guess = [](const std::string& of, double low, double high) {
    return asking({{"question", "How large?"},
                   {"number", {{"of", of}, {"low", low}, {"high", high}}},
                   {"replies", {"Near.", "Off."}}});
  };
  const std::string place = "lesson.steps[0].ask.number";
  check_error([&] { parsed(guess("weights[1]", 0, 1)); }, "no number that is there", place + ".of", "a cell");
  check_error([&] { parsed(guess("token[0]", 0, 1)); }, "no number that is there", place + ".of", "a cell");
  check_error([&] { parsed(guess("weights[1,7]", 0, 1)); }, "no number that is there", place + ".of", "");
  check_error([&] { parsed(guess("weights[1,0] biggest", 0, 1)); }, "biggest", place + ".of", "");
  check_error([&] { parsed(guess("weights[1,0]", 1, 1)); }, "\"low\" is not below \"high\"", place, "slider");
  CHECK_NOTHROW(parsed(guess("weights[1] largest", 0, 1)));
}

TEST_CASE("lesson questions: a change sets its numbers and settings, and drawn weights count as edited") {
  Layer layer = parsed(small_session()).layer;
  const Layer before = layer;
  REQUIRE(layer.uses(Parameter::Query));
  LessonChange change;
  change.settings.mask = MaskKind::Causal;
  change.numbers = {{std::nullopt, 0, 1, 7}, {Parameter::Query, 1, 0, -2}};
  apply_change(change, layer);
  CHECK(layer.attention.mask == MaskKind::Causal);
  CHECK(layer.embeddings[0](0, 1) == 7);
  CHECK(layer.weights.matrix(Parameter::Query)(1, 0) == -2);
  CHECK(layer.weights.edited);

  layer = before;
  change.numbers.push_back({Parameter::Query, 1000, 0, 1});
  CHECK_THROWS_AS(apply_change(change, layer), Error);
  CHECK(layer.embeddings[0] == before.embeddings[0]);
  CHECK(layer.attention.mask == before.attention.mask);
}

TEST_CASE("lesson steps: those that cannot be read are told, and the others are read") {
  json document = small_session();
  const json good = {{"title", "Good"}, {"text", "It is {weights[1,0]}."}};
  json unknown = good, viewless = good;
  unknown["text"] = "It is {weihgts[1,0]}.";
  viewless["view"] = "hologram";
  viewless["kept"] = {1, 2};
  document["lesson"] = {{"order", 1}, {"steps", json::array({good, unknown, good, viewless, 5})}};
  std::vector<Error> faults;
  const Session session = parse_session(document.dump(), ".", "x.headlight", &faults);
  REQUIRE(faults.size() == 3);
  CHECK(faults[0].where() == "lesson.steps[1].text");
  CHECK(faults[1].where().starts_with("lesson.steps[3]"));
  CHECK(faults[2].where() == "lesson.steps[4]");
  const std::vector<LessonStep>& steps = session.lesson->steps;
  REQUIRE(steps.size() == 5);
  CHECK(steps[0].unread.empty());
  CHECK(steps[1].title == "Good");
  CHECK(steps[1].text.written().starts_with("This step cannot be read. lesson.steps[1].text"));
  CHECK(steps[4].title == "A step without a title");

  // Saving writes the unreadable steps unchanged.
  const json saved = json::parse(session_text(session))["lesson"]["steps"];
  CHECK(saved[1] == unknown);
  CHECK(saved[3] == viewless);
  CHECK(saved[4] == 5);
  CHECK_THROWS_AS(parse_session(document.dump(), ".", "x.headlight"), Error);
}
