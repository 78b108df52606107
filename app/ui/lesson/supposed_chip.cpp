#include "app/ui/lesson/supposed_chip.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <imgui.h>

#include "app/lesson_text/model_change.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/judging.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kChipHeight = 32, kChipPad = 12, kField = 72;  // planned pixels
constexpr float kDragBegins = 4;

const LessonChange* shown_change(const UiContext& ui, const LessonGuide& guide) {
  const LessonStep* const step = guide.walk ? nullptr : shown_step(ui, guide);
  return step && step->question && step->question->change ? &*step->question->change : nullptr;
}

// The layer without the change: that in which the question was asked.
const Layer& unchanged(const UiContext& ui, const LessonGuide& guide) {
  if (guide.done) return *guide.done->before;
  const auto asked = guide.asked_of.find(guide.step);
  return asked != guide.asked_of.end() ? *asked->second.layer : ui.layer();
}

// Whether the question is answered and the change made: the reader may go on with other numbers.
bool is_open(const UiContext& ui, const LessonGuide& guide) {
  const auto given = guide.answers.find(guide.step);
  return given != guide.answers.end() && given->second.tried && guide.done && !ui.view.lesson.answer_run;
}

// The number in the layer once it is changed; until then, and after an undo, the one that is asked about.
NumberChange with_present(const UiContext& ui, const LessonGuide& guide, const LessonChange& change,
                          NumberChange number) {
  if (!is_open(ui, guide)) return number;
  const double now = changed_number(change, ui.layer());
  if (now != number.before) number.after = now;
  return number;
}

// Makes the change with another number. What the step undoes as it is left is this change.
void suppose(UiContext& ui, LessonGuide& guide, const LessonChange& change, double number) {
  if (change.numbers.empty() && !change.settings.scale) number = std::clamp(number, 0.0, 0.99);
  const LessonChange wanted = with_number(change, number);
  auto changed = std::make_shared<Layer>(*guide.done->before);
  try {
    apply_change(wanted, *changed);
  } catch (const Error& error) {
    guide.trouble = error.summary();
    return;
  }
  if (same_inputs(*changed, ui.layer())) return;
  if (change.numbers.empty()) {
    ui.send(SetAttention{changed->attention, guide.chip.gesture});
  } else {
    const ChangedNumber& at = wanted.numbers.front();
    const InputId input = {at.parameter ? InputKind::Weight : InputKind::Embeddings, 0,
                           at.parameter.value_or(Parameter::Query)};
    ui.send(SetCells{input, at.row, at.column, Matrix::Constant(1, 1, at.value), guide.chip.gesture});
  }
  guide.done->after = std::move(changed);
}

// As the engine stores it, and as one would type it: 1.82, not the float's 1.8200000524520874.
std::string number_to_type(const ChipPlan& plan) {
  return exact_number_text(static_cast<float>(plan.number->after));
}

void type_number(UiContext& ui, LessonGuide& guide, const LessonChange& change, const ChipPlan& plan,
                 ImVec2 at) {
  SupposedChip& chip = guide.chip;
  ImGui::SetCursorScreenPos(at);
  chip.focus.before_item();
  const auto typed = text_field(ui, chip.typed, "lesson.change.typed", number_to_type(plan),
                                ui.theme.px(kField), "", refuse_decimal);
  chip.focus.after_item();
  if (typed) suppose(ui, guide, change, double{*parse_decimal(*typed).value});
  if (!chip.focus.waiting && !chip.typed.active) chip.typing = false;
}

// A drag by a hundred pixels is as long as the way from the old number to the one that is asked about.
double drag_step(const NumberChange& asked) {
  constexpr double kPixels = 100, kLeast = 0.01;
  return std::max(kLeast, std::abs(asked.after - asked.before) / kPixels);
}

void drag_number(UiContext& ui, LessonGuide& guide, const LessonChange& change, const ChipPlan& plan) {
  SupposedChip& chip = guide.chip;
  if (ImGui::IsItemActivated()) {
    // This bit separates the gestures of the chip from those of other widgets.
    constexpr std::uint64_t kChipGesture = std::uint64_t{1} << 60;
    chip.gesture = kChipGesture | ui.document.revision();
    chip.from = plan.number->after;
    chip.drags = false;
  }
  const float moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x;
  if (ImGui::IsItemActive()) {
    chip.drags = chip.drags || std::abs(moved) >= ui.theme.px(kDragBegins);
    if (chip.drags)
      suppose(ui, guide, change,
              std::round((chip.from + double{moved / ui.theme.scale} * plan.step) * 100) / 100);
  }
  if (ImGui::IsItemDeactivated() && !std::exchange(chip.drags, false)) {
    chip.typing = true;
    chip.focus.ask();
  }
}

void draw_plate(const UiContext& ui, ImVec2 a, ImVec2 b, bool runs) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float round = (b.y - a.y) / 2;
  list.AddRectFilled(a, b, to_imgui(ui.theme.raised), round);
  list.AddRect(a, b, to_imgui(runs ? ui.theme.text : ui.theme.line), round, 0,
               std::max(1.0f, ui.theme.px(1)));
}

// The number at the end of the text, to drag or to click. `at`: its top left corner.
void draw_number(UiContext& ui, LessonGuide& guide, const LessonChange& change, const ChipPlan& plan,
                 ImVec2 at, float width) {
  const float high = font_size(ui.theme.fonts.text);
  const ImVec2 low = {at.x - ui.theme.px(4), at.y - ui.theme.px(4)};
  ImGui::SetCursorScreenPos(low);
  click_area("##lesson.change.number", {width + ui.theme.px(8), high + ui.theme.px(8)});
  ui.probe.mark("lesson.change.number", number_to_type(plan));
  tooltip(ui, "Drag it, or click and type another number: the pictures follow");
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  const float y = std::floor(at.y + high + ui.theme.px(2));
  draw_dashed_line(*ImGui::GetWindowDrawList(), {at.x, y}, {at.x + width, y}, to_imgui(ui.theme.text),
                   std::max(1.0f, ui.theme.px(1)), ui.theme.px(3));
  drag_number(ui, guide, change, plan);
}

}  // namespace

ChipPlan plan_chip(UiContext& ui, const LessonGuide& guide, float most) {
  ChipPlan plan;
  const LessonChange* const change = shown_change(ui, guide);
  if (!change) return plan;
  const Layer& before = unchanged(ui, guide);
  plan.number = number_change(*change, before);
  if (plan.number) {
    plan.step = drag_step(*plan.number);
    plan.editable = is_open(ui, guide);
    plan.number = with_present(ui, guide, *change, *plan.number);
    plan.text = number_change_text(*plan.number, answer_moment(ui, guide).changed);
  } else {
    plan.text = change_text(*change, before, ui.counting());
  }
  if (plan.text.empty()) return plan;
  const float around = 2 * ui.theme.px(kChipPad);
  push_font(ui.theme.fonts.text);
  plan.text = elided(plan.text, most - around);
  ImGui::PopFont();
  plan.width = std::ceil(text_width(ui.theme.fonts.text, plan.text)) + around;
  if (guide.chip.typing && plan.editable) plan.width += ui.theme.px(kField);
  return plan;
}

float chip_height(const Theme& theme) {
  return std::floor(theme.px(kChipHeight));
}

void supposed_chip(UiContext& ui, LessonGuide& guide, const ChipPlan& plan, ImVec2 at) {
  if (plan.width == 0) return;
  const LessonChange& change = *shown_change(ui, guide);
  ImFont* const font = ui.theme.fonts.text;
  const ImVec2 end = {at.x + plan.width, at.y + chip_height(ui.theme)};
  draw_plate(ui, at, end, ui.view.lesson.answer_run.has_value());
  ui.probe.mark_rect("lesson.change", {at.x, at.y, plan.width, end.y - at.y}, plan.text);
  const ImVec2 words = {at.x + ui.theme.px(kChipPad),
                        std::floor(at.y + (end.y - at.y - font_size(font)) / 2)};
  const std::size_t arrow = plan.text.rfind("→ ");
  const bool parts = plan.editable && arrow != std::string::npos;
  const std::string head = parts ? plan.text.substr(0, arrow + std::string("→ ").size()) : plan.text;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(font, font_size(font), words, to_imgui(ui.theme.text), drawn_text(head).c_str());
  guide.chip.typing = guide.chip.typing && parts;
  if (!parts) {
    ImGui::SetCursorScreenPos(at);
    click_area("##lesson.change", {plan.width, end.y - at.y});
    tooltip(ui, "What the question supposes: " + change_text(change, unchanged(ui, guide), ui.counting()));
    return;
  }
  const std::string number = plan.text.substr(head.size());
  const ImVec2 place = {words.x + text_width(font, head), words.y};
  if (guide.chip.typing)
    return type_number(ui, guide, change, plan,
                       {place.x, std::floor(at.y + (end.y - at.y - ImGui::GetFrameHeight()) / 2)});
  list.AddText(font, font_size(font), place, to_imgui(ui.theme.text), number.c_str());
  draw_number(ui, guide, change, plan, place, text_width(font, number));
}

std::vector<Index> supposed_tokens(const UiContext& ui, const LessonGuide& guide) {
  std::vector<Index> tokens;
  const LessonChange* const change = shown_change(ui, guide);
  if (!change || ui.view.sequence != 0) return tokens;
  for (const ChangedNumber& number : change->numbers)
    if (!number.parameter) tokens.push_back(number.row);
  return tokens;
}

}  // namespace headlight
