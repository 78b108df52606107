#include "app/ui/dialogs/missing_model_dialog.h"

#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kMissingWidth = 560;

}  // namespace

void open_missing_model_dialog(MissingModelState& state, const std::string& model, const std::string& why) {
  state = {true, model, why};
}

bool missing_model_dialog(const UiContext& ui, MissingModelState& state) {
  if (!begin_dialog(ui, "##missing_model", state.open, {kMissingWidth, 0}, "Where is the model?"))
    return false;
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(drawn_text(state.why).c_str());
  ui.probe.mark("missing.why", state.why);
  ImGui::Dummy({0, ui.theme.px(2)});
  quiet_text(ui, drawn_text("Choose the folder of " + state.model +
                            " (its config.json), or its GGUF file. Saving the session then names that place.")
                     .c_str());
  ImGui::PopTextWrapPos();
  ImGui::Dummy({0, ui.theme.px(4)});
  const std::string choose = "Choose its folder…";
  align_right(button_width("Cancel") + button_width(choose) + ImGui::GetStyle().ItemSpacing.x);
  const bool cancelled =
      tool_button(ui, "missing.cancel", "Cancel", "Open nothing: Escape") || dialog_key(Key::Escape);
  ImGui::SameLine();
  const bool chosen = primary_button(ui, "missing.choose", choose, "Enter") || dialog_key(Key::Enter);
  if (chosen || cancelled) close_dialog(state.open);
  end_dialog();
  return chosen;
}

}  // namespace headlight
