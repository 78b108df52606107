#include "app/ui/dialogs/report_dialog.h"

#include <algorithm>

#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kReportWidth = 760, kReportHeight = 560, kMargin = 32, kLeastText = 48;  // planned pixels

std::optional<ReportAnswer> buttons(const UiContext& ui, const ReportDialogState& state, bool escaped) {
  std::optional<ReportAnswer> answer;
  if (tool_button(ui, "report.changes", "Add the changes",
                  "A table: each change of the model alone, and all together, with the logit and the loss",
                  state.changes))
    answer = ReportAnswer::AddChanges;
  ImGui::SameLine();
  align_right(button_width("Save as…") + button_width("Close") + ImGui::GetStyle().ItemSpacing.x);
  if (tool_button(ui, "report.save_as", "Save as…", "One page for a browser (.html), or a PDF"))
    answer = ReportAnswer::SaveAs;
  ImGui::SameLine();
  if (primary_button(ui, "report.close", "Close", "The text is saved: Escape") || escaped)
    answer = ReportAnswer::Close;
  return answer;
}

}  // namespace

std::optional<ReportAnswer> report_dialog(const UiContext& ui, ReportDialogState& state) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 size = {std::min(kReportWidth, window.x / ui.theme.scale - kMargin),
                       std::min(kReportHeight, window.y / ui.theme.scale - kMargin)};
  if (!begin_dialog(ui, "##report", state.open, size, "Report")) return std::nullopt;
  const float foot = ImGui::GetFrameHeightWithSpacing() + 2 * font_size(ui.theme.fonts.label) +
                     3 * ImGui::GetStyle().ItemSpacing.y;
  const float height = std::max(ui.theme.px(kLeastText), ImGui::GetContentRegionAvail().y - foot);
  // The field itself takes Escape as leave to discard what was typed since it got the keyboard.
  const bool escaped = dialog_key(Key::Escape);
  const std::string typed = escaped ? state.text : std::string();
  lines_entry(ui, "report.text", state.text, kMostReportText, {-1, height});
  if (escaped) state.text = typed;
  ui.probe.mark("report.text", state.text);
  quiet_text(ui, elided("Markdown, with its pictures in " + state.place, ImGui::GetContentRegionAvail().x));
  ui.probe.mark("report.place", state.place);
  dialog_message(ui, "report.message", state.message);
  const std::optional<ReportAnswer> answer = buttons(ui, state, escaped);
  if (answer == ReportAnswer::Close) close_dialog(state.open);
  end_dialog();
  return answer;
}

}  // namespace headlight
