#include "app/ui/widgets/dialog_frame.h"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/user_folders.h"

namespace headlight {
namespace {

constexpr float kPadding = 16;

// Whether the dialog is the one that was opened last. Two modals that both opened their popup in each frame
// would close each other's forever, and neither would be visible.
bool is_in_front(std::vector<OpenDialog>& dialogs, ImGuiID id, bool open) {
  const int frame = ImGui::GetFrameCount();
  std::erase_if(dialogs, [&](const OpenDialog& dialog) {
    return dialog.frame < frame - 1 || (!open && dialog.id == id);  // it is no longer drawn, or it closes now
  });
  if (!open) return true;
  const auto known =
      std::find_if(dialogs.begin(), dialogs.end(), [&](const OpenDialog& dialog) { return dialog.id == id; });
  if (known == dialogs.end())
    dialogs.push_back({id, frame});
  else
    known->frame = frame;
  return dialogs.back().id == id;
}

}  // namespace

bool begin_dialog(const UiContext& ui, const char* id, bool open, ImVec2 size, const std::string& title) {
  const Theme& theme = ui.theme;
  if (!is_in_front(ui.view.dialogs, ImGui::GetID(id), open)) return false;
  if (open && !ImGui::IsPopupOpen(id)) ImGui::OpenPopup(id);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({theme.px(size.x), theme.px(size.y)});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoScrollbar;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(kPadding), theme.px(kPadding)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, std::floor(theme.scale)));
  const bool visible = ImGui::BeginPopupModal(id, nullptr, kFlags);
  ImGui::PopStyleVar(2);
  if (!visible) return false;
  if (!open) {  // it was closed by other code
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return false;
  }
  push_font(theme.fonts.title);
  ImGui::TextUnformatted(elided(title, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopFont();
  return true;
}

void end_dialog() {
  ImGui::EndPopup();
}

void close_dialog(bool& open) {
  open = false;
  ImGui::CloseCurrentPopup();
}

bool dialog_key(Key key) {
  return key_pressed(key) && !ImGui::IsWindowAppearing();
}

bool list_in_front() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId);
}

bool dialog_answers_to(Key key) {
  return dialog_key(key) && !list_in_front();
}

void dialog_message(const UiContext& ui, const std::string& name, const std::string& message) {
  ImGui::PushTextWrapPos(0);
  label_text(ui, message.empty() ? " " : message, ui.theme.error);
  ImGui::PopTextWrapPos();
  if (!message.empty()) ui.probe.mark(name, message);
}

std::optional<OverwriteAnswer> ask_overwrite(const UiContext& ui, OverwriteQuestion& question) {
  if (!question.file) return std::nullopt;
  std::optional<OverwriteAnswer> answer;
  const float buttons = button_width("Replace") + button_width("Keep") + ImGui::GetStyle().ItemSpacing.x * 2;
  const std::string name = question.file->filename().string();
  const std::string rest = question.count == 1
                               ? " exists. Replace it?"
                               : " and " + std::to_string(question.count - 1) + " more exist. Replace them?";
  const float room = ImGui::GetContentRegionAvail().x - buttons - text_width(ui.theme.fonts.text, rest);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted((elided(name, room) + rest).c_str());
  ui.probe.mark("dialog.question", name + rest);
  ImGui::SameLine();
  align_right(buttons - ImGui::GetStyle().ItemSpacing.x);
  if (tool_button(ui, "dialog.keep", "Keep", "Keep the old file and choose another name") ||
      dialog_key(Key::Escape)) {
    answer = OverwriteAnswer::Keep;
  }
  ImGui::SameLine();
  if (primary_button(ui, "dialog.replace", "Replace", "Replace the old file") || dialog_key(Key::Enter)) {
    answer = OverwriteAnswer::Replace;
  }
  return answer;
}

std::filesystem::path home_folder() {
  return user_home().value_or("/");
}

std::filesystem::path path_from_text(const std::string& text, const std::filesystem::path& folder) {
  if (text == "~") return home_folder();
  if (text.starts_with("~/")) return (home_folder() / text.substr(2)).lexically_normal();
  return (folder / text).lexically_normal();
}

}  // namespace headlight
