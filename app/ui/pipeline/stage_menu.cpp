#include "app/ui/pipeline/stage_menu.h"

#include <string>

#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

void stage_entries(UiContext& ui, Stage stage, const std::string& name) {
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
}

}  // namespace

void stage_menu_button(UiContext& ui, Stage stage, ImVec2 at, float size, bool shown) {
  const std::string name = "stage." + std::string(stage_info(stage).name);
  ImGui::SetCursorScreenPos(at);
  const bool pressed = click_area((name + ".menu").c_str(), {size, size});
  ui.probe.mark(name + ".menu");
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (shown || hot) {
    list.AddRectFilled(a, b, to_imgui(hot ? ui.theme.raised : ui.theme.panel), ui.theme.px(4));
    for (int dot = -1; dot <= 1; ++dot)
      list.AddCircleFilled({(a.x + b.x) / 2 + static_cast<float>(dot) * ui.theme.px(4), (a.y + b.y) / 2},
                           ui.theme.px(1.25f), to_imgui(hot ? ui.theme.text : ui.theme.quiet_text));
  }
  tooltip(ui, "Open to full size, export, copy");
  if (!begin_item_menu(ui, name, pressed)) return;
  stage_entries(ui, stage, name);
  ImGui::EndPopup();
}

}  // namespace headlight
