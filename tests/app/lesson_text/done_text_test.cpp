// What a lesson's change is called once it is made, and how long replies are.
#include "app/lesson_text/done_text.h"

#include "app/lesson_text/brief_reply.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string joined(const std::vector<EvaluatedRun>& runs) {
  std::string text;
  for (const EvaluatedRun& run : runs)
    text += run.text;
  return text;
}

Layer of_lesson(const std::string& stem) {
  return lesson_session(stem).layer;
}

}  // namespace

namespace {

// As it reads once the change is made.
std::string told_done(const LessonChange& change, const Layer& before) {
  Layer now = before;
  apply_change(change, now);
  return done_text(change, before, now, {1});
}

}  // namespace

TEST_CASE("done text: numbers have their places, settings their words") {
  const Layer layer = of_lesson("16-causal-mask");
  LessonChange change;
  change.numbers = {{std::nullopt, 5, 0, 3}};
  CHECK(told_done(change, layer) == "Done: the number of “step” in column 1 is 3 now.");
  change.numbers = {{std::nullopt, 1, 0, 0}, {std::nullopt, 1, 1, 0.25f}};
  CHECK(
      told_done(change, layer) ==
      "Done: the number of “journey” in column 1 is 0 now, the number of “journey” in column 2 is 0.25 now.");
  change.numbers = {{Parameter::Query, 0, 1, -2}};
  CHECK(told_done(change, layer) == "Done: the number in row 1, column 2 of W_query is −2 now.");
  change.numbers.assign(6, {Parameter::Query, 0, 1, 2});
  CHECK(told_done(change, layer) == "Done: 6 numbers of W_query are others now.");
  change.numbers.clear();
  change.settings.dropout_probability = 0.8;
  change.settings.dropout_training = true;
  CHECK(told_done(change, layer) == "Done: training is on now, p is 0.8 now.");
  change.settings = {};
  change.settings.disabled_heads = {{0}};
  CHECK(told_done(change, layer) == "Done: head 1 is off now.");
}

TEST_CASE("done text: what is so now is told, not what the change had set") {
  const Layer layer = of_lesson("16-causal-mask");
  LessonChange change;
  change.numbers = {{std::nullopt, 5, 0, 3}};
  change.settings.mask = MaskKind::None;
  change.settings.dropout_probability = 0.8;
  Layer now = layer;
  apply_change(change, now);
  now.embeddings[0](5, 0) = 4.5f;
  now.attention.mask = MaskKind::Rules;
  now.attention.dropout.probability = 0.25;
  CHECK(done_text(change, layer, now, {1}) ==
        "Done: the mask is another one now, p is 0.25 now, the number of “step” in column 1 is 4.5 now.");
}

TEST_CASE("done text: a change of one number has a few words, also on its way") {
  Layer layer = of_lesson("16-causal-mask");
  LessonChange change;
  change.numbers = {{std::nullopt, 5, 0, 3}};
  const auto number = number_change(change, layer);
  REQUIRE(number);
  CHECK(number_change_text(*number, 0) == "step · 0.05 → 0.05");
  CHECK(number_change_text(*number, 0.5) == "step · 0.05 → 1.52");
  CHECK(number_change_text(*number, 1) == "step · 0.05 → 3");
  change.numbers.push_back({std::nullopt, 4, 0, 3});
  CHECK_FALSE(number_change(change, layer));  // two
  change.numbers = {{std::nullopt, 6, 0, 3}};
  CHECK_FALSE(number_change(change, layer));  // a token that is gone
  change.numbers.clear();
  change.settings.dropout_probability = 0.8;
  CHECK(number_change_text(number_change(change, layer).value(), 1).ends_with(" → 0.8"));
  CHECK(with_number(change, 0.3).settings.dropout_probability == 0.3);
  change.settings.dropout_training = layer.attention.dropout.training;  // as it is: nothing changes
  CHECK(number_change(change, layer));
  change.settings.mask = MaskKind::None;
  CHECK_FALSE(number_change(change, layer));
  change = {};
  change.settings.scale = Scale{ScaleKind::None, 1};
  CHECK(number_change_text(number_change(change, layer).value(), 1) == "scale · 0.7071 → 1");
  CHECK(with_number(change, 5).settings.scale == Scale{ScaleKind::Number, 5});
}

TEST_CASE("done text: any change that is supposed has a few words") {
  const Layer layer = of_lesson("16-causal-mask");
  LessonChange change;
  change.settings.mask = MaskKind::None;
  change.settings.dropout_training = layer.attention.dropout.training;
  CHECK(change_text(change, layer, {1}) == "mask · causal → none");
  change.settings = {};
  change.settings.num_heads = 2;
  change.settings.disabled_heads = {{0}};
  CHECK(change_text(change, layer, {1}) == "heads · 1 → 2, head 1 · on → off");
  change.settings = {};
  Layer two = lesson_session("20-two-heads").layer;
  two.attention.disabled_heads = {0};
  change.settings.disabled_heads = {{0, 1}};
  CHECK(change_text(change, two, {0}) == "head 1 · on → off");
  change.settings.disabled_heads = {{1}};
  CHECK(change_text(change, two, {0}) == "head 1 · on → off, head 0 · off → on");
  two.attention.disabled_heads = {};
  change.settings.disabled_heads = {{0, 1}};
  CHECK(change_text(change, two, {0}) == "all heads · on → off");
  change.settings = {};
  change.numbers = {{std::nullopt, 5, 0, 0}, {std::nullopt, 5, 1, 3}};
  CHECK(change_text(change, layer, {1}) == "step · 0.05, 0.8 → 0, 3");
  change.numbers.push_back({std::nullopt, 4, 1, 3});
  CHECK(change_text(change, layer, {1}) == "3 numbers of the embeddings");
  change.numbers.clear();
  change.learning = LessonLearning{20, 8.0};
  CHECK(change_text(change, layer, {1}) == "learn · 20 steps, rate 8");
}

TEST_CASE("done text: a change reaches what it is put into, and what is computed from that") {
  const auto reaches = [](const LessonChange& change, Stage stage) {
    return (reached_stages(change) & stage_bit(stage)) != 0;
  };
  LessonChange change;
  CHECK(reached_stages(change) == 0);
  change.settings.mask = MaskKind::None;
  CHECK_FALSE(reaches(change, Stage::Scores));
  CHECK(reaches(change, Stage::Masked));
  CHECK(reaches(change, Stage::Context));
  change = {};
  change.numbers = {{Parameter::Value, 0, 0, 1}};
  CHECK_FALSE(reaches(change, Stage::Weights));
  CHECK(reaches(change, Stage::Values));
  CHECK(reaches(change, Stage::Context));
  change.numbers = {{std::nullopt, 0, 0, 1}};
  CHECK(reaches(change, Stage::Embeddings));
  CHECK(reaches(change, Stage::Weights));
  // Of every change of the course the engine changes only what it is said to reach.
  for (const std::filesystem::path& path : lesson_files()) {
    const Session session = load_session(path);
    for (const LessonStep& step : session.lesson->steps) {
      if (!step.question || !step.question->change) continue;
      Layer before = session.layer;
      apply_settings(step.settings, before);
      Layer after = before;
      apply_change(*step.question->change, after);
      const Evaluator first = evaluate(before), then = evaluate(after);
      for (const Stage stage : stages_in_use(before)) {
        if (!stage_exists(after, stage) || stage_heads(before, stage) != stage_heads(after, stage)) continue;
        INFO(path << ", " << step.title << ": " << stage_info(stage).name);
        const bool same = same_matrix(first.matrix(stage, 0, 0), then.matrix(stage, 0, 0));
        CHECK((same || reaches(*step.question->change, stage)));
      }
    }
  }
}

TEST_CASE("done text: of a try the first sentence is left out, not a number's point") {
  EvaluatedRun number = {"0.5"};
  number.live = true;
  CHECK(joined(after_first_sentence({{"Type "}, number, {" as it is. Then look."}})) == "Then look.");
  CHECK(after_first_sentence({{"Type 3."}}).empty());
}

TEST_CASE("done text: every change of a lesson has words") {
  int changes = 0;
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      if (!step.question || !step.question->change) continue;
      INFO(stem << ", " << step.title);
      CHECK(told_done(*step.question->change, step_model(session, step)).size() >
            std::string("Done: .").size());
      ++changes;
    }
  }
  CHECK(changes > 20);
}

namespace {

// The longest of the first parts of a question's replies, in the state before and after its change.
void check_replies(const Session& session, const LessonStep& step, int& replies) {
  const Evaluator opened = evaluate(session.layer), first = pass_of(session, step),
                  now = evaluate(asked_model(session, step));
  const Goal* const goal = session.goal.get();
  const PassValues of_now(now, goal), of_first(first, goal), of_opened(opened, goal);
  for (const LessonText& reply : step.question->replies) {
    const auto runs = brief_reply(evaluated_runs(reply.pieces(), {&of_now, &of_first, &of_opened}));
    const ReplyLength length = length_of(runs);
    INFO(length.words << " words, " << length.numbers << " numbers: " << joined(runs));
    CHECK((length.words <= kMostReplyWords && length.numbers <= kMostReplyNumbers));
    ++replies;
  }
}

}  // namespace

TEST_CASE("brief reply: every reply of every lesson begins with at most 25 words and two numbers") {
  int replies = 0;
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      if (!step.question) continue;
      INFO(stem << ", " << step.title);
      check_replies(session, step, replies);
    }
  }
  CHECK(replies > 100);
}
