// What somebody who opens the program for the first time is told, once.
#include <algorithm>

#include <imgui.h>

#include "app/ui/frame/workbench.h"
#include "app/ui/kit/widgets.h"

namespace headlight {
namespace {

struct HintLine {
  const char *what, *how;
};
constexpr HintLine kLines[] = {
    {"Change a number", "Drag a cell above, or type into it: every picture follows."},
    {"Ask where it comes from", "Click a cell of a picture: the inspector shows the sum it is."},
    {"Find the rest", "Ctrl+P: every command. F1: all keys. Ctrl+L: all lessons."},
};

void close_hint(WorkbenchState& state) {
  state.memory.hint_seen = true;
  state.show_hint = false;
}

}  // namespace

void first_hint(UiContext& ui, WorkbenchState& state) {
  if (state.show_start || (state.memory.hint_seen && !state.show_hint)) return;
  if (ui.document.can_undo() && !state.show_hint) {  // found out already
    close_hint(state);
    return;
  }
  const Theme& theme = ui.theme;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  // Over the lower end of the inputs, which is free as long as there are few tokens.
  const float width = std::min(window.x - theme.px(32), theme.px(300));
  ImGui::SetNextWindowPos({theme.px(16), window.y - theme.px(34)}, 0, {0.0f, 1.0f});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imgui(theme.raised));
  ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(theme.accent));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, theme.px(1)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(16), theme.px(12)});
  ImGui::Begin("first hint", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  for (const HintLine& line : kLines) {
    ImGui::TextUnformatted(line.what);
    ImGui::PushTextWrapPos(0);
    quiet_text(ui, line.how);
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, 0});
  }
  if (tool_button(ui, "hint.close", "Got it",
                  "It comes no more by itself; the View menu has it as First steps", true, true))
    close_hint(state);
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

}  // namespace headlight
