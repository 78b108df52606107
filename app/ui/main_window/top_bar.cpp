// The top bar: the session and its menu, undo and redo, file and picture.
#include <array>
#include <cmath>
#include <cstdio>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/sentence_line.h"
#include "app/ui/main_window/top_bar_parts.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

float bar_button_width(const UiContext& ui, const std::string& label) {
  return text_width(ui.theme.fonts.text, label) + 2 * ImGui::GetStyle().FramePadding.x;
}

void recent_menu(UiContext& ui, const WorkbenchState& state) {
  const bool open = ImGui::BeginMenu("Open recent", !state.memory.recent.empty());
  ui.probe.mark("menu.recent");
  if (!open) return;
  for (std::size_t i = 0; i < state.memory.recent.size(); ++i) {
    const std::filesystem::path& file = state.memory.recent[i];
    const std::string id = "menu.recent." + std::to_string(i);
    if (ImGui::MenuItem((drawn_text(file.filename().string()) + "##" + id).c_str(),
                        elided(file.parent_path().string(), ui.theme.px(280)).c_str()))
      ui.actions.push_back({Action::OpenPath, file, Stage::Weights});
    ui.probe.mark(id, file.string());
  }
  ImGui::EndMenu();
}

void session_menu(UiContext& ui, WorkbenchState& state) {
  if (!ImGui::BeginPopup("session menu")) return;
  for (const char* id : {"start", "new", "open"})
    menu_entry(ui, state, id);
  recent_menu(ui, state);
  for (const char* id :
       {"open_arrays", "open_model", "open_image", "train_model", "save", "save_as", "text", "quit"})
    menu_entry(ui, state, id);
  ImGui::EndPopup();
}

// The button "View", with its menu below it.
void view_button(UiContext& ui, WorkbenchState& state) {
  if (tool_button(ui, "toolbar.view", "View", "Dark or light, text size, motion, keys"))
    ImGui::OpenPopup("view menu");
  const ImVec2 below = {ImGui::GetItemRectMax().x, ImGui::GetItemRectMax().y + ui.theme.px(4)};
  ImGui::SetNextWindowPos(below, 0, {1.0f, 0.0f});  // its right edge below the button's
  view_menu(ui, state);
}

// "61.2 M": a count with three digits.
std::string short_count(std::uint64_t count) {
  constexpr std::array kUnits = {"", " K", " M", " G"};
  constexpr double kThousand = 1000, kShown = 999.5;
  auto number = static_cast<double>(count);
  std::size_t unit = 0;
  for (; number >= kShown && unit + 1 < kUnits.size(); ++unit)
    number /= kThousand;
  char text[32];
  std::snprintf(text, sizeof text,
                unit == 0 || number >= 99.95 ? "%.0f"
                : number >= 9.995            ? "%.1f"
                                             : "%.2f",
                number);
  return text + std::string(kUnits[unit]);
}

// The family and size of the open model: "t5 · 61.2 M"; "" if none is open.
std::string model_text(const UiContext& ui) {
  const auto& work = ui.view.model.work;
  if (!work) return "";
  return std::string(family_name(work->network->config())) + " · " +
         short_count(work->network->checkpoint().numbers());
}

// The session's title with a small triangle; opens the menu. Behind the title the open model's family and
// size, where there is room for all of it.
void title_button(UiContext& ui, WorkbenchState& state, float width) {
  const std::string& title = ui.document.session().title;
  const float arrow = ui.theme.px(24), room = width - arrow - ui.theme.px(16);
  const std::string model = model_text(ui);
  std::string label = elided(title.empty() ? "Untitled session" : title, room);
  // A folder that has its family's name is not named twice.
  const std::string longer = model.starts_with(title + " ") ? model : label + "   " + model;
  constexpr float kMostTitle = 0.34f;  // of the window: the text and the buttons need the rest
  const bool fits =
      text_width(ui.theme.fonts.text, longer) <= std::min(room, ImGui::GetIO().DisplaySize.x * kMostTitle);
  if (!model.empty() && fits) label = longer;
  const float shown = bar_button_width(ui, label) + arrow - ui.theme.px(4);
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  if (ImGui::Button((label + "###toolbar.menu").c_str(), {shown, 0})) ImGui::OpenPopup("session menu");
  ImGui::PopStyleVar();
  ui.probe.mark("toolbar.menu", title);
  tooltip(ui, model.empty() ? "Open, save" : model + " parameters. Open, save");
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  if (!model.empty())
    ui.probe.mark_rect("toolbar.model", {a.x, a.y, b.x - a.x, b.y - a.y}, label == longer ? model : "");
  const float x = b.x - ui.theme.px(16), y = (a.y + b.y) / 2, r = ui.theme.px(4);
  ImGui::GetWindowDrawList()->AddTriangleFilled({x - r, y - r * 0.5f}, {x + r, y - r * 0.5f},
                                                {x, y + r * 0.7f}, to_imgui(ui.theme.quiet_text));
  ImGui::SetNextWindowPos({a.x, b.y + ui.theme.px(4)});
  session_menu(ui, state);
}

struct BarButton {
  std::string action, label, tip;
};

std::string step_tip(const std::string& id, const std::string& step) {
  const ActionEntry& entry = action_entry(id);
  if (step.empty()) return "Nothing to " + id;
  return std::string(entry.name) + ": " + step + " (" + action_keys(entry) + ")";
}

constexpr float kLayerWidth = 132, kSideLayerWidth = 176, kLeastTitle = 96;  // planned pixels

// Whether the layers' names begin with their sides.
bool has_sides(const UiContext& ui) {
  return ui.view.model.work && ui.view.model.work->network->config().cross;
}

// Leaves out buttons that do not fit, starting with those whose keys are best known; the menus have all of
// them. Returns the width of the others.
float fitting_buttons(const UiContext& ui, std::vector<BarButton>& buttons, float room, float gap) {
  const auto width = [&] {
    float sum = 0;
    for (const BarButton& button : buttons)
      sum += bar_button_width(ui, button.label) + gap;
    return sum;
  };
  for (const char* action : {"palette", "redo", "undo", "export", "save_picture", "save", "open"}) {
    if (width() <= room) break;
    std::erase_if(buttons, [&](const BarButton& button) { return button.action == action; });
  }
  return width();
}

// The layers of the file that the model was read from.
void layer_choice(UiContext& ui, float width) {
  LayersView& layers = ui.view.layers;
  std::vector<Choice> choices;
  for (const std::string& name : layers.names) {
    const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    choices.push_back({name, number ? "layer " + name : name, ""});
  }
  // Layers of an array file have the names of its arrays; those of a whole model are counted.
  if (const auto& work = ui.view.model.work) {
    const std::vector<LayerPlace> places = layer_places(work->network->config());
    for (std::size_t i = 0; i < choices.size() && i < places.size(); ++i)
      choices[i].label = names_of_layers(ui).text(places[i]);
  }
  const auto chosen = choice_box(ui, "toolbar.layer", choices, layers.at, width,
                                 "The layer that is shown (" + action_keys(action_entry("layer_back")) +
                                     ", " + action_keys(action_entry("layer_next")) + ")");
  if (chosen) layers.asked = *chosen;
}

}  // namespace

void top_bar(UiContext& ui, WorkbenchState& state) {
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), width = ImGui::GetIO().DisplaySize.x, gap = theme.px(8);
  const float line = ImGui::GetFrameHeight(), y = std::floor((theme.px(44) - line) / 2);
  ImGui::GetWindowDrawList()->AddText(theme.fonts.title, font_size(theme.fonts.title),
                                      {pad, y + (line - font_size(theme.fonts.title)) / 2},
                                      to_imgui(theme.text), "Headlight");
  const float name_end = pad + text_width(theme.fonts.title, "Headlight") + theme.px(16);

  std::vector<BarButton> buttons = {
      {"undo", "Undo", step_tip("undo", ui.document.undo_name())},
      {"redo", "Redo", step_tip("redo", ui.document.redo_name())},
      {"open", "Open…", ui.action_tip("open") + "; dropping one onto the window works too"},
      {"save", "Save", ui.action_tip("save")},
      {"save_picture", "Save picture", ui.action_tip("save_picture")},
      {"export", "More…", ui.action_tip("export")},
      {"palette", "Commands", ui.action_tip("palette")}};
  const bool layered = ui.view.layers.count > 1;
  const float layer_width = theme.px(has_sides(ui) ? kSideLayerWidth : kLayerWidth);
  const float lessons = bar_button_width(ui, "Lessons") + gap;
  const float fixed = bar_button_width(ui, "View") + gap + (layered ? layer_width + gap : 0);
  const float title = width - name_end - fixed - lessons - pad - theme.px(8);
  const float right = fixed + fitting_buttons(ui, buttons, title - theme.px(kLeastTitle), gap);
  ImGui::SetCursorScreenPos({name_end, y});
  title_button(ui, state, width - name_end - right - lessons - pad - theme.px(8));
  ImGui::SameLine(0, gap);
  lessons_button(ui, state);
  ImGui::SameLine(0, theme.px(20));
  const float words = ImGui::GetCursorScreenPos().x;
  sentence_line(ui, state, {words, theme.px(4)}, {width - pad - right - theme.px(8) - words, theme.px(36)});

  ImGui::SetCursorScreenPos({width - pad - right + gap, y});
  if (layered) {
    layer_choice(ui, layer_width);
    ImGui::SameLine(0, gap);
  }
  for (const BarButton& button : buttons) {
    const ActionEntry& entry = action_entry(button.action);
    if (tool_button(ui, "toolbar." + button.action, button.label, button.tip, action_possible(entry, ui)))
      entry.run(ui, state);
    ImGui::SameLine(0, gap);
  }
  view_button(ui, state);
}

}  // namespace headlight
