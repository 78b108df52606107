// One stage of the pipeline as a card: name, shape, formula, live pictures and a menu.
#include "app/ui/kit/widgets.h"
#include "app/ui/picture/spotlight.h"
#include "app/ui/stages/stage_parts.h"
#include "app/ui/views/heads_grid.h"
#include "engine/model/stage_formula.h"

namespace headlight {
namespace {

void card_menu(UiContext& ui, Stage stage) {
  const std::string name = "stage." + std::string(stage_info(stage).name);
  if (!ImGui::BeginPopup((name + ".popup").c_str())) return;
  if (ImGui::MenuItem("Open to full size")) ui.view.opened_stage = stage;
  ui.probe.mark(name + ".open");
  if (ImGui::MenuItem("Export…", "Ctrl+E")) ui.actions.push_back({Action::ExportStage, {}, stage});
  ui.probe.mark(name + ".export");
  ImGui::Separator();
  if (ImGui::MenuItem("Copy picture")) ui.actions.push_back({Action::CopyPicture, {}, stage});
  ui.probe.mark(name + ".copy_picture");
  for (const FileFormat format :
       {FileFormat::Tsv, FileFormat::Csv, FileFormat::Latex, FileFormat::Markdown}) {
    const FileFormatInfo& info = file_format_info(format);
    if (ImGui::MenuItem(("Copy as " + std::string(info.name)).c_str()))
      ui.actions.push_back({Action::CopyNumbers, {}, stage, format});
    ui.probe.mark(name + ".copy_" + std::string(info.id));
    tooltip(ui, std::string(info.what));
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Copy as PyTorch")) ui.actions.push_back({Action::CopyPyTorch, {}, stage});
  ui.probe.mark(name + ".copy_pytorch");
  tooltip(ui, "A program that rebuilds this state and prints the stage");
  if (ImGui::MenuItem("Copy as NumPy")) ui.actions.push_back({Action::CopyNumPy, {}, stage});
  ui.probe.mark(name + ".copy_numpy");
  tooltip(ui, "A program that rebuilds this state and prints the stage");
  ImGui::EndPopup();
}

// The ⋯ in a card's corner.
void menu_button(UiContext& ui, Stage stage, ImVec2 corner) {
  const std::string name = "stage." + std::string(stage_info(stage).name);
  const float size = ui.theme.px(20);
  ImGui::SetCursorScreenPos({corner.x - size - ui.theme.px(4), corner.y + ui.theme.px(4)});
  if (ImGui::InvisibleButton((name + ".menu").c_str(), {size, size}))
    ImGui::OpenPopup((name + ".popup").c_str());
  ui.probe.mark(name + ".menu");
  const bool hot = ImGui::IsItemHovered();
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hot) list.AddRectFilled(a, b, to_imgui(ui.theme.raised), ui.theme.px(4));
  for (int dot = -1; dot <= 1; ++dot)
    list.AddCircleFilled({(a.x + b.x) / 2 + static_cast<float>(dot) * ui.theme.px(5), (a.y + b.y) / 2},
                         ui.theme.px(1.5f), to_imgui(hot ? ui.theme.text : ui.theme.quiet_text));
  tooltip(ui, "Open to full size, export, copy");
  card_menu(ui, stage);
}

}  // namespace

void draw_card(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area) {
  const StageInfo& info = stage_info(stage);
  const std::string name = "stage." + std::string(info.name);
  ImGui::PushID(name.c_str());
  draw_card_frame(ui, area, ui.view.focused_stage == stage);
  const float pad = ui.theme.px(8), menu = ui.theme.px(24);
  const Fonts& fonts = ui.theme.fonts;
  const std::string shape = stage_shape_text(ui.model(), stage);
  const float shape_width = text_width(fonts.label, shape);
  const float text_room = area.size.x - 2 * pad - menu;
  const float line = font_size(fonts.text) + ui.theme.px(1);

  // The header takes clicks; the pictures below take their own.
  const float header = pad + line + font_size(fonts.label) + ui.theme.px(4);
  ImGui::SetCursorScreenPos(area.at);
  if (ImGui::InvisibleButton("header", {area.size.x - menu, header})) ui.view.focused_stage = stage;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    ui.view.opened_stage = stage;
  ui.probe.mark(name, shape);
  const std::string formula = stage_formula(ui.model(), stage);
  tooltip(ui, std::string(info.name) + ": " + formula + "\nshape " + shape +
                  "\nDouble-click opens it to full size");

  const ImVec2 at = {area.at.x + pad, area.at.y + ui.theme.px(6)};
  const float name_width = text_width(fonts.text, std::string(info.name));
  fitted_text(fonts.text, at, text_room, ui.theme.text, std::string(info.name));
  const bool shape_fits = name_width + shape_width + ui.theme.px(8) <= text_room;
  if (shape_fits)
    fitted_text(fonts.label,
                {area.end().x - pad - menu + ui.theme.px(4) - shape_width,
                 at.y + (font_size(fonts.text) - font_size(fonts.label)) * 0.7f},
                shape_width + 1, ui.theme.quiet_text, shape);
  const float room = area.size.x - 2 * pad;
  fitted_text(fonts.label, {at.x, at.y + line}, room, ui.theme.quiet_text, formula);
  if (!shape_fits && text_width(fonts.label, formula) + shape_width + ui.theme.px(8) <= room)
    fitted_text(fonts.label, {at.x + room - shape_width, at.y + line}, shape_width + 1, ui.theme.quiet_text,
                shape);

  const Area picture = {{area.at.x + pad, area.at.y + header},
                        {area.size.x - 2 * pad, area.size.y - header - pad}};
  if (draw_heads(ui, state.cache, state.painter, stage, picture, "stage.", false))
    ui.view.opened_stage = stage;
  menu_button(ui, stage, {area.end().x, area.at.y});
  // Between and beside the pictures the card takes clicks as well.
  if (ImGui::IsWindowHovered() && !ImGui::IsAnyItemHovered() &&
      ImGui::IsMouseHoveringRect(area.at, area.end()) && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    ui.view.focused_stage = stage;
  spotlight_card(ui, stage, area.at, area.size);
  ImGui::PopID();
}

}  // namespace headlight
