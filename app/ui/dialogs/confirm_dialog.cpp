#include "app/ui/dialogs/confirm_dialog.h"

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kConfirmWidth = 420;

}  // namespace

void open_confirm_dialog(ConfirmState& state, const std::string& session, const std::string& before) {
  state = {true, session, before};
}

std::optional<ConfirmAnswer> confirm_dialog(const UiContext& ui, ConfirmState& state) {
  if (!begin_dialog(ui, "##confirm", state.open, {kConfirmWidth, 0}, "Save the changes?"))
    return std::nullopt;
  std::optional<ConfirmAnswer> answer;
  const std::string name =
      state.session.empty() ? "This session" : "\"" + visible_label(state.session) + "\"";
  const std::string text =
      name + " has changes that are not saved. Save them before you " + state.before + "?";
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(drawn_text(text).c_str());
  ImGui::PopTextWrapPos();
  ui.probe.mark("dialog.question", text);
  ImGui::Dummy({0, ui.theme.px(4)});
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  if (tool_button(ui, "dialog.discard", "Discard", "Lose the changes")) answer = ConfirmAnswer::Discard;
  ImGui::SameLine();
  align_right(button_width("Cancel") + button_width("Save") + gap);
  if (tool_button(ui, "dialog.cancel", "Cancel", "Go on editing: Escape") || dialog_key(Key::Escape)) {
    answer = ConfirmAnswer::Cancel;
  }
  ImGui::SameLine();
  if (primary_button(ui, "dialog.save", "Save", "Enter") || dialog_key(Key::Enter)) {
    answer = ConfirmAnswer::Save;
  }
  if (answer) close_dialog(state.open);
  end_dialog();
  return answer;
}

}  // namespace headlight
