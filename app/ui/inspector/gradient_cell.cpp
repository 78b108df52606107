// The gradient of the cell under the pointer or of the selected one, of a stage or of an input.
#include <cmath>

#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/gradient_steps.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/inspector/nudge.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/widgets.h"

namespace headlight::inspector {
namespace {

std::string input_title(const UiContext& ui, const InputCell& cell) {
  const InputId& input = cell.input;
  const Counting counting = ui.counting();
  const std::string place = counting.number(cell.row) + ", " + counting.number(cell.column);
  if (input.kind == InputKind::Weight)
    return std::string("W_") + parameter_name(input.parameter) + "[" + place + "]";
  if (input.kind == InputKind::Bias)
    return std::string(parameter_name(input.parameter)) + " bias[" + counting.number(cell.column) + "]";
  const bool keys = input.kind == InputKind::KeyEmbeddings;
  return fitting_token_name(keys ? std::span<const std::string>(ui.layer().key_tokens)
                                 : std::span<const std::string>(ui.layer().tokens),
                            cell.row, counting, ui.theme.px(160)) +
         ", dimension " + counting.number(cell.column);
}

// The title, then "∂ loss" and the gradient in large type.
void draw_head(UiContext& ui, InspectorState& state, const std::string& title, const std::string& what,
               const GradientTrace* trace) {
  const Theme& theme = ui.theme;
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  fitted_text(theme.fonts.text, at, width - state.header_room, theme.text, title);
  ImGui::Dummy({width - state.header_room, font_size(theme.fonts.text)});
  ui.probe.mark("inspector.cell", title);
  at = ImGui::GetCursorScreenPos();
  const float height = font_size(theme.fonts.title);
  const std::string value = trace ? derivation_number(trace->value) : std::string();
  const float room = width - text_width(theme.fonts.title, value) - theme.px(8);
  fitted_text(theme.fonts.label, {at.x, std::floor(at.y + (height - font_size(theme.fonts.label)) * 0.7f)},
              room, theme.quiet_text, what);
  text_at_right(theme.fonts.title, at.x + width, at.y, theme.text, value);
  ImGui::Dummy({width, height});
  if (!trace) return;
  const std::string exact =
      std::isfinite(trace->value) ? exact_number_text(trace->value) : number_text(trace->value, 4);
  ui.probe.mark("inspector.gradient", exact);
  tooltip(ui, "∂ loss / ∂ this number, as float32: " + exact +
                  (trace->value > 0   ? "\nA larger number raises the loss"
                   : trace->value < 0 ? "\nA larger number lowers the loss"
                                      : "\nThe loss does not change with it"));
}

void draw_trace(UiContext& ui, InspectorState& state, const CellAddress& place, const GradientTrace& trace) {
  draw_rule(ui);
  draw_steps(ui, state,
             gradient_derivation(ui.layer(), ui.document.session().goal->loss, trace, ui.counting()), place,
             nullptr);
}

// What is said while there are no gradients.
bool draw_refusal(UiContext& ui) {
  const GradientsResult* const known = ui.answer ? ui.answer->gradients.get() : nullptr;
  if (!known || known->refusal.empty()) return false;
  ImGui::PushTextWrapPos(0);
  quiet_text(ui, known->refusal);
  ImGui::PopTextWrapPos();
  return true;
}

}  // namespace

void draw_gradient(UiContext& ui, InspectorState& state, const CellAddress& cell) {
  ui.requested.gradient_traces.push_back(cell);
  if (ui.view.selection.cell && *ui.view.selection.cell != cell)
    ui.requested.gradient_traces.push_back(*ui.view.selection.cell);
  const auto trace = ui.answer ? ui.answer->find_gradient(cell) : nullptr;
  draw_head(
      ui, state, cell_title(ui.layer(), cell, ui.counting()),
      "∂ loss  ·  " + cell_place(ui.layer(), cell, ui.counting(), false, language_of(ui.document.session())),
      trace.get());
  if (!draw_refusal(ui) && trace) draw_trace(ui, state, cell, *trace);
}

void draw_input_gradient(UiContext& ui, InspectorState& state, const InputCell& cell) {
  ui.requested.input_gradient_traces.push_back(cell);
  const auto trace = ui.answer ? ui.answer->find_gradient(cell) : nullptr;
  draw_head(ui, state, input_title(ui, cell), "∂ loss", trace.get());
  // The place only tells one scroll position from another.
  const CellAddress place = {Stage::Embeddings, cell.input.sequence,
                             1 + static_cast<Index>(cell.input.parameter), cell.row, cell.column};
  if (draw_refusal(ui) || !trace) return;
  nudge_buttons(ui, cell);
  draw_trace(ui, state, place, *trace);
}

}  // namespace headlight::inspector
