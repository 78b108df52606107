#include "app/ui/model/overwrite_dialog.h"

#include <array>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/widgets.h"
#include "engine/network/layer_at.h"

namespace headlight {
namespace {

constexpr float kWidth = 440, kNumberWidth = 110;  // planned pixels
constexpr std::size_t kMostDigits = 64;

struct PartInfo {
  OverwrittenPart part;
  const char *id, *label, *what;
};
constexpr std::array kParts = {PartInfo{OverwrittenPart::Cell, "cell", "This number", "The one number"},
                               PartInfo{OverwrittenPart::Row, "row", "Its row", "All numbers of the token"},
                               PartInfo{OverwrittenPart::Matrix, "matrix", "Everything",
                                        "All numbers of the stage, of its head where it has heads"}};

PatchPlace place_of(const UiContext& ui, const CellAddress& cell) {
  const LayerPlace layer = ui.view.model.work->layer;
  return {*patch_stage_of(ui.layer(), cell.stage), layer.layer, cell.head, layer.side};
}

// A's values at `place`; null until they are computed.
const Matrix* baseline_values(const UiContext& ui, const PatchPlace& place) {
  const auto& kept = ui.view.model.baseline;
  return kept && kept->values && kept->request.values == place ? kept->values.get() : nullptr;
}

// The overwritten block of the stage's matrix: its first row and column and its size.
struct Block {
  Index row = 0, column = 0, rows = 1, columns = 1;
};

Block block_of(const Layer& layer, const OverwriteDialogState& state) {
  const CellAddress& cell = state.cell;
  const Index rows = stage_rows(layer, cell.stage), columns = stage_columns(layer, cell.stage);
  switch (state.part) {
    case OverwrittenPart::Cell:
      return {cell.row, cell.column, 1, 1};
    case OverwrittenPart::Row:
      return {cell.row, 0, 1, columns};
    case OverwrittenPart::Matrix:
      break;
  }
  return {0, 0, rows, columns};
}

std::string place_text(const UiContext& ui, const CellAddress& cell) {
  const Layer& model = ui.layer();
  const Counting counting = ui.counting();
  const StageInfo& info = stage_info(cell.stage);
  std::string text = names_of_layers(ui).text(ui.view.model.work->layer) + " · " + std::string(info.name);
  if (info.per_head) text += " · " + head_name(cell.head, counting);
  text += " · " + token_name(row_labels(model, cell.stage), cell.row, counting);
  return text + " → " +
         (is_pair(cell.stage) ? token_name(model.key_labels(), cell.column, counting)
                              : "dimension " + counting.number(cell.column));
}

// The new values of the block; nullopt sets the message.
std::optional<Matrix> values_of(const UiContext& ui, const Block& block, OverwriteDialogState& state) {
  if (!state.of_baseline) {
    const ParsedNumber typed = parse_number(state.number);
    state.message = typed.message;
    if (!typed.value) return std::nullopt;
    return Matrix::Constant(block.rows, block.columns, *typed.value);
  }
  const Matrix* const kept = baseline_values(ui, place_of(ui, state.cell));
  if (!kept) {
    state.message = "The kept text is still being computed: press again in a moment";
    return std::nullopt;
  }
  if (block.row + block.rows > kept->rows() || block.column + block.columns > kept->cols()) {
    state.message = "The kept text has " + std::to_string(kept->rows()) + " tokens, this one has " +
                    std::to_string(ui.layer().token_count()) + ": give texts of as many, or take less of it";
    return std::nullopt;
  }
  return kept->block(block.row, block.column, block.rows, block.columns);
}

void accept(UiContext& ui, OverwriteDialogState& state) {
  const Block block = block_of(ui.layer(), state);
  std::optional<Matrix> values = values_of(ui, block, state);
  if (!values) return;
  const PatchPlace place = place_of(ui, state.cell);
  Patch patch{place.stage, place.layer, place.head, block.row, block.column, *std::move(values), place.side};
  ui.send(EditOpenModel{AddPatch{std::move(patch)}, "Overwrite"});
  close_dialog(state.open);
}

void part_choice(const UiContext& ui, OverwriteDialogState& state) {
  for (const PartInfo& info : kParts) {
    if (tool_button(ui, std::string("overwrite.part.") + info.id, info.label, info.what, true,
                    state.part == info.part))
      state.part = info.part;
    if (info.part != OverwrittenPart::Matrix) ImGui::SameLine(0, ui.theme.px(4));
  }
}

void number_choice(UiContext& ui, OverwriteDialogState& state) {
  const bool kept = ui.view.baseline.work && ui.view.baseline.work->network == ui.view.model.work->network;
  if (!kept) state.of_baseline = false;
  if (tool_button(ui, "overwrite.with.number", "with a number", "All of it becomes this number", true,
                  !state.of_baseline))
    state.of_baseline = false;
  ImGui::SameLine(0, ui.theme.px(4));
  if (tool_button(ui, "overwrite.with.kept", "with the kept numbers",
                  kept ? "What the kept text has in the same place"
                       : "Keep a text first (Ctrl+Shift+K), then type another one",
                  kept, state.of_baseline))
    state.of_baseline = true;
  if (state.of_baseline) return;
  ImGui::SameLine(0, ui.theme.px(12));
  ImGui::SetNextItemWidth(ui.theme.px(kNumberWidth));
  state.focus.before_item();
  text_entry(ui, "overwrite.number", state.number, kMostDigits, "number", ImGuiInputTextFlags_AutoSelectAll);
  state.focus.after_item();
  ui.probe.mark("overwrite.number", state.number);
  tooltip(ui, "A number; 0 takes away what stands there");
}

void begin_if_asked(UiContext& ui, OverwriteDialogState& state) {
  const auto asked = std::exchange(ui.view.model.overwrites, std::nullopt);
  if (!asked || !ui.view.model.work || !patch_stage_of(ui.layer(), asked->stage)) return;
  if (ui.view.model.work->layer.side == Side::Cross) {
    ui.view.model.trouble =
        "Numbers of cross-attention are not overwritten: overwrite those of the encoder or of the decoder";
    return;
  }
  const OverwrittenPart part = state.part;
  state = {};
  state.part = part;
  state.cell = *asked;
  state.number = "0";
  state.open = true;
  state.focus.ask();
}

}  // namespace

void overwrite_dialog(UiContext& ui, OverwriteDialogState& state) {
  begin_if_asked(ui, state);
  // Another model, or a layer without this stage, may have been opened since.
  if (state.open && (!ui.view.model.work || !address_exists(ui.layer(), state.cell))) state.open = false;
  ui.view.model.baseline_place = std::nullopt;
  if (!begin_dialog(ui, "##overwrite", state.open, {kWidth, 0}, "Overwrite, from here on")) return;
  ui.view.model.baseline_place = place_of(ui, state.cell);
  const std::string place = place_text(ui, state.cell);
  quiet_text(ui, elided(place, ImGui::GetContentRegionAvail().x));
  ui.probe.mark("overwrite.place", place);
  part_choice(ui, state);
  number_choice(ui, state);
  dialog_message(ui, "overwrite.message", state.message);
  align_right(button_width("Cancel") + button_width("Overwrite") + ImGui::GetStyle().ItemSpacing.x);
  const bool leave = tool_button(ui, "overwrite.cancel", "Cancel", "Escape") || dialog_key(Key::Escape);
  ImGui::SameLine();
  const bool ok = primary_button(ui, "overwrite.ok", "Overwrite",
                                 "All that is computed from it follows; listed under Changes") ||
                  dialog_key(Key::Enter);
  if (leave)
    close_dialog(state.open);
  else if (ok)
    accept(ui, state);
  end_dialog();
}

}  // namespace headlight
