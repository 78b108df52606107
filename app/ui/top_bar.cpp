// The bar at the top: the session and its menu, undo and redo, file and picture.
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/text_fit.h"
#include "app/ui/widgets.h"
#include "app/ui/workbench.h"

namespace headlight {
namespace {

float button_width(const UiContext& ui, const std::string& label) {
  return text_width(ui.theme.fonts.text, label) + 2 * ImGui::GetStyle().FramePadding.x;
}

void session_menu(UiContext& ui, WorkbenchState& state) {
  if (!ImGui::BeginPopup("session menu")) return;
  const auto item = [&](const char* name, const char* label, const char* key, Action action) {
    if (ImGui::MenuItem(label, key)) ui.act(action);
    ui.probe.mark(name);
  };
  item("menu.start", "Start screen", "F1", Action::ShowStart);
  item("menu.new", "New session", "Ctrl+N", Action::New);
  item("menu.open", "Open…", "Ctrl+O", Action::Open);
  item("menu.save", "Save", "Ctrl+S", Action::Save);
  item("menu.save_as", "Save as…", "Ctrl+Shift+S", Action::SaveAs);
  item("menu.quit", "Quit", "Ctrl+Q", Action::Quit);
  lesson_menu(ui, state.lessons);
  ImGui::EndPopup();
}

// The session's title with a small triangle: opens the menu.
void title_button(UiContext& ui, WorkbenchState& state, float width) {
  const std::string& title = ui.document.session().title;
  const float arrow = ui.theme.px(24);
  const std::string label =
      elided(title.empty() ? "Untitled session" : title, width - arrow - ui.theme.px(16));
  const float shown = button_width(ui, label) + arrow - ui.theme.px(4);
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  if (ImGui::Button((label + "###toolbar.menu").c_str(), {shown, 0})) ImGui::OpenPopup("session menu");
  ImGui::PopStyleVar();
  ui.probe.mark("toolbar.menu", title);
  tooltip(ui, "Lessons, open, save");
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  const float x = b.x - ui.theme.px(16), y = (a.y + b.y) / 2, r = ui.theme.px(4);
  ImGui::GetWindowDrawList()->AddTriangleFilled({x - r, y - r * 0.5f}, {x + r, y - r * 0.5f},
                                                {x, y + r * 0.7f}, to_imgui(ui.theme.quiet_text));
  ImGui::SetNextWindowPos({a.x, b.y + ui.theme.px(4)});
  session_menu(ui, state);
}

}  // namespace

void top_bar(UiContext& ui, WorkbenchState& state) {
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), width = ImGui::GetIO().DisplaySize.x, gap = theme.px(8);
  const float line = ImGui::GetFrameHeight(), y = std::floor((theme.px(44) - line) / 2);
  ImGui::GetWindowDrawList()->AddText(theme.fonts.title, theme.fonts.title->FontSize,
                                      {pad, y + (line - theme.fonts.title->FontSize) / 2},
                                      to_imgui(theme.text), "Headlight");
  const float name_end = pad + text_width(theme.fonts.title, "Headlight") + theme.px(16);

  const char* look = theme.kind == ThemeKind::Dark ? "Light" : "Dark";
  float right = 0;
  for (const char* label : {"Undo", "Redo", "Open…", "Save", "Export…", look})
    right += button_width(ui, label) + gap;
  ImGui::SetCursorScreenPos({name_end, y});
  title_button(ui, state, width - name_end - right - pad - theme.px(8));

  ImGui::SetCursorScreenPos({width - pad - right + gap, y});
  const Document& document = ui.document;
  const auto named = [](const std::string& what, const std::string& step, const char* key) {
    return step.empty() ? "Nothing to " + what
                        : (what == "undo" ? "Undo: " : "Redo: ") + step + " (" + key + ")";
  };
  if (tool_button(ui, "toolbar.undo", "Undo", named("undo", document.undo_name(), "Ctrl+Z"),
                  document.can_undo()))
    ui.act(Action::Undo);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "toolbar.redo", "Redo", named("redo", document.redo_name(), "Ctrl+Shift+Z"),
                  document.can_redo()))
    ui.act(Action::Redo);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "toolbar.open", "Open…",
                  "Open a session file (Ctrl+O); dropping one onto the window works too"))
    ui.act(Action::Open);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "toolbar.save", "Save", "Save the session (Ctrl+S)")) ui.act(Action::Save);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "toolbar.export", "Export…", "Save the large picture as an image (Ctrl+E)"))
    ui.actions.push_back({Action::ExportStage, {}, ui.view.opened_stage.value_or(ui.view.focused_stage)});
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "toolbar.theme", look, "Switch between the dark and the light look"))
    ui.act(Action::ToggleTheme);
}

}  // namespace headlight
