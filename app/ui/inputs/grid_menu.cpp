// The context menu of a grid: all actions on the selection.
#include <imgui.h>

#include "app/ui/inputs/matrix_grid_parts.h"
#include "app/ui/widgets/widgets.h"

namespace headlight::grid {
namespace {

// A disabled entry shows the reason as its tooltip.
bool entry(const Frame& frame, const char* name, const std::string& label, const char* keys,
           const std::string& why_not = {}) {
  const bool possible = why_not.empty();
  const bool chosen = ImGui::MenuItem(label.c_str(), keys, false, possible);
  frame.ui.probe.mark(frame.name("menu.") + name, label, possible);
  if (!possible) tooltip(frame.ui, why_not + ".");
  return chosen;
}

void clipboard_entries(Frame& frame) {
  if (entry(frame, "cut", "Cut", "Ctrl+X")) cut(frame);
  if (entry(frame, "copy", "Copy", "Ctrl+C")) copy(frame, CopyFormat::Tsv);
  if (entry(frame, "copy_csv", "Copy as CSV", nullptr)) copy(frame, CopyFormat::Csv);
  if (entry(frame, "copy_latex", "Copy as LaTeX", nullptr)) copy(frame, CopyFormat::Latex);
  if (entry(frame, "copy_markdown", "Copy as Markdown", nullptr)) copy(frame, CopyFormat::Markdown);
  if (entry(frame, "copy_numpy", "Copy as NumPy", nullptr)) copy(frame, CopyFormat::Numpy);
  if (entry(frame, "copy_torch", "Copy as PyTorch", nullptr)) copy(frame, CopyFormat::Torch);
  if (entry(frame, "paste", "Paste", "Ctrl+V")) paste(frame);
}

void value_entries(Frame& frame) {
  const GridRange range = frame.range();
  const bool first_row = range.row == 0 && range.rows == 1,
             first_column = range.column == 0 && range.columns == 1;
  if (entry(frame, "set", "Set to…", nullptr)) open_range_field(frame, RangeOperation::Set);
  if (entry(frame, "scale", "Scale by…", nullptr)) open_range_field(frame, RangeOperation::Scale);
  if (entry(frame, "add", "Add…", nullptr)) open_range_field(frame, RangeOperation::Add);
  if (entry(frame, "fill_down", "Fill down", "Ctrl+D", first_row ? "There is no row above" : ""))
    fill_down(frame);
  if (entry(frame, "fill_right", "Fill right", "Ctrl+R",
            first_column ? "There is no column to the left" : ""))
    fill_right(frame);
  if (entry(frame, "zero", "Set to 0", frame.selection().on_label ? nullptr : "Delete")) set_all(frame, 0);
}

void line_entries(Frame& frame, Axis axis) {
  const bool rows = axis == Axis::Rows;
  const auto line = [&](const char* name, LineEdit requested, const char* keys) {
    if (entry(frame, name, lines_text(frame, axis, requested), keys, why_not(frame, axis, requested)))
      request_lines(frame, axis, requested);
  };
  line("insert_before", LineEdit::Before, "Alt+Insert");
  line("insert_after", LineEdit::Behind, nullptr);
  line("duplicate", LineEdit::Duplicate, "Alt+D");
  line("move_back", LineEdit::Back, rows ? "Alt+Up" : "Alt+Left");
  line("move_forward", LineEdit::Forward, rows ? "Alt+Down" : "Alt+Right");
  line("delete", LineEdit::Remove, "Alt+Delete");
}

}  // namespace

void grid_menu(Frame& frame) {
  if (std::exchange(frame.state.menu_opens, false)) {
    ImGui::SetWindowFocus();  // a right click does not focus the window, and keys must go to it afterwards
    ImGui::OpenPopup("##grid_menu");
  }
  if (!ImGui::BeginPopup("##grid_menu")) return;
  const GridSpan span = frame.selection().span;
  const Axis axis = span == GridSpan::Rows ? Axis::Rows : Axis::Columns;
  if (span != GridSpan::Cells && has_lines(frame, axis)) {
    line_entries(frame, axis);
    ImGui::Separator();
  }
  clipboard_entries(frame);
  ImGui::Separator();
  value_entries(frame);
  ImGui::EndPopup();
}

}  // namespace headlight::grid
