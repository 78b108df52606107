// A lesson while it is read: the text in a column at the left, or all on one page that scrolls.
#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/learning/learning_card.h"
#include "app/ui/lesson/lesson_steps_bar.h"
#include "app/ui/lesson/picture_guess.h"
#include "app/ui/lesson/step_inputs.h"
#include "app/ui/lesson/supposed_chip.h"
#include "app/ui/main_window/reading_plan.h"
#include "app/ui/main_window/sentence_line.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr ImGuiWindowFlags kStill =
    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
constexpr float kShelfGap = 8, kPagePad = 16, kMostPageText = 600;  // planned pixels
constexpr float kLeastInputs = 150, kLeastToTry = 300, kLeastPredictions = 190;
constexpr float kBesidePicture = 720, kPageMargin = 272;  // from this width on what is learnt has a margin

ImVec2 corner_of(const Rect& rect) {
  return {static_cast<float>(rect.x), static_cast<float>(rect.y)};
}
ImVec2 size_of(const Rect& rect) {
  return {static_cast<float>(rect.width), static_cast<float>(rect.height)};
}

template <class Body>
void child(const char* name, ImVec2 at, ImVec2 size, Body body, ImGuiWindowFlags flags = kStill) {
  ImGui::SetCursorScreenPos(at);
  begin_child(name, size, false, flags);
  body();
  ImGui::EndChild();
}

// Of a question only what its text names: what it changes is on its chip, and the reply keeps its room. What
// is tried comes after the answer.
StepInputs used_inputs(const LessonGuide& guide, const LessonStep& step) {
  LessonStep asks = step;
  asks.question.reset();
  if (waits_for_answer(guide, step)) asks.try_it = {};
  return inputs_of(asks);
}

// Folds the inputs that the shown step does not use. What the user has unfolded stays so for the lesson.
void fold_inputs(const UiContext& ui, WorkbenchState& state) {
  InputFolds& folds = state.inputs.folds;
  const LessonStep* const step = shown_step(ui, state.lesson.guide);
  const bool offered = step && !state.lesson.guide.walk && !ui.view.model.work;
  folds.tokens.offered = folds.weights.offered = offered;
  if (state.folds_of != ui.document.opening())
    for (LessonFold* fold : {&folds.tokens, &folds.weights, &state.model.fold})
      fold->chosen.reset();
  state.folds_of = ui.document.opening();
  if (!offered) return;
  // Presented, a question has the room; what it changes is on its chip.
  const bool asks = state.presenting && waits_for_answer(state.lesson.guide, *step);
  const StepInputs used = asks ? StepInputs() : used_inputs(state.lesson.guide, *step);
  folds.tokens.used = used.embeddings;
  folds.weights.used = used.weights;
}

// Folds the text of a whole model where its words stand above the picture, unless the step asks to write it.
void fold_text(const UiContext& ui, WorkbenchState& state) {
  LessonFold& fold = state.model.fold;
  fold.offered = ui.view.model.work && shown_step(ui, state.lesson.guide) && !state.lesson.guide.walk &&
                 sentence_line_height(ui, ImGui::GetIO().DisplaySize.y) > 0;
  fold.used = ui.view.offered.names("model.text");
}

// The controls that the step's text names are in sight, and few others.
void offer_controls(UiContext& ui, const LessonGuide& guide) {
  const LessonStep* const step = shown_step(ui, guide);
  ui.view.offered = {true, step ? named_controls(ui, guide, *step) : std::vector<std::string_view>()};
}

// What the shown step needs is in sight, and little else.
void follow_step(UiContext& ui, WorkbenchState& state) {
  fold_inputs(ui, state);
  offer_controls(ui, state.lesson.guide);
  fold_text(ui, state);
}

// The least size of the picture's cells: pixels of the window, which larger text does not make more.
double picture_floor(const UiContext& ui) {
  return least_picture_side(double{ImGui::GetIO().DisplaySize.x},
                            double{ui.theme.scale} / ui.preferences.text_scale);
}

// The header of the picture, its padding and its labels.
float around_picture(const UiContext& ui) {
  return ImGui::GetFrameHeight() + ui.theme.px(112);
}

// The chip of the shown question in a line of its own, where there is no line of words. Returns its bottom.
float chip_line(UiContext& ui, WorkbenchState& state, ImVec2 at, float width) {
  const ChipPlan chip = plan_chip(ui, state.lesson.guide, width);
  if (chip.width == 0) return at.y;
  supposed_chip(ui, state.lesson.guide, chip, at);
  return at.y + chip_height(ui.theme) + ui.theme.px(8);
}

// The line of words, with the chip over the margin if it fits there, else at the end of the line. Returns its
// bottom.
float words_and_chip(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size, float margin) {
  if (size.y <= 0) {
    sentence_line(ui, state, at, size);
    return chip_line(ui, state, at, size.x);
  }
  const ChipPlan chip = plan_chip(ui, state.lesson.guide, size.x * 0.45f);
  const float taken = chip.width == 0 ? 0 : chip.width <= margin ? margin : chip.width;
  const float words = size.x - (taken > 0 ? taken + ui.theme.px(12) : 0);
  sentence_line(ui, state, at, {words, size.y});
  supposed_chip(ui, state.lesson.guide, chip,
                {at.x + size.x - taken, std::floor(at.y + (size.y - chip_height(ui.theme)) / 2)});
  return at.y + size.y;
}

// The line of words, the strip and the picture.
void picture_side(UiContext& ui, WorkbenchState& state, const Rect& rest, double margin) {
  const float gap = ui.theme.px(8), window = ImGui::GetIO().DisplaySize.y;
  ImVec2 at = corner_of(rest);
  const ImVec2 size = size_of(rest);
  const float line = sentence_line_height(ui, window), bottom = at.y + size.y;
  at.y = words_and_chip(ui, state, at, {size.x, line}, static_cast<float>(margin));
  at.y = strip_line(ui, state, at, {size.x, window});
  const float beside = margin > 0 ? static_cast<float>(margin) + gap : 0;
  const ImVec2 room = {size.x - beside, std::max(1.0f, bottom - at.y)};
  child("stages", at, room, [&] { stages_panel(ui, state.stages, {at, room}); });
  state.picture_at = {at.x, at.y, room.x, room.y};
}

// The height of the inputs; while presenting only what the step uses is shown.
double inputs_need(const UiContext& ui, const WorkbenchState& state) {
  const InputFolds& folds = state.inputs.folds;
  if (state.presenting && (!folds.tokens.offered || folds.all_folded())) return 0;
  if (!ui.view.model.work) return double{inputs_height(ui, state.inputs)};
  constexpr double kAll = 1e9;  // the text that is open and the numbers take what they get
  const std::optional<float> need = model_side_height(ui, state);
  return need ? double{*need} : kAll;
}

// What is learnt, with a gap below it. Returns its height.
float learning_at(UiContext& ui, WorkbenchState& state, ImVec2 at, float width) {
  const float height = learning_card_height(ui, state.learning);
  if (height <= 0) return 0;
  child("learning", at, {width, height}, [&] { learning_card(ui, state.learning, {at, {width, height}}); });
  return height + ui.theme.px(12);
}

// The column: the text, and above its buttons a shelf for the inputs, and where there is no margin for what
// is learnt and the card.
void reading_column(UiContext& ui, WorkbenchState& state, const Rect& place, bool margin) {
  const float wide = ui.theme.px(360), pad = ui.theme.px(place.width < wide ? 16 : 24),
              edge = ui.theme.px(16);
  const ImVec2 at = corner_of(place), size = size_of(place);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.panel));
  const float width = size.x - 2 * pad, height = size.y - 2 * edge, gap = ui.theme.px(kShelfGap);
  const LessonPanelPlan lesson = plan_lesson_panel(ui, state.lesson, width);
  ColumnNeeds needs = {double{lesson.height()}, double{least_lesson_height(ui.theme, lesson)},
                       inputs_need(ui, state), 0};
  if (needs.inputs > 0) needs.inputs += double{gap};
  const LessonStep* const step = shown_step(ui, state.lesson.guide);
  const bool asks = step && waits_for_answer(state.lesson.guide, *step);  // the question needs the room
  // The inputs leave the question in sight: down to some of their own lines if the reader has opened them or
  // is to change them.
  const InputFolds& folds = state.inputs.folds;
  const bool opened = folds.tokens.chosen.value_or(false) || folds.weights.chosen.value_or(false);
  const float few = !asks    ? ui.theme.px(state.model.fold.folded() ? kLeastPredictions : kLeastToTry)
                    : opened ? ui.theme.px(kLeastInputs)
                             : ImGui::GetFrameHeight() + gap;
  const float least_inputs = std::min(static_cast<float>(needs.inputs), few);
  const float asking = asking_lesson_height(ui.theme, lesson, state.presenting);
  needs.least_text = std::max(needs.least_text, double{std::min(asking, height - least_inputs)});
  if (!margin && !asks) needs.card = double{card_height(ui, state)} + gap;
  const float known = margin ? 0 : learning_card_height(ui, state.learning);
  const float learnt = known > 0 ? known + ui.theme.px(12) : 0;
  const ColumnPlan plan = plan_column(height - learnt, needs, double{ui.theme.scale});
  const float shelf = learnt + static_cast<float>(plan.inputs + plan.card);
  const ImVec2 inner = {at.x + pad, at.y + edge};
  child("lesson", inner, {width + pad, height},
        [&] { lesson_panel(ui, state.lesson, lesson, height, shelf); });
  ImVec2 below = {inner.x, inner.y + height - lesson.footer - lesson.gap - shelf};
  list.AddLine({at.x, below.y - gap / 2}, {at.x + size.x, below.y - gap / 2}, to_imgui(ui.theme.line));
  if (!margin) below.y += learning_at(ui, state, below, width);
  if (plan.card > 0) derivation_card(ui, state, {below.x, below.y, width, plan.card - gap});
  below.y += static_cast<float>(plan.card);
  const float inputs = static_cast<float>(plan.inputs) - gap;
  // Without a scroll bar, which would take width from the grids and so ask for more height, and so on.
  if (inputs > 0)
    child(
        "inputs", below, {width, inputs}, [&] { inputs_side(ui, state); },
        ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
}

// What is learnt and the derivation at the right of the picture.
void reading_margin(UiContext& ui, WorkbenchState& state, const Rect& margin) {
  const Rect& picture = state.picture_at;
  const ImVec2 at = {static_cast<float>(margin.x), static_cast<float>(picture.y)};
  const double y = picture.y + double{learning_at(ui, state, at, static_cast<float>(margin.width))};
  const double height = std::min(picture.bottom() - y, double{card_height(ui, state)});
  derivation_card(ui, state, {margin.x, y, margin.width, height});
}

void with_column(UiContext& ui, WorkbenchState& state, const ReadingRoom& room) {
  const ReadingPlan plan = plan_reading(room, 0);
  const bool margin = plan.margin.width > 0;
  picture_side(ui, state, plan.rest, plan.margin.width);
  guess_in_picture(ui, state.lesson.guide, state.stages.cache);
  reading_column(ui, state, plan.text, margin);
  if (margin) reading_margin(ui, state, plan.margin);
}

// The picture on a page. Returns its bottom.
float page_picture(UiContext& ui, WorkbenchState& state, ImVec2 at, float width, float seen) {
  const double around = double{around_picture(ui)};
  const float scale = ui.theme.scale;
  const auto height = static_cast<float>(
      page_picture_height(double{width}, double{seen}, around, picture_floor(ui), double{scale}));
  child("stages", at, {width, height}, [&] { stages_panel(ui, state.stages, {at, {width, height}}); });
  state.picture_at = {at.x, at.y, width, height};
  guess_in_picture(ui, state.lesson.guide, state.stages.cache);
  return at.y + height;
}

// All that scrolls: the text, the strip, the picture, the inputs and the derivation.
void page_body(UiContext& ui, WorkbenchState& state, float width, float seen) {
  const float gap = ui.theme.px(12), pad = ui.theme.px(kPagePad);
  ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 top = at;
  at = {at.x + pad, at.y + pad};
  const LessonPanelPlan lesson =
      plan_lesson_panel(ui, state.lesson, std::min(width - 2 * pad, ui.theme.px(kMostPageText)));
  ImGui::SetCursorScreenPos(at);
  lesson_on_page(ui, state.lesson, lesson);
  at.y += lesson.header + lesson.body + gap;
  at.x = top.x + ui.theme.px(8);
  width -= 2 * ui.theme.px(8);
  at.y = chip_line(ui, state, at, width);
  at.y = strip_line(ui, state, at, {width, ImGui::GetIO().DisplaySize.y});
  const bool beside = learning_card_height(ui, state.learning) > 0 && width >= ui.theme.px(kBesidePicture);
  const float margin = beside ? ui.theme.px(kPageMargin) : 0;
  if (beside) learning_at(ui, state, {at.x + width - margin + gap, at.y}, margin - gap);
  at.y = page_picture(ui, state, at, width - margin, seen) + gap;
  if (!beside) at.y += learning_at(ui, state, at, width);
  constexpr double kMostSeen = 4;  // of the page in sight; of a whole model one
  const double most = double{seen} * (ui.view.model.work ? 1 : kMostSeen);
  const double inputs = std::min(inputs_need(ui, state), most);
  child("inputs", at, {width, static_cast<float>(inputs)}, [&] { inputs_side(ui, state); });
  at.y += static_cast<float>(inputs) + gap;
  if (const float card = card_height(ui, state); card > 0) {
    derivation_card(ui, state, {at.x, at.y, width, card});
    at.y += card + gap;
  }
  ImGui::SetCursorScreenPos(top);
  ImGui::Dummy({width, at.y - top.y});
}

void as_page(UiContext& ui, WorkbenchState& state, const ReadingRoom& room) {
  const float pad = ui.theme.px(8), footer = steps_bar_height(ui, state.lesson) + 2 * pad;
  const ReadingPlan plan = plan_reading(room, double{footer});
  const ImVec2 at = corner_of(plan.rest), size = size_of(plan.rest);
  if (size.y >= 1) {
    ImGui::SetCursorScreenPos(at);
    begin_child("page", size, false, ImGuiWindowFlags_NoBackground);
    page_body(ui, state, ImGui::GetContentRegionAvail().x, size.y);
    ImGui::EndChild();
  }
  const ImVec2 below = corner_of(plan.text), bar = size_of(plan.text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(below, {below.x + bar.x, below.y + bar.y}, to_imgui(ui.theme.panel));
  child("lesson", {below.x + 2 * pad, below.y + pad}, {bar.x - 4 * pad, footer - 2 * pad},
        [&] { steps_bar(ui, state.lesson, bar.x - 4 * pad); });
}

// Whether the column holds the first lines of the text, what is learnt and the names of the inputs. Else all
// is one page, as in a narrow window.
bool fits_column(UiContext& ui, WorkbenchState& state, const ReadingRoom& room) {
  const ReadingPlan plan = plan_reading(room, 0);
  const float learnt = most_learning_card_height(ui, state.learning);
  if (plan.margin.width > 0 || learnt <= 0) return true;
  const auto width = static_cast<float>(plan.text.width);
  const LessonPanelPlan lesson = plan_lesson_panel(ui, state.lesson, width - ui.theme.px(48));
  const float needs = least_lesson_height(ui.theme, lesson) + learnt + ImGui::GetFrameHeight() +
                      ui.theme.px(32 + 12 + 2 * kShelfGap);
  return double{needs} <= plan.text.height;
}

}  // namespace

float presented_chip(UiContext& ui, WorkbenchState& state, ImVec2 at, float width) {
  return chip_line(ui, state, at, width);
}

void presented_column(UiContext& ui, WorkbenchState& state, const Rect& place) {
  follow_step(ui, state);
  state.learning.training.waits = waits_for_guess(ui, state.lesson.guide);
  const bool learns = learning_card_height(ui, state.learning) > 0;
  reading_column(ui, state, place, !learns);  // a margin has the card, and there is none
}

void reading_view(UiContext& ui, WorkbenchState& state, const Rect& content) {
  follow_step(ui, state);
  state.strip.form = StripForm::Line;
  state.strip.foldable = false;
  state.learning.training.waits = waits_for_guess(ui, state.lesson.guide);
  ReadingRoom room = {content, double{ui.theme.scale}, ui.layer().head_count() > 1};
  room.page = has_reading_column(room) && !fits_column(ui, state, room);
  has_reading_column(room) ? with_column(ui, state, room) : as_page(ui, state, room);
}

}  // namespace headlight
