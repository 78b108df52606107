#include "app/ui/dialogs/confirm_dialog.h"

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kConfirmWidth = 420;

std::string quoted_title(const std::string& session, const std::string& without) {
  return session.empty() ? without : "\"" + visible_label(session) + "\"";
}

}  // namespace

void open_confirm_dialog(ConfirmState& state, const std::string& session, const std::string& before) {
  state = {true,
           "Save the changes?",
           quoted_title(session, "This session") + " has changes that are not saved. Save them before you " +
               before + "?",
           "Save",
           "Discard",
           "Lose the changes",
           false};
}

void open_answers_dialog(ConfirmState& state, const std::string& session, const std::string& before) {
  state = {true,
           "Save your answers?",
           "Your answers to " + quoted_title(session, "this lesson") +
               " are not saved as a file that can be passed on. Save them before you " + before + "?",
           "Save my answers…",
           "Without a file",
           "The answers stay with this program, and are shown when the lesson is opened again",
           true};
}

std::optional<ConfirmAnswer> confirm_dialog(const UiContext& ui, ConfirmState& state) {
  if (!begin_dialog(ui, "##confirm", state.open, {kConfirmWidth, 0}, state.title.c_str()))
    return std::nullopt;
  std::optional<ConfirmAnswer> answer;
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(drawn_text(state.question).c_str());
  ImGui::PopTextWrapPos();
  ui.probe.mark("dialog.question", state.question);
  ImGui::Dummy({0, ui.theme.px(4)});
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  if (tool_button(ui, "dialog.discard", state.discard, state.lost)) answer = ConfirmAnswer::Discard;
  ImGui::SameLine();
  align_right(button_width("Cancel") + button_width(state.save) + gap);
  if (tool_button(ui, "dialog.cancel", "Cancel", "Go on editing: Escape") || dialog_key(Key::Escape)) {
    answer = ConfirmAnswer::Cancel;
  }
  ImGui::SameLine();
  if (primary_button(ui, "dialog.save", state.save, "Enter") || dialog_key(Key::Enter)) {
    answer = ConfirmAnswer::Save;
  }
  if (answer) close_dialog(state.open);
  end_dialog();
  return answer;
}

}  // namespace headlight
