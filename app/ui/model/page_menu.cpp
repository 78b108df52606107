#include "app/ui/model/page_menu.h"

#include <imgui.h>

#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

void copy_entries(const UiContext& ui, const PageExports& exports) {
  const std::string name = exports.name + ".copy.";
  if (exports.table &&
      menu_choice(ui, name + "table", "Copy the numbers", "All of its numbers, separated by tabs"))
    ImGui::SetClipboardText(exports.table().c_str());
  if (!exports.command) return;
  if (menu_choice(ui, name + "command", "Copy the command", "What computes these numbers in a terminal"))
    ImGui::SetClipboardText(copied_command(exports.command()).c_str());
  if (menu_choice(ui, name + "python", "Copy as Python", "What computes these numbers in a program"))
    ImGui::SetClipboardText(copied_python(exports.command()).c_str());
}

void save_answer(UiContext& ui, const PageExports& exports, FileFormat format) {
  ActionRequest request{Action::SaveResult};
  request.format = format;
  request.result = exports.answer();
  ui.actions.push_back(std::move(request));
}

void save_entries(UiContext& ui, const PageExports& exports) {
  if (exports.answer && menu_choice(ui, exports.name + ".add_to_report", "Add to report",
                                    "Put the answer into the report beside the session")) {
    ActionRequest request{Action::AddToReport};
    request.result = exports.answer();
    ui.actions.push_back(std::move(request));
  }
  std::vector<FileFormat> formats = {FileFormat::Png, FileFormat::Svg, FileFormat::Pdf};
  if (exports.answer) formats.insert(formats.end(), {FileFormat::Csv, FileFormat::Json, FileFormat::Npz});
  for (const FileFormat format : formats) {
    const FileFormatInfo& info = file_format_info(format);
    if (!menu_choice(ui, exports.name + ".save." + std::string(info.id),
                     "Save as " + std::string(info.name) + "…", std::string(info.what)))
      continue;
    exports.answer ? save_answer(ui, exports, format) : exports.save_figure(format);
  }
}

}  // namespace

void page_menu(UiContext& ui, const PageExports& exports, const std::function<void()>& own) {
  const char* const tip =
      exports.table || exports.command ? "Copy or save what is shown" : "Save what is shown";
  if (!begin_more_menu(ui, exports.name + ".more", tip)) return;
  if (own) own();
  copy_entries(ui, exports);
  if (exports.answer || exports.save_figure) {
    ImGui::Separator();
    save_entries(ui, exports);
  }
  ImGui::EndPopup();
}

}  // namespace headlight
