#include "app/ui/lesson/judging.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include <imgui.h>

#include "app/lesson_text/done_text.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

const LessonStep* asking_step(const UiContext& ui, const LessonGuide& guide) {
  const LessonStep* const step = guide.walk ? nullptr : shown_step(ui, guide);
  return step && step->question ? step : nullptr;
}

GivenAnswer* shown_result(LessonGuide& guide) {
  const auto found = guide.answers.find(guide.step);
  return found == guide.answers.end() ? nullptr : &found->second;
}

// Starts the pass over the layer that the answer was given in, and over that after the change.
void start_judging(LessonGuide& guide, GivenAnswer& given, const LessonQuestion& question) {
  Layer after = *given.asked_of;
  try {
    if (question.change) apply_change(*question.change, after);
  } catch (const Error&) {
    given.unjudged = true;
    return;
  }
  if (!guess_exists(question, *given.asked_of) || !guess_exists(question, after)) {
    given.unjudged = true;
    return;
  }
  if (!guide.judging) guide.judging = std::make_shared<NewestJob<std::shared_ptr<const AskedStates>>>();
  guide.judged_step = guide.step;
  guide.judging->start([before = given.asked_of, after = std::move(after)] {
    return std::make_shared<const AskedStates>(AskedStates{evaluate(*before), evaluate(after)});
  });
}

void judge_by(const Goal* goal, GivenAnswer& given, const LessonQuestion& question,
              const AskedStates& states) {
  const PassValues before(states.before, goal), after(states.after, goal);
  const ReferencedStates both = {&after, &before, &before};
  given.truth = right_guess(question, both);
  if (given.truth)
    given.judged = judge(question, guess_of(question, given), *given.truth, both);
  else
    given.unjudged = true;
}

void compute(UiContext& ui, LessonGuide& guide, GivenAnswer& given, const LessonQuestion& question) {
  // Only the frame that starts the computation waits for it; this time suffices for most lessons.
  constexpr std::chrono::milliseconds kPatience{10};
  const bool starts = guide.judged_step != guide.step;
  if (starts) {
    // An answer of an earlier start is judged by the step's own layer, which stands once it is settled.
    if (!given.asked_of && !is_settled(ui)) return ui.wake_within(0.02);
    if (!given.asked_of) given.asked_of = std::make_shared<const Layer>(ui.layer());
    start_judging(guide, given, question);
    if (given.unjudged) return;
  }
  const auto states = guide.judging->take(starts ? kPatience : std::chrono::milliseconds(0));
  if (!states) return ui.wake_within(0.02);
  guide.judged_step.reset();
  judge_by(ui.document.session().goal.get(), given, question, **states);
  given.asked_of.reset();
}

double seconds_of_answer(const UiContext& ui, const LessonGuide& guide) {
  if (!ui.preferences.motion || !guide.revealed_at) return kAnswerSeconds;
  return std::min(ImGui::GetTime() - *guide.revealed_at, kAnswerSeconds);
}

std::optional<LessonShown::AnswerRun> answer_run(const UiContext& ui, const LessonGuide& guide,
                                                 const LessonStep& step) {
  const double seconds = seconds_of_answer(ui, guide);
  if (seconds >= kAnswerSeconds) return std::nullopt;
  const auto& change = step.question->change;
  return LessonShown::AnswerRun{change ? reached_stages(*change) : 0, seconds};
}

}  // namespace

bool is_settled(const UiContext& ui) {
  return ui.commands.empty() && ui.answer && ui.answer->share >= 1 &&
         ui.answer->revision == ui.document.revision();
}

void judge_answer(UiContext& ui, LessonGuide& guide) {
  const LessonStep* const step = asking_step(ui, guide);
  GivenAnswer* const given = step ? shown_result(guide) : nullptr;
  ui.view.lesson.answer_run.reset();
  if (!given) {
    guide.judged_step.reset();
    guide.unrevealed = step ? std::optional(guide.step) : std::nullopt;
    return;
  }
  if (is_computed(*step) && !given->judged && !given->unjudged) compute(ui, guide, *given, *step->question);
  if (const auto right = is_right(*step->question, *given); right && given->tried)
    guide.outcomes.insert_or_assign(guide.step, *right);
  if (!is_revealed(ui, guide)) {
    guide.unrevealed = guide.step;
    guide.revealed_at.reset();
  } else if (std::exchange(guide.unrevealed, std::nullopt) == guide.step && !given->earlier) {
    guide.revealed_at = ImGui::GetTime();  // it was hidden in the frame before: it moves in
    guide.shows_end = true;
  }
  ui.view.lesson.answer_run = answer_run(ui, guide, *step);
  if (ui.view.lesson.answer_run) ui.wake_within(0.01);
}

bool is_revealed(const UiContext& ui, const LessonGuide& guide) {
  const LessonStep* const step = asking_step(ui, guide);
  const auto found = guide.answers.find(guide.step);
  if (!step || found == guide.answers.end() || !found->second.tried) return false;
  return !is_computed(*step) || found->second.judged || found->second.unjudged;
}

AnswerMoment answer_moment(const UiContext& ui, const LessonGuide& guide) {
  return answer_at(seconds_of_answer(ui, guide), 0);
}

}  // namespace headlight
