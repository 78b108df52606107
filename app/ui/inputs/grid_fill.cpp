#include "app/ui/inputs/grid_fill.h"

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/inputs/matrix_grid_parts.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"
#include "engine/core/expression.h"

namespace headlight {
namespace {

double result_of(RangeOperation operation, double cell, double operand) {
  if (operation == RangeOperation::Scale) return cell * operand;
  return operation == RangeOperation::Add ? cell + operand : operand;
}

// Evaluates the operand for each cell.
RangeResult operate_each(InputKind kind, const MatrixRef& block, RangeOperation operation,
                         const Expression& operand) {
  Matrix values(block.rows(), block.cols());
  for (Index row = 0; row < block.rows(); ++row) {
    for (Index column = 0; column < block.cols(); ++column) {
      const double cell = block(row, column);
      std::string message;
      try {
        const ParsedNumber number = number_for(kind, result_of(operation, cell, operand.at(cell)));
        if (number.value) values(row, column) = *number.value;
        message = number.message;
      } catch (const Error& error) {
        message = error.what();
      }
      if (message.empty()) continue;
      if (block.size() == 1) return {std::nullopt, message};
      return {std::nullopt, "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                                " of the selection: " + message};
    }
  }
  return {std::move(values), {}};
}

}  // namespace

RangeResult operate(InputKind kind, const MatrixRef& block, RangeOperation operation,
                    const std::string& text) {
  // Tries a plain number first: its message is more precise.
  const ParsedNumber number =
      parse_number_for(operation == RangeOperation::Set ? kind : InputKind::Weight, text, block(0, 0));
  if (!number.value) return {std::nullopt, number.message};
  const Expression operand(arithmetic_text(text));
  if (operation == RangeOperation::Set && !operand.uses_x())
    return {Matrix::Constant(block.rows(), block.cols(), *number.value), {}};
  return operate_each(kind, block, operation, operand);
}

}  // namespace headlight

namespace headlight::grid {
namespace {

constexpr float kFieldWidth = 120;

const char* field_label(RangeOperation operation) {
  if (operation == RangeOperation::Set) return "Set to";
  return operation == RangeOperation::Scale ? "Scale by" : "Add";
}

void apply_field(Frame& frame) {
  RangeField& field = frame.state.field;
  const GridRange range = frame.range();
  RangeResult result = operate(frame.options.input.kind, frame.block(range), field.operation, field.text);
  field.message = result.message;
  if (!result.values) return field.focus.ask();
  frame.send(range.row, range.column, *std::move(result.values));
  field.open = false;
  ImGui::CloseCurrentPopup();
}

}  // namespace

void fill_down(Frame& frame) {
  GridRange range = frame.range();
  Index source = range.row;
  if (range.rows == 1) {
    if (range.row == 0) return;
    source = range.row - 1;
  }
  const GridRange first = {source, range.column, 1, range.columns};
  frame.send(range.row, range.column, frame.block(first).replicate(range.rows, 1));
}

void fill_right(Frame& frame) {
  GridRange range = frame.range();
  Index source = range.column;
  if (range.columns == 1) {
    if (range.column == 0) return;
    source = range.column - 1;
  }
  const GridRange first = {range.row, source, range.rows, 1};
  frame.send(range.row, range.column, frame.block(first).replicate(1, range.columns));
}

void set_all(Frame& frame, float value) {
  const GridRange range = frame.range();
  frame.send(range.row, range.column, Matrix::Constant(range.rows, range.columns, value));
}

void open_range_field(Frame& frame, RangeOperation operation) {
  RangeField& field = frame.state.field;
  field = {true, true, operation, {}, {}, {}};
  field.focus.ask();
}

void range_field(Frame& frame) {
  RangeField& field = frame.state.field;
  const UiContext& ui = frame.ui;
  const Theme& theme = ui.theme;
  if (std::exchange(field.opens, false)) ImGui::OpenPopup("##field");
  if (!field.open) return;
  const GridRange range = frame.range();
  const Rect rect = frame.layout.visible_rect(range.row, range.column);
  ImGui::SetNextWindowPos({static_cast<float>(rect.x), static_cast<float>(rect.bottom()) + theme.px(4)},
                          ImGuiCond_Appearing);
  if (!ImGui::BeginPopup("##field")) {
    field.open = false;
    return;
  }
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, field_label(field.operation));
  ImGui::SameLine(0, theme.px(8));
  ImGui::SetNextItemWidth(theme.px(kFieldWidth));
  field.focus.before_item();
  const bool changed = text_entry(ui, frame.name("field"), field.text, kMostQuery, "2, 1/3 or x^2");
  field.focus.after_item();
  if (field.focus.waiting) ui.wake_within(0.001);  // otherwise the first typed characters are lost
  ui.probe.mark(frame.name("field"), field.text);
  tooltip(ui, "A number or arithmetic; x is what each cell holds. Enter applies it to all " +
                  std::to_string(range.size()) + " cells.");
  if (changed) field.message.clear();
  ImGui::SameLine(0, theme.px(8));
  const bool pressed = tool_button(ui, frame.name("field.ok"), "Apply", "Enter");
  if (!field.message.empty()) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + theme.px(260));
    label_text(ui, field.message, theme.error);
    ImGui::PopTextWrapPos();
    ui.probe.mark(frame.name("field.message"), field.message);
  }
  if (pressed || key_pressed(Key::Enter)) {
    apply_field(frame);
  } else if (key_pressed(Key::Escape)) {
    field.open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace headlight::grid
