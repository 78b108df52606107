// The lessons' button in the top bar.
#include <imgui.h>

#include "app/ui/lesson/lesson_list.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/top_bar_parts.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

void lessons_button(UiContext& ui, WorkbenchState& state) {
  if (tool_button(ui, "toolbar.lessons", "Lessons", "All lessons, chapter by chapter"))
    ImGui::OpenPopup("lessons menu");
  const ImVec2 below = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.theme.px(4)};
  ImGui::SetNextWindowPos(below);
  if (!ImGui::BeginPopup("lessons menu")) return;
  if (ImGui::MenuItem("With pictures…", action_keys(action_entry("start")).c_str()))
    ui.act(Action::ShowStart);
  ui.probe.mark("menu.lessons.all");
  lesson_menu(ui, state.lesson.entries);
  ImGui::EndPopup();
}

}  // namespace headlight
