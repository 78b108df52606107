// The faults that `headlight check` finds in a lesson, and the contents of a handout.
#include "app/lesson_text/lesson_check.h"

#include "app/handout/handout.h"
#include "app/lesson_text/lesson_controls.h"
#include "app/lesson_text/lesson_labels.h"

#include <filesystem>
#include <regex>

#include "app/handout/page_setter.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The lesson on the causal mask, reduced to one step.
Session one_step() {
  Session session = headlight_test::lesson_session("16-causal-mask");
  LessonStep step;
  step.title = "A step";
  step.text = "{if weights[1,0] > 0}It is {weights[1,0]}.{else}It is nothing.{end}";
  step.cells = {{1, 0}};
  session.lesson->steps = {step};
  return session;
}

std::vector<std::string> faults_with(const std::function<void(LessonStep&)>& change) {
  Session session = one_step();
  change(session.lesson->steps[0]);
  std::vector<std::string> lines;
  for (const LessonFault& fault : lesson_faults(session))
    lines.push_back(fault.place + ": " + fault.what);
  return lines;
}

void check_one(const std::function<void(LessonStep&)>& change, const std::string& place,
               const std::string& what) {
  const std::vector<std::string> lines = faults_with(change);
  INFO(place << " " << what);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with(place + ": "));
  CHECK(lines[0].find(what) != std::string::npos);
}

LessonQuestion asked() {
  LessonQuestion question;
  question.text = "What will it do?";
  question.answers = {"Grow", "Shrink"};
  question.replies = {"It is {now weights[1,0]}.", "It is {weights[1,0]}."};
  question.change.emplace();
  question.change->settings.mask = MaskKind::None;
  return question;
}

}  // namespace

TEST_CASE("lesson check: each fault is found, with its step and its part") {
  CHECK(faults_with([](LessonStep&) {}).empty());
  check_one([](LessonStep& step) { step.title = "The 0.15"; }, "step 1, title", "a bare number, 0");
  check_one([](LessonStep& step) { step.try_it = "It is the largest."; }, "step 1, try", "a bare comparison");
  check_one([](LessonStep& step) { step.text = "{if weights[1,0] > 2}A{else}B{end}"; }, "step 1, text",
            "does not say “A”");
  check_one([](LessonStep& step) { step.text = "{if weights[0,2] > 0 or weights[1,0] < 0}A{else}B{end}"; },
            "step 1, text", "false as the step opens");
  check_one([](LessonStep& step) { step.text = "{if 1 < 2}A{else}B{end}"; }, "step 1, text",
            "no state decides it");
  check_one([](LessonStep& step) { step.cells.clear(); }, "step 1", "lights nothing");
  check_one([](LessonStep& step) { step.text = std::string(20'000, 'a'); }, "step 1, text", "longer than");
  check_one(
      [](LessonStep& step) {
        step.question = asked();
        step.question->answers[1] = "Three times as much";
      },
      "step 1, answers", "a bare number, Three");
  check_one(
      [](LessonStep& step) {
        step.question = asked();
        step.question->change->settings.mask = MaskKind::Causal;
      },
      "step 1, change", "leaves everything as it is");
  check_one(
      [](LessonStep& step) {
        step.question = asked();
        step.question->replies[0] = "{if mask is causal}A{else}B{end}";
      },
      "step 1, reply 1", "false once it was done");
  CHECK(faults_with([](LessonStep& step) { step.question = asked(); }).empty());
  Session none = one_step();
  none.lesson.reset();
  CHECK(lesson_faults(none).size() == 1);
}

TEST_CASE("lesson check: a control that a text names exists, and is on screen in the step") {
  const auto with = [](const std::string& words) {
    return [words](LessonStep& step) { step.try_it = LessonText(words); };
  };
  CHECK(faults_with(with("Press {control draw_again}, then {control learn}.")).size() == 2);
  check_one(with("Press {control lern}."), "step 1, try",
            "no control \"lern\": the nearest is \"learn\"; there are also ");
  check_one(with("Press {control learn}."), "step 1, try", "“Learn” is not on screen in this step");
  check_one(with("Press {control many_draws}."), "step 1, try", "above the pictures of dropped");
  check_one(with("Press {control solo}."), "step 1, try", "needs several heads");
  check_one(with("Choose {control layers}."), "step 1, try", "a page of a whole model");
  check_one(with("Choose {control key_tokens}."), "step 1, try", "keys with tokens of their own");
  CHECK(faults_with(with("Click {control stage_dropped} and press {control many_draws}.")).empty());
  CHECK(faults_with(with("Set the {control scale}, press {control paint}, then {control restore}.")).empty());
}

// Words that ask for a control without naming it as one.
const std::regex kUndeclared("[Pp]ress (“|[A-Z])|[Cc]hoose [A-Z]");

TEST_CASE("lesson check: the instructions of lessons that once led elsewhere are found") {
  // The mean of the draws never came, the animation of a row did.
  const std::string play = "Switch training on, set p to {type 0.8}, and press Play above the picture.";
  // The likeliest words are the first column; the last one has others.
  const std::string column = "Choose Layers, and read the last column from below.";
  for (const std::string& written : {play, column})
    CHECK(std::regex_search(written, kUndeclared));
  Session session = headlight_test::lesson_session("whole-model");
  session.lesson->steps[3].try_it =
      LessonText("Choose {control layers}, and read the {control last_column: last column} from below.");
  const std::vector<LessonFault> faults = lesson_faults(session);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].place == "step 4, try");
  CHECK(faults[0].what.find("no control \"last_column\"") != std::string::npos);
}

TEST_CASE("lesson check: the controls of the lessons that come with the program, each named as a control") {
  std::size_t named = 0;
  for (const std::string& stem : lesson_stems()) {
    INFO(stem);
    const Session session = headlight_test::lesson_session(stem);
    for (const LessonFault& fault : lesson_faults(session)) {
      INFO(fault.place << ": " << fault.what);
      CHECK(fault.what.find("on screen") == std::string::npos);
      CHECK(fault.what.find("no control") == std::string::npos);
    }
    for (const LessonStep& step : session.lesson->steps)
      for (const LessonText& text : step.texts()) {
        INFO(text.written());
        CHECK_FALSE(std::regex_search(text.written(), kUndeclared));
        named += control_pieces(text.pieces()).size();
      }
  }
  CHECK(named > 60);
}

TEST_CASE("lesson check: the layers are read in the column that ends in the prediction") {
  const Session session = headlight_test::lesson_session("whole-model");
  const std::vector<const LessonControl*> named = controls_of(session.lesson->steps[3].try_it.pieces());
  REQUIRE(named.size() == 3);
  CHECK(named[0]->probe == "model.page.layers");
  CHECK(named[1]->probe == "model.lens.0.0");  // tests of the page hold its column to the predictions
}

TEST_CASE("lesson check: labels are known ones") {
  Session session = one_step();
  session.lesson->language.labels = {{"nxt", "Weiter"}, {"back", "Zurück"}};
  const std::vector<LessonFault> faults = lesson_faults(session);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].place == "labels");
  CHECK(faults[0].what.find("no label \"nxt\": the nearest is \"next\"; there are also") !=
        std::string::npos);
}

TEST_CASE("lesson check: the glossary of a lesson has a meaning for each term") {
  Session session = one_step();
  session.lesson->language.glossary = {{"Gewicht", ""}};
  REQUIRE(lesson_faults(session).size() == 1);
  CHECK(lesson_faults(session)[0].what.find("the glossary has \"Gewicht\" without a meaning") == 0);
}

TEST_CASE("lesson labels: the page on lessons lists every key and no other") {
  const std::string page = read_file(std::filesystem::path(source_root()) / "assets/lessons/README.md");
  const std::size_t begin = page.find("All keys:"), end = page.find("`stage_embeddings`", begin);
  REQUIRE(end != std::string::npos);
  const std::string table = page.substr(begin, end - begin);
  std::vector<std::string> listed, keys;
  const std::regex cell("\\| `([a-z_]+)` \\|");
  for (std::sregex_iterator at(table.begin(), table.end(), cell), none; at != none; ++at)
    listed.push_back((*at)[1].str());
  for (const std::string& key : label_keys())
    if (!key.starts_with("stage_")) keys.push_back(key);
  std::sort(listed.begin(), listed.end());
  std::sort(keys.begin(), keys.end());
  CHECK(listed == keys);
}

TEST_CASE("lesson check: a reply to what is done by hand quotes numbers in an {if} alone") {
  const auto replied = [](const char* reply, const char* try_it) {
    return [=](LessonStep& step) {
      step.question = asked();
      step.question->change.reset();
      step.question->replies = {reply, "No."};
      step.try_it = try_it;
    };
  };
  check_one(replied("It is {weights[1,0]}.", "Take the mask off."), "step 1, reply 1",
            "it quotes numbers that can change after the answer");
  check_one(replied("It is {calc 100 * weights[1,0]:0} %.", "Take the mask off."), "step 1, reply 1",
            "it quotes numbers that can change after the answer");
  CHECK(faults_with(replied("It was {first weights[1,0]}.", "Take the mask off.")).empty());
  CHECK(faults_with(replied("“{token[1]}” asks.", "Take the mask off.")).empty());
  CHECK(faults_with(
            replied("{if mask is none}It is {weights[1,0]}.{else}Take it off.{end}", "Take the mask off."))
            .empty());
  CHECK(faults_with(replied("It is {weights[1,0]}.", "")).empty());  // nothing is to be done
}

TEST_CASE("check: of a step that cannot be read the words are checked as well") {
  const TemporaryFolder folder;
  Session session = one_step();
  session.lesson->steps[0].question = asked();
  session.lesson->steps[0].question->replies[1] = "It is 0.5.";
  std::string text = session_text(session);
  const std::string good = "It is nothing.";
  text.replace(text.find(good), good.size(), "{weihgts[0,0]} is the largest");
  folder.write("bad.headlight", text);
  const Outcome found = run({"check", (folder.path() / "bad.headlight").string()});
  INFO(found.out);
  CHECK(found.out.find("step 1, text: the quote \"{weihgts[0,0]}\"") != std::string::npos);
  CHECK(found.out.find("step 1, text: a bare comparison, largest") != std::string::npos);
  CHECK(found.out.find("step 1, reply 2: a bare number, 0.5") != std::string::npos);
  CHECK(found.out.find("1 step, 3 things to mend\n") != std::string::npos);
}

TEST_CASE("check: says every fault of a file with its place, also of steps that cannot be read") {
  const TemporaryFolder folder;
  Session session = one_step();
  session.lesson->steps.push_back(session.lesson->steps[0]);
  session.lesson->steps[1].text = "It is 0.5.";
  std::string text = session_text(session);
  const std::string good = "It is nothing.";
  text.replace(text.find(good), good.size(), "{weihgts[0,0]}");
  folder.write("bad.headlight", text);
  save_session(one_step(), folder.path() / "good.headlight");
  const std::string bad = (folder.path() / "bad.headlight").string(),
                    fine = (folder.path() / "good.headlight").string();

  const Outcome found = run({"check", fine, bad});
  CHECK(found.status() == kBadInput);
  CHECK(found.out.find(fine + ": 1 step, nothing to mend\n") == 0);
  CHECK(found.out.find(bad + ": step 1, text: ") != std::string::npos);
  CHECK(found.out.find("the nearest known name is \"weights\"") != std::string::npos);
  CHECK(found.out.find(bad + ": step 2, text: a bare number, 0") != std::string::npos);
  CHECK(found.out.find(bad + ": 2 steps, 2 things to mend\n") != std::string::npos);
  CHECK(run({"check", fine}).status() == kDone);
  CHECK(run({"check"}).status() == kBadUsage);
  CHECK(run({"check", (folder.path() / "none.headlight").string()}).status() == kBadInput);
}

TEST_CASE("check: says every mistake of a step at once, counted as steps are") {
  const TemporaryFolder folder;
  Session session = one_step();
  session.lesson->steps[0].question = asked();
  std::string text = session_text(session);
  const auto put = [&text](const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  put("It is nothing.", "{Der} {weights[0,9]} {if wieghts[0,0] > 0}A{else}{tokan[0]}{end}");
  put("\"replies\": [\"", "\"replies\": [\"{weights[7,0]}");
  folder.write("bad.headlight", text);
  const Outcome found = run({"check", (folder.path() / "bad.headlight").string()});
  INFO(found.out);
  const auto says = [&found](const std::string& words) { return found.out.find(words) != std::string::npos; };
  CHECK(says("step 1, text: the quote \"{Der}\" begins with an unknown name (a quote begins with a stage"));
  CHECK(says("step 1, text: the quote \"{if wieghts[0,0] > 0}\" begins with an unknown name (the nearest"));
  CHECK(says("step 1, text: the quote \"{tokan[0]}\""));
  CHECK(says("step 1, reply 1: a quote names what is not there: row 7 of \"weights\", which has "));
  CHECK(says("1 step, 4 things to mend\n"));
}

TEST_CASE("handout: a lesson of one's own has no number of the course") {
  Session session = one_step();
  session.lesson->order = 100;
  const std::string own = handout_bytes(session, false, "test"),
                    of_course = handout_bytes(session, true, "test");
  session.lesson->order = 101;
  CHECK(handout_bytes(session, false, "test") == own);
  CHECK(handout_bytes(session, true, "test") != of_course);
}

TEST_CASE("check and handout: every lesson that comes with the program") {
  const TemporaryFolder folder;
  for (const std::filesystem::path& file : headlight::lesson_files()) {
    INFO(file.string());
    const Outcome checked = run({"check", file.string()});
    INFO(checked.out);
    CHECK(checked.status() == kDone);
    const std::string pdf = (folder.path() / (file.stem().string() + ".pdf")).string();
    const Outcome printed = run({"handout", file.string(), "-o", pdf});
    INFO(printed.err);
    CHECK(printed.status() == kDone);
    const std::string bytes = read_file(pdf);
    CHECK(bytes.starts_with("%PDF-1.4"));
    CHECK(bytes.size() > 10'000);
  }
}

TEST_CASE("handout: refuses what is no lesson, another ending, and a file that is there") {
  const TemporaryFolder folder;
  Session session = one_step();
  save_session(session, folder.path() / "a.headlight");
  session.lesson.reset();
  save_session(session, folder.path() / "b.headlight");
  const auto handout = [&](const std::string& name, const std::string& to) {
    return run({"handout", (folder.path() / name).string(), "-o", (folder.path() / to).string()});
  };
  CHECK(handout("a.headlight", "a.png").err.find("saved as .pdf") != std::string::npos);
  CHECK(handout("b.headlight", "b.pdf").err.find("no lesson with steps") != std::string::npos);
  CHECK(handout("a.headlight", "a.pdf").status() == kDone);
  const std::string first = read_file(folder.path() / "a.pdf");
  CHECK(handout("a.headlight", "a.pdf").status() == kBadInput);
  CHECK(handout("a.headlight", "again.pdf").status() == kDone);
  CHECK(read_file(folder.path() / "again.pdf") == first);
}

TEST_CASE(
    "pages: paragraphs break at spaces, long words in themselves, and what is too long goes on overleaf") {
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = [](const std::string& text, double size_px, FontFace) {
    return TextSize{static_cast<double>(text.size()) * size_px / 2, size_px};
  };
  PageSetter pages(style, measure);
  const auto per_line = static_cast<std::size_t>(kTextWidth / 7);
  pages.paragraph("one two\nthree", {});
  pages.paragraph(std::string(per_line + 5, 'w') + " end", {});
  pages.paragraph(std::string(100'000, ' ') + "x", {});
  for (int i = 0; i < 100; ++i)
    pages.paragraph("line", {});
  const std::vector<FigureGrid> set = pages.take("Title", "of");
  REQUIRE(set.size() > 2);
  const std::vector<PlannedText>& texts = set[0].texts;
  CHECK(texts[0].text == "one two");
  CHECK(texts[1].text == "three");
  CHECK(texts[2].text == std::string(per_line, 'w'));
  CHECK(texts[3].text == "wwwww end");
  CHECK(texts[4].text == "x");
  for (const FigureGrid& page : set)
    for (const PlannedText& text : page.texts) {
      CHECK(text.y > kPageMargin / 2 - 1);
      CHECK(text.y < kPageHeight);
    }
  CHECK(set.back().texts.back().text ==
        "Title  ·  " + std::to_string(set.size()) + " of " + std::to_string(set.size()));
}

TEST_CASE(
    "lesson check: what the step's own change makes false is found, unless a condition or {fixed} holds it") {
  const auto with_text = [](const std::string& text) {
    return faults_with([&](LessonStep& step) {
      step.text = text;
      step.question = asked();  // the mask goes
    });
  };
  const auto outdated = [&](const std::string& text) {
    const std::vector<std::string> lines = with_text(text);
    return lines.size() == 1 && lines[0].starts_with("step 1, text: a claim is false once it was done, “");
  };
  CHECK(outdated("With the mask “{token[1]}” has {weights[1]}."));
  CHECK(with_text("{if mask is causal}With the mask “{token[1]}” has {weights[1]}.{else}No.{end}").empty());
  CHECK(with_text("{fixed With the mask: in general} a row is shorter than without it.").size() <= 1);
  CHECK(with_text("Without a mask “{token[1]}” would have others than {weights[1]}.").empty());
  CHECK(outdated("It starts with {weights[1,0]}, the first of its row."));
  CHECK(with_text("It starts with {first weights[1,0]}, the first of its row.").empty());
  CHECK(with_text("It starts with {weights[0,0]} dimensions.").size() <= 1);
}

TEST_CASE("lesson check: each change that a setting has words for makes them false") {
  const auto outdated = [](const std::string& text, const std::function<void(LessonSettings&)>& set) {
    return faults_with([&](LessonStep& step) {
             step.text = text;
             step.settings.dropout_training = true;
             step.settings.dropout_probability = 0;
             step.question = asked();
             step.question->change->settings = {};
             set(step.question->change->settings);
           }).size() == 1;
  };
  CHECK(outdated("Without dropout it is {weights[1,0]}.",
                 [](LessonSettings& settings) { settings.dropout_probability = 0.5; }));
  CHECK(outdated("Here, with no bias, it is {weights[1,0]}.",
                 [](LessonSettings& settings) { settings.qkv_bias = true; }));
  CHECK(outdated("There is one head: {weights[1,0]}.",
                 [](LessonSettings& settings) { settings.num_heads = 2; }));
  CHECK(outdated("There is no output projection, and it is {weights[1,0]}.",
                 [](LessonSettings& settings) { settings.output_projection = true; }));
}

TEST_CASE(
    "lesson check: no lesson says something false after its own change, in the past or in the present") {
  int changes = 0;
  for (const std::string& stem : lesson_stems()) {
    const Session session = headlight_test::lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps)
      if (step.question && step.question->change) ++changes;
    for (const LessonFault& fault : lesson_faults(session)) {
      INFO(stem << " " << fault.place << ": " << fault.what);
      CHECK(fault.what.find("once it was done") == std::string::npos);
    }
  }
  CHECK(changes > 30);
}
