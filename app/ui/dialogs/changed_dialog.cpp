#include "app/ui/dialogs/changed_dialog.h"

#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kChangedWidth = 460;

}  // namespace

void open_changed_dialog(ChangedState& state, const std::string& file) {
  state = {true, file};
}

std::optional<ChangedAnswer> changed_dialog(const UiContext& ui, ChangedState& state) {
  if (!begin_dialog(ui, "##changed", state.open, {kChangedWidth, 0}, "The file has changed"))
    return std::nullopt;
  std::optional<ChangedAnswer> answer;
  const std::string text = "\"" + state.file +
                           "\" was written by another window or program since it was opened here. Saving "
                           "replaces what it holds now.";
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(drawn_text(text).c_str());
  ImGui::PopTextWrapPos();
  ui.probe.mark("dialog.question", text);
  ImGui::Dummy({0, ui.theme.px(4)});
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  if (tool_button(ui, "dialog.overwrite", "Save all the same", "Lose what the other one has written"))
    answer = ChangedAnswer::Save;
  ImGui::SameLine();
  align_right(button_width("Cancel") + button_width("Save as…") + gap);
  if (tool_button(ui, "dialog.cancel", "Cancel", "Go on editing: Escape") || dialog_key(Key::Escape))
    answer = ChangedAnswer::Cancel;
  ImGui::SameLine();
  if (primary_button(ui, "dialog.save_as", "Save as…", "Keep both: Enter") || dialog_key(Key::Enter))
    answer = ChangedAnswer::SaveAs;
  if (answer) close_dialog(state.open);
  end_dialog();
  return answer;
}

}  // namespace headlight
