// The menu of the button "View": the look of the window, its views, and help.
#include <cmath>

#include <imgui.h>

#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/top_bar_parts.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

void look_choice(UiContext& ui, Look look, const char* id, const char* label) {
  if (ImGui::MenuItem(label, nullptr, ui.preferences.look == look)) ui.preferences.look = look;
  ui.probe.mark(std::string("view.look.") + id, ui.preferences.look == look ? "now" : "");
}

}  // namespace

void menu_entry(UiContext& ui, WorkbenchState& state, const std::string& id) {
  const ActionEntry& entry = action_entry(id);
  if (ImGui::MenuItem(std::string(entry.name).c_str(), action_keys(entry).c_str(), false,
                      action_possible(entry, ui)))
    entry.run(ui, state);
  ui.probe.mark("menu." + id);
}

void view_menu(UiContext& ui, WorkbenchState& state) {
  if (!ImGui::BeginPopup("view menu")) return;
  look_choice(ui, Look::Dark, "dark", "Dark");
  look_choice(ui, Look::Light, "light", "Light");
  look_choice(ui, Look::System, "system", "As the desktop is set");
  ImGui::Separator();
  for (const char* id :
       {"view_heatmap", "view_flow", "view_row", "view_vectors", "view_compare", "view_model"})
    menu_entry(ui, state, id);
  ImGui::Separator();
  const int percent = static_cast<int>(std::lround(ui.preferences.text_scale * 100));
  quiet_text(ui, "Text size " + std::to_string(percent) + " %");
  ui.probe.mark("view.text_size", std::to_string(percent));
  for (const char* id : {"larger", "smaller", "usual_size"})
    menu_entry(ui, state, id);
  ImGui::Separator();
  if (ImGui::MenuItem("Motion", nullptr, ui.preferences.motion))
    ui.preferences.motion = !ui.preferences.motion;
  ui.probe.mark("view.motion", ui.preferences.motion ? "on" : "off");
  tooltip(ui, "Changed cells glow for a moment, pictures cross-fade, lights fade in");
  const bool from_one = ui.counting().first == 1;
  if (ImGui::MenuItem("Count heads from 1", nullptr, from_one, !ui.lesson_counts()))
    ui.preferences.count_from = from_one ? 0 : 1;
  ui.probe.mark("view.count_from_1", from_one ? "on" : "off", !ui.lesson_counts());
  tooltip(ui, ui.lesson_counts()
                  ? "The open lesson says what heads are counted from"
                  : "Heads, tokens, dimensions and sequences; else from 0, as the command line does");
  if (ImGui::MenuItem("Shares as per cent", nullptr, ui.percent()))
    ui.preferences.shares = ui.percent() ? ShareForm::Decimals : ShareForm::PerCent;
  ui.probe.mark("view.percent", ui.percent() ? "on" : "off");
  tooltip(ui,
          "58 % in the place of 0.5813, in every picture of weights. A layer alone begins with decimals, as "
          "notebooks print them");
  if (ImGui::MenuItem("Colour words by surprise", nullptr, ui.preferences.surprise))
    ui.preferences.surprise = !ui.preferences.surprise;
  ui.probe.mark("view.surprise", ui.preferences.surprise ? "on" : "off");
  tooltip(ui, "In the line of a model's text: how little the model expected each word, from 100 % to 0.1 %");
  for (const char* id : {"full_size", "diagram", "step_code", "lesson.text"})
    menu_entry(ui, state, id);
  ImGui::Separator();
  for (const char* id : {"palette", "find_token", "manual", "keys", "hint"})
    menu_entry(ui, state, id);
  ImGui::EndPopup();
}

}  // namespace headlight
