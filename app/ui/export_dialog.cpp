#include "app/ui/export_dialog.h"

#include <cctype>

#include <imgui_stdlib.h>

#include "app/figure/figure_file.h"
#include "app/ui/text_fit.h"
#include "app/ui/widgets.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr float kWidth = 480, kLabelColumn = 64;
constexpr const char* kExtension = ".png";

// Letters and digits stay, everything between them becomes one hyphen. Bytes of other scripts stay as well.
std::string slug(const std::string& text) {
  std::string result;
  for (char raw : text) {
    const auto c = static_cast<unsigned char>(raw);
    if (c >= 0x80 || std::isalnum(c)) {
      result += static_cast<char>(c >= 0x80 ? raw : std::tolower(c));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-'))
    result.pop_back();
  return result.empty() ? "headlight" : result;
}

std::string heads_text(const ExportDialogState& state) {
  if (!state.has_heads) return {};
  return state.request.head ? ", head " + std::to_string(*state.request.head + 1) : ", all heads";
}

void row_label(const UiContext& ui, const char* label) {
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, label);
  ImGui::SameLine(left + ui.theme.px(kLabelColumn));
}

void draw_file_rows(const UiContext& ui, ExportDialogState& state) {
  row_label(ui, "name");
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputText("##dialog.name", &state.name_text)) state.message.clear();
  ui.probe.mark("dialog.name", state.name_text);
  row_label(ui, "folder");
  ImGui::SetNextItemWidth(-button_width("Browse") - ImGui::GetStyle().ItemSpacing.x);
  if (ImGui::InputText("##dialog.path", &state.folder_text)) state.message.clear();
  ui.probe.mark("dialog.path", state.folder_text);
  ImGui::SameLine();
  if (!tool_button(ui, "dialog.browse", "Browse", "Choose the folder and the name")) return;
  ImGui::CloseCurrentPopup();  // until the browser is done
  open_file_browser(state.browser, {FileBrowserMode::Save, "Export to", kExtension,
                                    path_from_text(state.folder_text, home_folder()), state.name_text});
}

// PNG, SVG or PDF: the ending of the name says which.
void draw_format_row(const UiContext& ui, ExportDialogState& state) {
  struct Format {
    const char *id, *label, *what;
  };
  constexpr Format kFormats[] = {{"png", "PNG", "Pixels"},
                                 {"svg", "SVG", "Lines and text, for the web and for drawing programs"},
                                 {"pdf", "PDF", "Lines and text, for papers"}};
  row_label(ui, "format");
  const std::string now = fs::path(state.name_text).extension().string();
  for (const Format& format : kFormats) {
    const std::string ending = std::string(".") + format.id;
    if (&format != kFormats) ImGui::SameLine(0, ui.theme.px(4));
    if (tool_button(ui, std::string("dialog.format.") + format.id, format.label, format.what, true,
                    now == ending))
      state.name_text =
          (figure_format(state.name_text) ? fs::path(state.name_text).stem().string() : state.name_text) +
          ending;
  }
}

void draw_looks_rows(const UiContext& ui, ExportRequest& request, bool pixels) {
  row_label(ui, "size");
  for (int scale : {1, 2, 4}) {
    const std::string text = std::to_string(scale);
    if (scale > 1) ImGui::SameLine(0, ui.theme.px(4));
    if (tool_button(ui, "dialog.scale." + text, text + "×", "Pixels of the file for each pixel of the plan",
                    pixels, request.scale == scale)) {
      request.scale = scale;
    }
  }
  row_label(ui, "colours");
  if (tool_button(ui, "dialog.theme.dark", "dark", "A dark ground, as on screen", true,
                  request.theme == ThemeKind::Dark)) {
    request.theme = ThemeKind::Dark;
  }
  ImGui::SameLine(0, ui.theme.px(4));
  if (tool_button(ui, "dialog.theme.light", "light", "A light ground, for print", true,
                  request.theme == ThemeKind::Light)) {
    request.theme = ThemeKind::Light;
  }
}

// The request with its path, unless something must be mended or asked first.
std::optional<ExportRequest> accept(ExportDialogState& state) {
  const fs::path folder = path_from_text(state.folder_text, home_folder());
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    state.message = "there is no folder " + folder.string();
    return std::nullopt;
  }
  if (state.name_text.empty() || state.name_text.find('/') != std::string::npos) {
    state.message = "write a file name without a slash";
    return std::nullopt;
  }
  fs::path file = folder / state.name_text;
  if (!figure_format(file)) file += kExtension;
  if (fs::exists(file, ignored)) {
    state.overwrite.file = file;
    return std::nullopt;
  }
  state.request.path = file;
  return state.request;
}

std::optional<ExportRequest> draw_foot(const UiContext& ui, ExportDialogState& state, bool& cancelled) {
  if (state.overwrite.file) {
    const auto answer = ask_overwrite(ui, state.overwrite);
    if (!answer) return std::nullopt;
    state.request.path = *state.overwrite.file;
    state.overwrite.file.reset();
    return *answer == OverwriteAnswer::Replace ? std::optional(state.request) : std::nullopt;
  }
  align_right(button_width("Cancel") + button_width("Export") + ImGui::GetStyle().ItemSpacing.x);
  cancelled = tool_button(ui, "dialog.cancel", "Cancel", "Escape") || dialog_key(Key::Escape);
  ImGui::SameLine();
  const bool ok = tool_button(ui, "dialog.ok", "Export", "Enter", true, true) || dialog_key(Key::Enter);
  return ok ? accept(state) : std::nullopt;
}

void follow_browser(const UiContext& ui, ExportDialogState& state) {
  const auto file = file_browser(ui, state.browser);
  if (!file) return;
  state.folder_text = file->parent_path().string();
  state.name_text = file->filename().string();
}

}  // namespace

std::string export_file_name(const std::string& session_title, Stage stage, std::optional<Index> head,
                             Index heads) {
  std::string name = slug(session_title) + "-" + std::string(stage_info(stage).name);
  if (stage_info(stage).per_head && heads > 1) {
    name += head ? "-head" + std::to_string(*head + 1) : std::string("-all-heads");
  }
  return name + kExtension;
}

void open_export_dialog(ExportDialogState& state, const Session& session, Stage stage,
                        std::optional<Index> head, const fs::path& folder, ThemeKind theme) {
  state = {};
  state.open = true;
  state.request = {stage, head, {}, 2, theme};
  state.has_heads = stage_info(stage).per_head && session.model.head_count() > 1;
  state.folder_text = folder.empty() ? home_folder().string() : folder.string();
  state.name_text = export_file_name(session.title, stage, head, session.model.head_count());
}

std::optional<ExportRequest> export_dialog(const UiContext& ui, ExportDialogState& state) {
  if (state.browser.open) {
    follow_browser(ui, state);
    return std::nullopt;
  }
  const std::string title = "Export " + std::string(stage_info(state.request.stage).name) + heads_text(state);
  if (!begin_dialog(ui, "##export", state.open, {kWidth, 0}, title)) return std::nullopt;
  bool cancelled = false;
  draw_file_rows(ui, state);
  draw_format_row(ui, state);
  draw_looks_rows(ui, state.request,
                  figure_format(state.name_text).value_or(FigureFormat::Png) == FigureFormat::Png);
  dialog_message(ui, "dialog.message", state.message);
  auto request = draw_foot(ui, state, cancelled);
  if (request || cancelled) close_dialog(state.open);
  end_dialog();
  return request;
}

}  // namespace headlight
