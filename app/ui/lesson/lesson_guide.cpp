#include "app/ui/lesson/lesson_guide.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <imgui.h>

#include "app/lesson_text/model_change.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/judging.h"
#include "app/ui/lesson/picture_guess.h"
#include "app/ui/lesson/question_box.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/picture/spotlight.h"
#include "engine/core/error.h"
#include "engine/learning/moved_goal.h"
#include "engine/session/lesson_text.h"

namespace headlight {
namespace {

constexpr double kPlaySeconds = 2;  // per step of a playing walk

bool has_lesson(const Session& session) {
  return session.lesson && !session.lesson->steps.empty();
}

const LessonStep& lesson_step(const Session& session, std::size_t step) {
  return session.lesson->steps[std::min(step, session.lesson->steps.size() - 1)];
}

// The model of a step: the lesson as it opened, with the step's settings.
Layer step_model(const Layer& opened, const LessonStep& step) {
  Layer layer = opened;
  apply_settings(step.settings, layer);  // checked when the lesson was read
  return layer;
}

// The goal of the lesson in the shapes of a step's model: null where its settings leave nothing of it.
std::shared_ptr<const Goal> step_goal(const LessonGuide& guide, const Layer& layer) {
  const std::shared_ptr<const Goal>& goal = guide.opened_goal;
  if (!goal || !target_fits(*guide.opened, *goal)) return goal;
  std::optional<Goal> moved = moved_goal(*guide.opened, *goal, layer);
  if (!moved) return nullptr;
  return *moved == *goal ? goal : std::make_shared<const Goal>(*std::move(moved));
}

bool same_goal(const Goal* a, const Goal* b) {
  return a == b || (a && b && *a == *b);
}

// Whether the reader has added or changed wishes beside those of the lesson.
bool wishes_more(const LessonGuide& guide, const Layer& now, const Goal* goal) {
  return guide.opened_goal && !same_goal(step_goal(guide, now).get(), goal);
}

// How `now`, with the session's goal, differs from the step.
Departure departure_of(const LessonGuide& guide, const LessonStep& step, const Layer& now, const Goal* goal) {
  const Layer expected = step_model(*guide.opened, step);
  const Departure departure = departure_from(expected, now);
  if (departure != Departure::None || same_goal(step_goal(guide, expected).get(), goal)) return departure;
  return Departure::Wish;
}

// Makes the change of a question again that was answered and tried, so that its reply agrees with the
// picture. Not for an answer of an earlier start, which is judged by the step's own model.
void make_again(LessonGuide& guide, std::size_t at, const LessonStep& step, Layer& layer) {
  const auto given = guide.answers.find(at);
  if (given == guide.answers.end() || !given->second.tried || !guide.asked.contains(at)) return;
  if (!step.question || !step.question->change) return;
  auto before = std::make_shared<const Layer>(layer);
  apply_change(*step.question->change, layer);
  guide.done = {std::move(before), std::make_shared<const Layer>(layer)};
}

// Applies the settings of the lesson's step `next`, with this index. Sends no command if they are in effect.
void bring_settings(UiContext& ui, LessonGuide& guide, const LessonStep& before, const LessonStep& next,
                    std::size_t at) {
  // An open question is about the step's own settings: what the reader has chosen elsewhere ends with it.
  const bool asks = next.question && !guide.answers.contains(at);
  const LessonSettings ending = asks ? with_settings_of(*guide.opened, before.settings) : before.settings;
  const LessonSettings way = settings_between(ending, next.settings, *guide.opened);
  // The change of *Do it* belongs to its step: undo it, unless something was changed after it.
  const auto done = std::exchange(guide.done, std::nullopt);
  if (done) guide.left_done.insert_or_assign(guide.step, *done);
  const bool undoes = done && departure_from(*done->after, ui.layer()) == Departure::None;
  auto changed = std::make_shared<Layer>(undoes ? *done->before : ui.layer());
  const Goal* const goal = ui.document.session().goal.get();
  const bool wished = wishes_more(guide, *changed, goal);
  const bool untrains = undoes && before.question->change->learning;
  std::optional<GoalChange> own_goal;
  try {
    if (departure_from(step_model(*guide.opened, before), *changed) != Departure::None) {
      apply_settings(way, *changed);
    } else {
      *changed = step_model(*guide.opened, next);
      make_again(guide, at, next, *changed);
    }
    if (guide.opened_goal) own_goal = GoalChange{step_goal(guide, *changed)};
  } catch (const Error& error) {
    guide.trouble = error.summary();
    return;
  }
  guide.took_back = at != guide.step && (wished || untrains);
  if (departure_from(*changed, ui.layer()) == Departure::None && !wished) return;
  ReplaceLayer settings{std::move(changed), "Settings of step " + std::to_string(at + 1),
                        ReplacedBy::LessonStep};
  settings.goal = std::move(own_goal);
  if (untrains) settings.training = TrainingChange{guide.opened_training};
  if (at != guide.step) settings.move = LessonMove{guide.step, at};
  ui.send(std::move(settings));
}

FocusView focus_view_of(LessonView view) {
  switch (view) {
    case LessonView::Heatmap:
      return FocusView::Heatmap;
    case LessonView::Flow:
      return FocusView::Flow;
    case LessonView::Row:
      return FocusView::Row;
    case LessonView::Vectors:
      return FocusView::Vectors;
    case LessonView::Compare:
      return FocusView::Compare;
    case LessonView::Model:
      return FocusView::Model;
  }
  return FocusView::Heatmap;
}

void compare_with_own(UiContext& ui, LessonGuide& guide) {
  ui.view.baseline = {guide.against, ui.document.session().title};
}

// Restores the view state that the step before had replaced; sets view, colours, visible part and baseline.
void apply_step_view(UiContext& ui, LessonGuide& guide, const LessonStep& step) {
  ViewState& view = ui.view;
  if (guide.colors_before) view.picture.colors_of(guide.colors_before->first) = guide.colors_before->second;
  guide.colors_before.reset();
  if (guide.given_before && !guide.keeps_other) view.baseline = std::move(*guide.given_before);
  guide.given_before.reset();
  guide.against.reset();
  if (guide.zoomed && !step.part) show_region(ui, step.stage, {});
  guide.zoomed = step.part.has_value();
  view.focus_view = focus_view_of(step.view);
  // Without a goal nothing is learnt: what another lesson has opened is closed.
  const bool learns = ui.document.session().goal != nullptr;
  view.learning.gradients = learns && step.gradients;
  view.learning.panel_asked = learns && step.learning;
  // Heatmaps of many heads show only the step's head, unless a try or a question may need the others.
  constexpr Index kFewHeads = 2;
  const bool alone = step.view != LessonView::Heatmap ||
                     (ui.layer().head_count() > kFewHeads && !step.question && step.try_it.empty());
  view.head = alone ? step.head : std::nullopt;
  if (step.part)
    show_region(ui, step.stage,
                {step.part->row, step.part->row_end, step.part->column, step.part->column_end});
  if (step.range) {
    StageColors& colors = view.picture.colors_of(step.stage);
    guide.colors_before = {step.stage, colors};
    colors.range = RangeKind::ByHand;
    std::tie(colors.low, colors.high) = std::tie((*step.range)[0], (*step.range)[1]);
  }
  if (!step.against || !guide.opened) return;
  guide.given_before = view.baseline;
  Layer against = *guide.opened;
  apply_settings(*step.against, against);  // checked when the lesson was read
  guide.against = std::make_shared<const Layer>(std::move(against));
  compare_with_own(ui, guide);
}

// The question is asked anew, of the model of the next frame.
void forget_asked(LessonGuide& guide) {
  guide.asked.erase(guide.step);
  guide.asked_of.erase(guide.step);
  guide.first_bars.erase(guide.step);
}

// Forgets what belonged to the step that was shown.
void begin_step(LessonGuide& guide, const LessonStep& step) {
  guide.guess.reset();
  guide.chip = {};
  guide.unrevealed.reset();
  guide.revealed_at.reset();
  guide.skips = guide.all_of_reply = guide.whole_picture = false;
  if (waits_for_answer(guide, step)) forget_asked(guide);
}

// The stage whose picture takes the guess that the step waits for.
std::optional<Stage> asked_stage(const LessonGuide& guide, const LessonStep& step) {
  return waits_for_answer(guide, step) ? stage_of_guess(*step.question) : std::nullopt;
}

// Shows the step: its stage in large, its cell in the inspector, its outlines.
void look_at_step(UiContext& ui, LessonGuide& guide, const LessonStep& step) {
  ViewState& view = ui.view;
  const std::optional<Stage> asked = asked_stage(guide, step);
  const Stage stage = asked.value_or(step.stage);
  if (view.lesson.spotlight && view.lesson.spotlight->stage != step.stage) view.lesson.light = 0;
  view.focused_stage = stage;
  if (view.opened_stage) view.opened_stage = stage;
  apply_step_view(ui, guide, step);
  if (asked) view.focus_view = FocusView::Heatmap;
  view.sequence = std::min(step.sequence, ui.layer().sequence_count() - 1);
  view.selection.cell.reset();
  const bool asks_cell = waits_for_answer(guide, step) && step.question->cell;  // any may be clicked
  if (step.selected && stage == step.stage && !asks_cell)
    view.selection.cell =
        CellAddress{step.stage, view.sequence, step.first_head(), (*step.selected)[0], (*step.selected)[1]};
  // The grid of the weight comes to the front, as if the pointer were on one of its numbers.
  if (step.weight) view.selection.pointed.now = InputCell{{InputKind::Weight, 0, *step.weight}, 0, 0};
  view.lesson.spotlight = step;
  guide.looked_at = view.selection.cell;
  begin_step(guide, step);
  guide.lit = true;
}

void enter_wanted(UiContext& ui, LessonGuide& guide) {
  if (!guide.wanted) return;
  const std::size_t wanted = *std::exchange(guide.wanted, std::nullopt);
  guide.trouble.clear();
  guide.took_back = false;
  const std::size_t count = step_count(ui, guide);
  if (count == 0) return;
  const std::size_t step = std::min(wanted, count - 1);
  if (guide.walk) {
    guide.walk->step = step;
    guide.walk->next_seconds = ImGui::GetTime() + kPlaySeconds;
  } else {
    const Session& session = ui.document.session();
    bring_settings(ui, guide, lesson_step(session, guide.step), lesson_step(session, step), step);
    guide.step = step;
  }
  look_at_step(ui, guide, *shown_step(ui, guide));
}

// The change of *Do it* that the step was left with, if undo has brought it back.
std::optional<LessonGuide::DoneChange> done_again(const UiContext& ui, const LessonGuide& guide) {
  const auto left = guide.left_done.find(guide.step);
  if (left == guide.left_done.end()) return std::nullopt;
  return departure_from(*left->second.after, ui.layer()) == Departure::None ? std::optional(left->second)
                                                                            : std::nullopt;
}

// Undo that takes a step's settings back leads to the step before, as it was left; redo leads on again.
void follow_history(UiContext& ui, LessonGuide& guide) {
  const auto step = ui.document.lesson_step();
  if (!step || !guide.opened || guide.followed_revision == ui.document.revision()) return;
  guide.followed_revision = ui.document.revision();
  guide.step = *step;
  guide.wanted.reset();
  guide.trouble.clear();
  guide.took_back = false;
  guide.done = done_again(ui, guide);
  if (!guide.walk) look_at_step(ui, guide, lesson_step(ui.document.session(), *step));
}

// Makes the steps of a walk again after a change of the model or the counting, and stays at the stage.
void renew_walk(UiContext& ui, LessonGuide& guide) {
  WalkState& walk = *guide.walk;
  if (walk.revision == ui.document.revision() && walk.counting == ui.counting()) return;
  walk.revision = ui.document.revision();
  walk.counting = ui.counting();
  const Layer& model = ui.layer();
  if (!address_exists(
          model, {Stage::Weights, walk.query.sequence, walk.query.head, walk.query.row, walk.query.column})) {
    leave_walk(guide);
    return;
  }
  const Stage stage = walk.steps[walk.step].stage;
  walk.query = walk_query(
      model,
      CellAddress{Stage::Weights, walk.query.sequence, walk.query.head, walk.query.row, walk.query.column},
      walk.query.head, walk.query.sequence);
  walk.steps = walk_steps(model, walk.query, walk.counting);
  const auto here = std::find_if(walk.steps.begin(), walk.steps.end(),
                                 [stage](const LessonStep& step) { return step.stage >= stage; });
  walk.step = static_cast<std::size_t>(std::min(here, walk.steps.end() - 1) - walk.steps.begin());
  if (ui.view.lesson.spotlight) ui.view.lesson.spotlight = walk.steps[walk.step];
}

void play_walk(UiContext& ui, LessonGuide& guide) {
  WalkState& walk = *guide.walk;
  if (!walk.playing || guide.wanted) return;
  if (walk.step + 1 >= walk.steps.size()) {
    walk.playing = false;
    return;
  }
  const double now = ImGui::GetTime();
  if (walk.next_seconds == 0) walk.next_seconds = now + kPlaySeconds;
  if (now >= walk.next_seconds) {
    guide.wanted = walk.step + 1;
    walk.next_seconds = now + kPlaySeconds;
  }
  ui.wake_within(std::max(0.01, walk.next_seconds - now));
}

void leave_on_escape(const UiContext& ui, LessonGuide& guide) {
  // An active text field, an opened stage and open menus handle Escape themselves.
  if (!guide.walk || guide.escape_taken || ui.view.opened_stage || ImGui::IsAnyItemActive() ||
      !key_pressed(Key::Escape))
    return;
  if (!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
    leave_walk(guide);
}

void hide_on_click(LessonGuide& guide, bool tries) {
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Rect panel = {guide.panel_at.x, guide.panel_at.y, guide.panel_size.x, guide.panel_size.y};
  const auto contains = [&](const Rect& rect) {
    return mouse.x >= rect.x && mouse.x < rect.right() && mouse.y >= rect.y && mouse.y < rect.bottom();
  };
  const bool inside = contains(panel) || contains(guide.card_at);
  // The outlines of a try remain while the reader tries it.
  if (!inside && !tries) guide.lit = false;
}

void compare(const UiContext& ui, LessonGuide& guide) {
  if (!guide.opened || !ui.commands.empty()) return;  // sent commands are not executed yet
  if (guide.compared_revision == ui.document.revision() && guide.compared_step == guide.step) return;
  guide.compared_revision = ui.document.revision();
  guide.compared_step = guide.step;
  const Session& session = ui.document.session();
  guide.departure = departure_of(guide, lesson_step(session, guide.step), session.layer, session.goal.get());
}

bool looks_back(const LessonText& text) {
  const std::vector<TextReference> references = references_of(text.pieces());
  return std::any_of(references.begin(), references.end(),
                     [](const TextReference& reference) { return reference.moment != ReferencedState::Now; });
}

void take_reference_states(const UiContext& ui, LessonGuide& guide, std::chrono::milliseconds patience) {
  if (!guide.own_job) return;
  if (auto own = guide.own_job->take(patience)) guide.own = std::move(*own);
  if (guide.own_job->running()) ui.wake_within(0.02);
}

// Computes the first and opened states on another thread, if the step's text refers to them.
void compute_reference_states(const UiContext& ui, LessonGuide& guide) {
  // Only the frame that starts the computation waits for it; this time suffices for most lessons.
  constexpr std::chrono::milliseconds kPatience{10};
  if (!guide.opened) return;
  const std::shared_ptr<const Goal>& goal = ui.document.session().goal;
  if (guide.own_step == guide.step && guide.own_goal == goal) return take_reference_states(ui, guide, {});
  guide.own_step = guide.step;
  guide.own_goal = goal;
  guide.own.reset();
  if (guide.own_job) guide.own_job->forget();
  const LessonStep& step = lesson_step(ui.document.session(), guide.step);
  const std::vector<LessonText> texts = step.texts();
  if (std::none_of(texts.begin(), texts.end(), looks_back)) return;
  if (!guide.own_job) guide.own_job = std::make_shared<NewestJob<std::shared_ptr<const ReferenceStates>>>();
  guide.own_job->start([first = step_model(*guide.opened, step), opened = guide.opened, goal] {
    return std::make_shared<const ReferenceStates>(first, *opened, goal);
  });
  take_reference_states(ui, guide, kPatience);
}

// Whether the lesson is not one of the course; none is while that is not known yet.
bool is_own(const LessonGuide& guide) {
  return std::any_of(guide.answer_keys.begin(), guide.answer_keys.end(),
                     [](const std::string& key) { return key.starts_with(kOwnLesson); });
}

}  // namespace

LessonGuide begin_guide(const Session& session) {
  LessonGuide guide;
  if (!has_lesson(session)) return guide;
  guide.opened = std::make_shared<Layer>(session.layer);
  guide.opened_work = session.work;
  guide.opened_training = session.training;
  guide.opened_goal = session.goal;
  guide.wanted = 0;
  return guide;
}

void follow_guide(UiContext& ui, LessonGuide& guide) {
  leave_on_escape(ui, guide);
  const LessonStep* const step = shown_step(ui, guide);
  hide_on_click(guide, step && (!step->try_it.empty() || step->question));
  if (guide.walk) renew_walk(ui, guide);
  if (guide.walk) play_walk(ui, guide);
  follow_history(ui, guide);
  compare(ui, guide);
  guide.keeps_other = guide.against && ui.view.baseline.layer != guide.against;
  enter_wanted(ui, guide);
  compute_reference_states(ui, guide);
  follow_question(ui, guide);
  judge_answer(ui, guide);
  ui.view.lesson.walking = guide.walk.has_value();
  move_light(ui, guide.lit);
  ui.view.lesson.fading = ui.view.lesson.fading || ui.view.lesson.answer_run;
}

const LessonStep* shown_step(const UiContext& ui, const LessonGuide& guide) {
  if (guide.walk) return &guide.walk->steps[guide.walk->step];
  if (!guide.opened || !has_lesson(ui.document.session())) return nullptr;
  return &lesson_step(ui.document.session(), guide.step);
}

std::size_t shown_step_index(const LessonGuide& guide) {
  return guide.walk ? guide.walk->step : guide.step;
}

bool waits_for_answer(const LessonGuide& guide, const LessonStep& step) {
  return !guide.walk && step.question && !guide.answers.contains(guide.step);
}

std::size_t step_count(const UiContext& ui, const LessonGuide& guide) {
  if (guide.walk) return guide.walk->steps.size();
  return guide.opened && has_lesson(ui.document.session()) ? ui.document.session().lesson->steps.size() : 0;
}

void go_to_step(LessonGuide& guide, std::size_t step) {
  guide.wanted = step;
}

void go_by_steps(const UiContext& ui, LessonGuide& guide, int by) {
  const std::size_t now = guide.wanted.value_or(shown_step_index(guide));
  if (by < 0 && now == 0) return;
  if (by > 0 && now + 1 >= step_count(ui, guide)) return;
  guide.wanted = by < 0 ? now - 1 : now + 1;
}

void restore_lesson(UiContext& ui, LessonGuide& guide) {
  if (!guide.opened || !has_lesson(ui.document.session())) return;
  if (std::exchange(guide.keeps_other, false)) {
    compare_with_own(ui, guide);
    if (guide.departure == Departure::None && guide.trouble.empty()) return;
  }
  const LessonStep& step = lesson_step(ui.document.session(), guide.step);
  auto model = std::make_shared<Layer>(step_model(*guide.opened, step));
  const GoalChange goal = {step_goal(guide, *model)};
  if (guide.opened_work)
    ui.send(SetOpenModel{guide.opened_work, std::move(model), "Restore the lesson"});
  else
    ui.send(ReplaceLayer{std::move(model), "Restore the lesson", ReplacedBy::Lesson,
                         TrainingChange{guide.opened_training}, goal});
  guide.trouble.clear();
  guide.done.reset();
  guide.restored = true;
  ui.view.picture.paints_mask = false;
}

void forget_question(LessonGuide& guide) {
  guide.answers.erase(guide.step);
  guide.drafts.erase(guide.step);
  guide.chosen_cells.erase(guide.step);
  guide.guess.reset();
  forget_asked(guide);
}

void ask_again(UiContext& ui, LessonGuide& guide) {
  guide.answers.erase(guide.step);
  guide.drafts.erase(guide.step);
  guide.done.reset();
  if (guide.departure != Departure::None) restore_lesson(ui, guide);
  guide.wanted = guide.step;
}

bool owes_answers(const LessonGuide& guide) {
  return guide.answers_unsaved && is_own(guide);
}

bool has_own_answers(const LessonGuide& guide) {
  return !guide.answers.empty() && !guide.answers_saved && is_own(guide);
}

void start_walk(UiContext& ui, LessonGuide& guide) {
  WalkState walk;
  walk.counting = ui.counting();
  walk.query = walk_query(ui.layer(), ui.view.selection.cell, ui.view.head, ui.view.sequence);
  walk.steps = walk_steps(ui.layer(), walk.query, walk.counting);
  walk.revision = ui.document.revision();
  guide.walk = std::move(walk);
  guide.wanted = 0;
}

void leave_walk(LessonGuide& guide) {
  guide.walk.reset();
  guide.lit = false;
  guide.wanted.reset();
}

Departure departure_from(const Layer& expected, const Layer& now) {
  const bool names = expected.tokens == now.tokens && expected.key_tokens == now.key_tokens;
  if (names && same_inputs(expected, now)) return Departure::None;
  return names && same_numbers(expected, now) ? Departure::Settings : Departure::Inputs;
}

bool only_guided(const LessonGuide& guide, const Document& document) {
  // A saved file may contain changes that were undone since: the reader decides about those.
  if (!is_lesson_copy(guide, document)) return false;
  const Session& session = document.session();
  const LessonStep& step = lesson_step(session, guide.step);
  return departure_of(guide, step, session.layer, session.goal.get()) == Departure::None;
}

bool is_lesson_copy(const LessonGuide& guide, const Document& document) {
  return guide.opened && has_lesson(document.session()) && !document.path();
}

}  // namespace headlight
