// The top bar: the session and its menu, undo and redo, the field that finds everything, what to share.
#include <array>
#include <cmath>
#include <cstdio>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/lesson/lesson_list.h"
#include "app/ui/main_window/action_table.h"
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

void lessons_menu(UiContext& ui, const WorkbenchState& state) {
  const bool open = ImGui::BeginMenu("Lessons", !state.lesson.entries.empty());
  ui.probe.mark("menu.lessons");
  if (!open) return;
  lesson_menu(ui, state.lesson.entries);
  ImGui::EndMenu();
}

void session_menu(UiContext& ui, WorkbenchState& state) {
  if (!ImGui::BeginPopup("session menu")) return;
  menu_entry(ui, state, "start");
  lessons_menu(ui, state);
  ImGui::Separator();
  for (const char* id : {"new", "open"})
    menu_entry(ui, state, id);
  recent_menu(ui, state);
  for (const char* id : {"open_arrays", "open_model", "open_image", "open_set", "train_model", "save",
                         "save_as", "text", "quit"})
    menu_entry(ui, state, id);
  ImGui::EndPopup();
}

// The same on the start screen, where there is no session to save.
void start_menu(UiContext& ui, WorkbenchState& state) {
  if (!ImGui::BeginPopup("start menu")) return;
  lessons_menu(ui, state);
  ImGui::Separator();
  for (const char* id : {"new", "open"})
    menu_entry(ui, state, id);
  recent_menu(ui, state);
  for (const char* id : {"open_arrays", "open_model", "train_model", "kept", "quit"})
    menu_entry(ui, state, id);
  ImGui::EndPopup();
}

void start_share_menu(UiContext& ui, WorkbenchState& state) {
  if (!ImGui::BeginPopup("share menu")) return;
  menu_entry(ui, state, "save_picture");
  ImGui::EndPopup();
}

// What leaves the window: pictures, numbers, programs.
void share_menu(UiContext& ui, WorkbenchState& state) {
  if (!ImGui::BeginPopup("share menu")) return;
  for (const char* id :
       {"save_picture", "export", "save_animation", "save_page", "save_bundle", "add_to_report", "report"})
    menu_entry(ui, state, id);
  ImGui::Separator();
  for (const char* id : {"copy_picture", "copy_tsv", "copy_csv", "copy_latex", "copy_markdown",
                         "copy_command", "copy_pytorch", "copy_numpy"})
    menu_entry(ui, state, id);
  ImGui::EndPopup();
}

void draw_chevron(const UiContext& ui, ImVec2 middle) {
  const float r = ui.theme.px(4);
  ImGui::GetWindowDrawList()->AddTriangleFilled(
      {middle.x - r, middle.y - r * 0.5f}, {middle.x + r, middle.y - r * 0.5f},
      {middle.x, middle.y + r * 0.7f}, to_imgui(ui.theme.quiet_text));
}

constexpr float kChevronRoom = 16;  // planned pixels

float menu_width(const UiContext& ui, const char* label) {
  return bar_button_width(ui, label) + ui.theme.px(kChevronRoom);
}

// A word with a chevron, whose menu hangs from its right end, or from its left end (`aligned` 0).
void menu_button(UiContext& ui, WorkbenchState& state, const char* name, const char* label, const char* tip,
                 const char* popup, void (*menu)(UiContext&, WorkbenchState&), float aligned = 1) {
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  if (ImGui::Button((std::string(label) + "###" + name).c_str(), {menu_width(ui, label), 0}))
    ImGui::OpenPopup(popup);
  ImGui::PopStyleVar();
  ui.probe.mark(name);
  tooltip(ui, tip);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  draw_chevron(ui, {high.x - ui.theme.px(14), (low.y + high.y) / 2});
  ImGui::SetNextWindowPos({aligned > 0 ? high.x : low.x, high.y + ui.theme.px(4)}, 0, {aligned, 0.0f});
  menu(ui, state);
}

// A lamp with three beams: the way to the start screen.
void draw_lamp(const UiContext& ui, ImVec2 middle, Color color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float px = ui.theme.scale;
  list.AddCircleFilled({middle.x - 4 * px, middle.y}, 3.5f * px, to_imgui(color));
  for (const float end : {-5.0f, 0.0f, 5.0f})
    list.AddLine({middle.x + 2 * px, middle.y + end * 0.4f * px}, {middle.x + 8 * px, middle.y + end * px},
                 to_imgui(color), 1.5f * px);
}

void home_button(UiContext& ui, WorkbenchState& state) {
  if (tool_button(ui, "toolbar.home", "    ", "Headlight: " + ui.action_tip("start")))
    action_entry("start").run(ui, state);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  draw_lamp(ui, {(low.x + high.x) / 2, (low.y + high.y) / 2}, ui.theme.link);
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
  draw_chevron(ui, {b.x - ui.theme.px(16), (a.y + b.y) / 2});
  ImGui::SetNextWindowPos({a.x, b.y + ui.theme.px(4)});
  session_menu(ui, state);
}

std::string step_tip(const std::string& id, const std::string& step) {
  const ActionEntry& entry = action_entry(id);
  if (step.empty()) return "Nothing to " + id;
  return std::string(entry.name) + ": " + step + " (" + action_keys(entry) + ")";
}

// An arrow that bends back, or forward.
void draw_step_arrow(const UiContext& ui, ImVec2 middle, bool back, Color color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float px = ui.theme.scale, way = back ? -1.0f : 1.0f, line = 1.5f * px;
  const auto at = [&](float x, float y) { return ImVec2{middle.x + way * x * px, middle.y + y * px}; };
  list.PathLineTo(at(6, -2));
  list.PathLineTo(at(-2, -2));
  list.PathBezierCubicCurveTo(at(-7, -2), at(-7, 5), at(-2, 5));
  list.PathLineTo(at(2, 5));
  list.PathStroke(to_imgui(color), 0, line);
  list.AddLine(at(6, -2), at(2.5f, -5.5f), to_imgui(color), line);
  list.AddLine(at(6, -2), at(2.5f, 1.5f), to_imgui(color), line);
}

void step_button(UiContext& ui, WorkbenchState& state, const char* id, bool back) {
  const ActionEntry& entry = action_entry(id);
  const bool possible = action_possible(entry, ui);
  const std::string& step = back ? ui.document.undo_name() : ui.document.redo_name();
  if (tool_button(ui, std::string("toolbar.") + id, "   ", step_tip(id, step), possible))
    entry.run(ui, state);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  draw_step_arrow(ui, {(low.x + high.x) / 2, (low.y + high.y) / 2}, back,
                  possible ? ui.theme.text : ui.theme.line);
}

// What looks like a field opens the palette, which takes what is typed.
void search_field(UiContext& ui, WorkbenchState& state, float width) {
  const ActionEntry& entry = action_entry("palette");
  const std::string keys = action_keys(entry);
  ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_FrameBg));
  const bool pressed = ImGui::Button("###toolbar.palette", {width, 0});
  ImGui::PopStyleColor();
  ui.probe.mark("toolbar.palette");
  tooltip(ui, ui.action_tip("palette"));
  if (pressed) entry.run(ui, state);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float px = ui.theme.scale, middle = (low.y + high.y) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 quiet = to_imgui(ui.theme.quiet_text);
  list.AddCircle({low.x + 15 * px, middle - px}, 5 * px, quiet, 0, 1.5f * px);
  list.AddLine({low.x + 18.5f * px, middle + 2.5f * px}, {low.x + 22 * px, middle + 6 * px}, quiet,
               1.5f * px);
  ImFont* const small = ui.theme.fonts.label;
  const float keys_width = text_width(small, keys) + ui.theme.px(12), from = low.x + ui.theme.px(30);
  const std::string text = elided("Search or run", high.x - from - keys_width);
  const float top = middle - ImGui::GetFontSize() / 2;
  if (text.size() > 3) list.AddText({from, std::floor(top)}, quiet, text.c_str());
  if (high.x - from > keys_width)
    list.AddText(small, font_size(small), {high.x - keys_width, std::floor(middle - font_size(small) / 2)},
                 quiet, keys.c_str());
}

constexpr float kLayerWidth = 132, kSideLayerWidth = 176, kLeastTitle = 96;  // planned pixels
constexpr float kSearch = 280, kLeastSearch = 40;

// Whether the layers' names begin with their sides.
bool has_sides(const UiContext& ui) {
  return ui.view.model.work && ui.view.model.work->network->config().cross;
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

float bar_height(const Theme& theme) {
  return theme.px(48);
}

void top_bar(UiContext& ui, WorkbenchState& state) {
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), width = ImGui::GetIO().DisplaySize.x, gap = theme.px(8);
  const float y = std::floor((bar_height(theme) - ImGui::GetFrameHeight()) / 2);
  // Beside the pages of a model the map of all heads chooses the layer.
  const bool layered = ui.view.layers.count > 1 && !ui.view.model.pages_beside;
  const float layer_width = theme.px(has_sides(ui) ? kSideLayerWidth : kLayerWidth);
  const float steps = 2 * (bar_button_width(ui, "   ") + gap);
  const float right =
      (layered ? layer_width + gap : 0) + menu_width(ui, "Share") + gap + menu_width(ui, "View");
  const float home = bar_button_width(ui, "    ") + gap;
  const float room = width - 2 * pad - right - home - steps - 2 * gap;  // of the name and the field
  const float search =
      std::clamp(room - theme.px(2 * kLeastTitle), theme.px(kLeastSearch), theme.px(kSearch));

  ImGui::SetCursorScreenPos({pad, y});
  home_button(ui, state);
  ImGui::SameLine(0, gap);
  title_button(ui, state, std::min(room - search, theme.px(420)));
  ImGui::SameLine(0, gap);
  step_button(ui, state, "undo", true);
  ImGui::SameLine(0, gap);
  step_button(ui, state, "redo", false);
  const float left_end = ImGui::GetItemRectMax().x + 2 * gap, right_begin = width - pad - right;
  const float centred = std::floor((width - search) / 2);
  ImGui::SetCursorScreenPos(
      {std::clamp(centred, left_end, std::max(left_end, right_begin - gap - search)), y});
  search_field(ui, state, search);

  ImGui::SetCursorScreenPos({right_begin, y});
  if (layered) {
    layer_choice(ui, layer_width);
    ImGui::SameLine(0, gap);
  }
  menu_button(ui, state, "toolbar.share", "Share", "Save or copy the picture, its numbers, a program",
              "share menu", share_menu);
  ImGui::SameLine(0, gap);
  menu_button(ui, state, "toolbar.view", "View", "Dark or light, text size, motion, keys", "view menu",
              view_menu);
}

void start_bar(UiContext& ui, WorkbenchState& state) {
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), gap = theme.px(8), width = ImGui::GetIO().DisplaySize.x;
  const float y = std::floor((bar_height(theme) - ImGui::GetFrameHeight()) / 2);
  const float name = menu_width(ui, "Headlight"), share = menu_width(ui, "Share");
  const float search = std::clamp(width - 2 * (pad + gap) - name - share, 1.0f, theme.px(kSearch));
  ImGui::SetCursorScreenPos({pad, y});
  menu_button(ui, state, "start.menu", "Headlight", "Open a session, a model, arrays, a lesson", "start menu",
              start_menu, 0);
  const float left = pad + name + gap, right = width - pad - share - gap - search;
  ImGui::SetCursorScreenPos({std::max(left, std::min(std::floor((width - search) / 2), right)), y});
  search_field(ui, state, search);
  ImGui::SetCursorScreenPos({width - pad - share, y});
  menu_button(ui, state, "toolbar.share", "Share", "Save the sentence as a picture", "share menu",
              start_share_menu);
}

}  // namespace headlight
