#include "app/ui/inspector/nudge.h"

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/context/input_gradient.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

float nudge_rate(const UiContext& ui) {
  const auto& training = ui.document.session().training;
  return static_cast<float>(training ? training->rate : TrainingSettings{}.rate);
}

// The input after the step; none if there is no gradient of it, or if it would not be finite.
std::optional<CellsEdit> moved(const UiContext& ui, const InputId& input) {
  const Matrix* const gradient = input_gradient(ui, input);
  if (!gradient) return std::nullopt;
  CellsEdit edit = {input, 0, 0, input_matrix(ui.layer(), input) - nudge_rate(ui) * *gradient};
  return edit.values.allFinite() ? std::optional(std::move(edit)) : std::nullopt;
}

std::vector<InputId> all_inputs(const Layer& layer) {
  std::vector<InputId> inputs;
  for (Index sequence = 0; sequence < static_cast<Index>(layer.embeddings.size()); ++sequence)
    inputs.push_back({InputKind::Embeddings, sequence});
  for (Index sequence = 0; sequence < static_cast<Index>(layer.key_embeddings.size()); ++sequence)
    inputs.push_back({InputKind::KeyEmbeddings, sequence});
  for (const Parameter parameter : kParameters) {
    if (!layer.uses(parameter)) continue;
    inputs.push_back({InputKind::Weight, 0, parameter});
    if (layer.uses_bias(parameter)) inputs.push_back({InputKind::Bias, 0, parameter});
  }
  return inputs;
}

void nudge_number(UiContext& ui, const InputCell& cell) {
  auto edit = moved(ui, cell.input);
  if (!edit) return;
  edit->values = Matrix(edit->values.block(cell.row, cell.column, 1, 1));
  edit->row = cell.row;
  edit->column = cell.column;
  ui.send(SetBlocks{{*std::move(edit)}, "Nudge number", {}, 0});
}

void nudge_inputs(UiContext& ui, const std::vector<InputId>& inputs, const char* name) {
  std::vector<CellsEdit> edits;
  for (const InputId& input : inputs)
    if (auto edit = moved(ui, input)) edits.push_back(*std::move(edit));
  if (!edits.empty()) ui.send(SetBlocks{std::move(edits), name, {}, 0});
}

}  // namespace

void nudge_buttons(UiContext& ui, const InputCell& cell) {
  const std::string step = "a step against its gradient, at the rate " + number_text(nudge_rate(ui), 3);
  const float gap = ui.theme.px(4);
  if (tool_button(ui, "inspector.nudge.number", "Nudge", "This number moves " + step)) nudge_number(ui, cell);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "inspector.nudge.matrix", "its matrix", "Every number of the matrix moves " + step))
    nudge_inputs(ui, {cell.input}, "Nudge matrix");
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "inspector.nudge.all", "everything", "All embeddings and weights move " + step))
    nudge_inputs(ui, all_inputs(ui.layer()), "Nudge everything");
}

}  // namespace headlight
