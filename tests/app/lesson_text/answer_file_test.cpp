// The files of a class's answers: written, read, compared, and refused.
#include "app/lesson_text/answer_file.h"

#include "app/lesson_text/answer_table.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

AnswerFile answers_of(const std::string& name, double guess, bool right) {
  SavedAnswer bars{
      1,    "Where will the bars be?", AnswerKind::Numbers, {"Your", "journey"}, {guess, 0.5}, {0.25, 0.5},
      right};
  SavedAnswer word{3, "Which word?", AnswerKind::Marks, {"a", "b"}, {0, 1}, {1, 0}, false};
  return {name, "Guess", {bars, word}};
}

std::vector<AnsweredQuestion> questions_of(const std::vector<AnswerFile>& files) {
  return compared_answers(files).questions;
}

}  // namespace

TEST_CASE("answer file: what is written is read again") {
  AnswerFile file = answers_of("Ann", 0.25, true);
  CHECK(parse_answer_file(answer_file_text(file), "x") == file);
  file.answers[0].is_right.reset();
  file.answers[1].right.clear();
  CHECK(parse_answer_file(answer_file_text(file), "x") == file);
  file.answers[0].id = "1f2e#2";
  file.language = {{{"of", "von"}}, true};
  CHECK(parse_answer_file(answer_file_text(file), "x") == file);
  file.name.clear();
  CHECK(parse_answer_file(answer_file_text(file), "ben").name == "ben");
}

TEST_CASE("answer file: what is wrong is said with its place") {
  const std::string good = answer_file_text(answers_of("Ann", 0.25, true));
  const auto refuse = [&good](const std::string& from, const std::string& to, const std::string& what,
                              const std::string& where) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    INFO(text);
    check_error([&] { parse_answer_file(text, "x"); }, what, where, "");
  };
  refuse("headlight-answers", "headlight-session", "no file of answers", "format");
  refuse("\"version\": 1", "\"version\": 2", "reads version 1", "version");
  refuse("\"version\": 1", "\"version\": \"1\"", "not 1", "version");
  refuse("\"step\": 1", "\"step\": 0", "", "answers[0].step");
  refuse("\"kind\": \"numbers\"", "\"kind\": \"number\"", "\"number\" is unknown", "answers[0].kind");
  refuse("[0.25, 0.5]", "[0.25]", "1 numbers for 2 labels", "answers[0].guess");
  refuse("[0.25, 0.5]", "[0.25, \"x\"]", "", "answers[0].guess[1]");
  refuse("\"question\"", "\"qestion\"", "unknown key", "answers[0].qestion");
  CHECK_THROWS_AS(parse_answer_file("[]", "x"), Error);
  CHECK_THROWS_AS(parse_answer_file("{", "x"), Error);
  CHECK_THROWS_AS(parse_answer_file("", "x"), Error);
}

TEST_CASE("answer table: one question after the other, each reader once") {
  AnswerFile twice = answers_of("Ben", 0.9, false);
  twice.answers.push_back(twice.answers[0]);
  const auto all = questions_of({answers_of("Ann", 0.25, true), twice});
  REQUIRE(all.size() == 2);
  CHECK(all[0].step == 1);
  CHECK(all[0].readers.size() == 2);
  CHECK(all[0].summary() == "1 of 2 right");
  CHECK(guess_line(all[0], all[0].right) == "  0.25     0.50");
  CHECK(guess_line(all[1], all[1].right) == "a");
  CHECK(guess_line(all[1], all[1].readers[0].guess) == "b");
  CHECK(all[1].summary() == "0 of 2 right");
}

TEST_CASE(
    "answer table: a right choice counts before its change was tried, a number that was not judged does "
    "not") {
  AnswerFile ann = answers_of("Ann", 0.25, true);
  ann.answers[0].is_right.reset();
  ann.answers[1].is_right.reset();
  AnswerFile ben = ann;
  ben.name = "Ben";
  ben.answers[1].guess = {1, 0};
  const auto all = questions_of({ann, ben, answers_of("Cleo", 0.25, true)});
  CHECK(all[0].summary() == "1 of 1 right, 2 not tried");
  CHECK(all[1].summary() == "1 of 3 right");
  CHECK(all[1].readers[1].outcome == AnswerOutcome::Right);
}

TEST_CASE("answer table: what all answered is the mean of numbers and the count of marks") {
  const auto all = questions_of({answers_of("Ann", 0.25, true), answers_of("Ben", 0.75, false)});
  CHECK(all[0].tally() == std::vector<double>{0.5, 0.5});
  CHECK(tally_line(all[0]) == "  0.50     0.50");
  CHECK(all[1].tally() == std::vector<double>{0, 2});
  CHECK(tally_line(all[1]) == "b 2");
}

TEST_CASE("answer table: cells that only one reader clicked are counted for it alone") {
  // As the window writes a clicked cell: the right one, and the wrong one that was clicked.
  const auto clicked = [](const std::string& name, const std::string& other) {
    SavedAnswer answer{2, "Which cell?", AnswerKind::Marks, {"[1, 1]"}, {1}, {1}, true};
    if (!other.empty())
      answer = {2, "Which cell?", AnswerKind::Marks, {"[1, 1]", other}, {0, 1}, {1, 0}, false};
    return AnswerFile{name, "Cells", {answer}};
  };
  const auto all = questions_of({clicked("Ann", ""), clicked("Ben", "[0, 2]"), clicked("Cleo", "[2, 0]")});
  REQUIRE(all.size() == 1);
  CHECK(all[0].labels == std::vector<std::string>{"[1, 1]", "[0, 2]", "[2, 0]"});
  CHECK(all[0].tally() == std::vector<double>{1, 1, 1});
  CHECK(all[0].right == std::vector<double>{1, 0, 0});
}

TEST_CASE(
    "answer table: another version of a lesson is counted apart, a name that comes twice is told apart") {
  AnswerFile other = answers_of("Ann", 0.25, true);
  other.answers[0].labels = {"Dein", "Weg"};
  const auto all = questions_of({answers_of("Ann", 0.5, false), other});
  REQUIRE(all.size() == 3);
  CHECK(all[0].place() == "step 1");
  CHECK(all[1].place() == "step 1, another version");
  CHECK(all[1].readers[0].name == "Ann (2)");
  CHECK(all[2].readers.size() == 2);
}

// With the ids that the window writes: `version` of the numbers.
AnswerFile with_ids(AnswerFile file, const std::string& version) {
  for (SavedAnswer& answer : file.answers)
    answer.id = version + std::to_string(answer.step);
  return file;
}

TEST_CASE("answer table: of one version are answers to the same question, whatever its labels and titles") {
  AnswerFile moved = with_ids(answers_of("Cleo", 0.25, true), "a");
  moved.lesson = "Guess, corrected";
  moved.answers[0].step = 2;
  moved.answers[0].question = "Where will they be?";
  const auto all = questions_of({with_ids(answers_of("Zoe", 0.5, false), "old"),
                                 with_ids(answers_of("Ann", 0.25, true), "a"),
                                 with_ids(answers_of("Ben", 0.25, true), "a"), moved});
  REQUIRE(all.size() == 4);
  CHECK(all[0].place() == "step 1");  // that of most readers
  CHECK(all[0].readers.size() == 3);
  CHECK(all[0].summary() == "3 of 3 right");
  CHECK(all[1].place() == "step 1, another version");
  CHECK(all[1].readers.at(0).name == "Zoe");
  for (const AnsweredQuestion& asked : all) {
    CHECK(asked.lesson == "Guess");
    CHECK(asked.missing.empty());
  }
}

TEST_CASE("answer table: who guessed other numbers than the lesson's is not mixed into the others") {
  AnswerFile own = with_ids(answers_of("Ben", 0.9, true), "a");
  own.answers[0].right = {0.9, 0.5};
  const auto all = questions_of(
      {own, with_ids(answers_of("Ann", 0.25, true), "a"), with_ids(answers_of("Cleo", 0.25, true), "a")});
  CHECK(all[0].right == std::vector<double>{0.25, 0.5});
  CHECK(all[0].readers.size() == 2);
  CHECK(all[1].readers.at(0).name == "Ben");
}

TEST_CASE("answer table: who answered nothing is a reader, and every total is the same everywhere") {
  AnswerFile half = answers_of("Ben", 0.9, false), none = answers_of("Cleo", 0, false),
             open = answers_of("Dora", 0.25, true);
  half.answers.pop_back();
  none.answers.clear();
  open.answers[0].is_right.reset();
  const ClassAnswers all = compared_answers({answers_of("Ann", 0.25, true), half, none, open});
  CHECK(all.questions[0].summary() == "1 of 2 right, 1 not tried, 1 no answer");
  CHECK(all.questions[1].summary() == "0 of 2 right, 2 no answer");
  CHECK(all.questions[1].missing == std::vector<std::string>{"Ben", "Cleo"});
  REQUIRE(all.readers.size() == 4);
  std::string totals;
  for (const ClassReader& reader : all.readers)
    totals += reader.name + " " + total_text(reader.right, reader.judged, all.language()) + "; ";
  CHECK(totals == "Ann 1 of 2; Ben 0 of 1; Cleo 0 of 0; Dora 0 of 1; ");
  CHECK(grades_csv(all) ==
        "name,\"Guess, step 1\",\"Guess, step 1: answer\",\"Guess, step 3\",\"Guess, step 3: "
        "answer\",right,of\n"
        "Ann,1,0.25 0.50,0,b,1,2\n"
        "Ben,0,0.90 0.50,,,0,1\n"
        "Cleo,,,,,0,0\n"
        "Dora,,0.25 0.50,0,b,0,1\n");
}

TEST_CASE("answer table: of many marks the terminal has counts, of few their names") {
  SavedAnswer marks{1, "Which cells?", AnswerKind::Marks, {}, {}, {}, false};
  for (int i = 0; i < 12; ++i) {
    marks.labels.push_back("cell " + std::to_string(i));
    marks.right.push_back(i < 10 ? 1 : 0);
    marks.guess.push_back(i >= 3 && i < 11 ? 1 : 0);
  }
  const AnsweredQuestion many = questions_of({{"Ann", "Guess", {marks}}}).at(0);
  CHECK(brief_guess(many, many.readers.at(0).guess) == "7 right, 1 wrong, 3 missed");
  CHECK(brief_guess(many, many.right) == "10 right, 0 wrong, 0 missed");
  const AnsweredQuestion few = questions_of({answers_of("Ann", 0.25, true)}).at(1);
  CHECK(brief_guess(few, few.readers.at(0).guess) == "b");
}

TEST_CASE("answer table: names that come twice are told, and never two readers of one name") {
  const auto all = compared_answers(
      {answers_of("ann", 0.25, true), answers_of("ann (2)", 0.25, true), answers_of("ann", 0.9, false)});
  REQUIRE(all.readers.size() == 3);
  CHECK(all.readers[2].name == "ann (3)");
  REQUIRE(all.same_names.size() == 1);
  CHECK(all.same_names[0] ==
        "2 files have the name “ann”; they are counted as different readers: ann, ann (3)");
  AnswerFile other = answers_of("ann", 0.25, true);
  other.lesson = "Another lesson";
  const auto two_lessons = compared_answers({answers_of("ann", 0.25, true), other});
  CHECK(two_lessons.readers.size() == 1);
  CHECK(two_lessons.same_names.empty());
}

TEST_CASE("answer table: words and numbers are those of the lesson's language") {
  AnswerFile ann = answers_of("Ann", 0.25, true);
  ann.language = {{{"step", "Schritt"},
                   {"of", "von"},
                   {"right_marks", "richtig"},
                   {"not_tried", "nicht versucht"},
                   {"no_answer", "ohne Antwort"},
                   {"another_version", "andere Fassung"},
                   {"given_answer", "Antwort"},
                   {"name", "Name"}},
                  true};
  AnswerFile ben = ann;
  ben.name = "Ben";
  ben.answers.pop_back();
  ben.answers[0].is_right.reset();
  const ClassAnswers all = compared_answers({ann, ben});
  CHECK(all.questions[0].summary() == "1 von 1 richtig, 1 nicht versucht");
  CHECK(all.questions[1].summary() == "0 von 1 richtig, 1 ohne Antwort");
  CHECK(guess_line(all.questions[0], {0.25, 0.5}) == "  0,25     0,50");
  CHECK(grades_csv(all) ==
        "Name;\"Guess, Schritt 1\";\"Guess, Schritt 1: Antwort\";\"Guess, Schritt 3\";\"Guess, Schritt 3: "
        "Antwort\";richtig;von\n"
        "Ann;1;\"0,25 0,50\";0;b;1;2\n"
        "Ben;;\"0,25 0,50\";;;0;0\n");
}

TEST_CASE(
    "answer table: the table for grading has a line for each reader and leaves out what was not tried") {
  AnswerFile ben = answers_of("=Ben", 0.5, false);
  ben.answers[0].is_right.reset();
  ben.answers.pop_back();
  const std::string csv = grades_csv(compared_answers({answers_of("Ann", 0.25, true), ben}));
  CHECK(csv ==
        "name,\"Guess, step 1\",\"Guess, step 1: answer\",\"Guess, step 3\",\"Guess, step 3: "
        "answer\",right,of\n"
        "Ann,1,0.25 0.50,0,b,1,2\n"
        "'=Ben,,0.50 0.50,,,0,0\n");
}

TEST_CASE("answers: the command compares the files, on the terminal or on a page") {
  const TemporaryFolder folder;
  folder.write("ann.json", answer_file_text(answers_of("", 0.25, true)));
  folder.write("ben.json", answer_file_text(answers_of("", 0.9, false)));
  folder.write("bad.json",
               "{\"format\": \"headlight-answers\", \"version\": 1, \"answers\": [{\"stp\": 1}]}");
  const auto at = [&folder](const std::string& name) { return (folder.path() / name).string(); };
  const Outcome told = run({"answers", at("ann.json"), at("ben.json")});
  INFO(told.out << told.err);
  CHECK(told.status() == kDone);
  CHECK(told.out.find("Guess, step 1: Where will the bars be?\n") == 0);
  CHECK(told.out.find("  ann      0.25     0.50  right\n") != std::string::npos);
  CHECK(told.out.find("  ben      0.90     0.50  wrong\n") != std::string::npos);
  CHECK(told.out.find("1 of 2 right") != std::string::npos);
  const Outcome bad = run({"answers", at("ann.json"), at("bad.json")});
  CHECK(bad.status() == kBadInput);
  CHECK(bad.err.find("bad.json") != std::string::npos);
  CHECK(bad.err.find("answers[0].stp") != std::string::npos);
  CHECK(run({"answers", at("none.json")}).status() == kBadInput);
  CHECK(run({"answers", at("ann.json"), "-o", at("class.png")}).status() == kBadInput);
  CHECK(run({"answers", at("ann.json"), "-o", at("class.pdf")}).status() == kDone);
  CHECK(read_file(folder.path() / "class.pdf").starts_with("%PDF"));
  CHECK(run({"answers", at("ann.json"), "-o", at("class.pdf")}).status() == kBadInput);  // it is there
  CHECK(run({"answers", at("ann.json"), "-o", at("class.csv")}).status() == kDone);
  CHECK(read_file(folder.path() / "class.csv").starts_with("name,"));
  const Outcome nameless = run({"answers", at("ann.json"), at("ben.json"), "--anonymous"});
  CHECK(nameless.out.find("ben") == std::string::npos);
  CHECK(nameless.out.find("  mean     0.57     0.50\n") != std::string::npos);
  CHECK(run({"answers", at("ann.json"), "--anonymous", "-o", at("other.csv")}).status() == kBadInput);
}

TEST_CASE("answers: a folder stands for its files, and a class of none is said") {
  const TemporaryFolder folder;
  const auto at = [&folder](const std::string& name) { return (folder.path() / name).string(); };
  const Outcome empty = run({"answers", folder.path().string()});
  CHECK(empty.status() == kBadInput);
  CHECK(empty.err.find("there are no files of answers (.json) in this folder") != std::string::npos);
  CHECK(run({"answers", at("*.json")}).err.find("there are no files of answers like this") !=
        std::string::npos);
  AnswerFile none = answers_of("", 0.25, true);
  none.answers.clear();
  folder.write("cleo.json", answer_file_text(none));
  CHECK(run({"answers", folder.path().string()}).err.find("no question is answered in 1 file") !=
        std::string::npos);
  folder.write("ann.json", answer_file_text(answers_of("", 0.25, true)));
  const Outcome told = run({"answers", folder.path().string()});
  INFO(told.out << told.err);
  CHECK(told.status() == kDone);
  CHECK(told.out.find("  cleo   no answer\n") != std::string::npos);
  CHECK(told.out.find("in all\n  ann 1 of 2\n  cleo 0 of 0\n") != std::string::npos);
  CHECK(run({"answers", folder.path().string(), "--anonymous"}).out.find("ann") == std::string::npos);
}
