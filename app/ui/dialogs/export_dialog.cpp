#include "app/ui/dialogs/export_dialog.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/figure/paint/font_families.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/dialogs/export_rows.h"
#include "app/ui/picture/heads_together.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/views/flow_view.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr float kWidth = 1040, kHeight = 768, kChoicesWidth = 464, kLeastPreview = 200, kRowGap = 6;

FigureKind kind_of(FocusView view) {
  switch (view) {
    case FocusView::Flow:
      return FigureKind::Flow;
    case FocusView::Row:
      return FigureKind::Row;
    case FocusView::Compare:
      return FigureKind::Compare;
    case FocusView::Heatmap:
    case FocusView::Vectors:
    case FocusView::Model:
      break;
  }
  return FigureKind::Heads;
}

ExportItem item_of(const UiContext& ui, const ExportDialogState& state, const FigureChoice& choice,
                   fs::path path) {
  return {choice, figure_options(state.settings, ui, choice), std::move(path)};
}

// The folder of the field; nullopt with a message or a question if it is missing or no folder.
std::optional<fs::path> chosen_folder(ExportDialogState& state) {
  const fs::path folder = path_from_text(state.folder_text, home_folder());
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return folder;
  if (fs::exists(folder, ignored))
    state.message = folder.string() + " is a file, not a folder: choose another one";
  else
    state.missing_folder = folder;
  return std::nullopt;
}

bool fields_are_right(ExportDialogState& state) {
  state.note.clear();
  state.message.clear();
  const bool of_part = state.fault.field == "rows" || state.fault.field == "columns";
  if (exports_figure(state) || of_part) state.message = state.fault.text;
  return state.message.empty();
}

// Returns the request if none of its files exists; otherwise holds it and asks whether to replace them.
std::optional<ExportRequest> confirm_overwrite(ExportDialogState& state, ExportRequest request) {
  std::vector<fs::path> there;
  std::error_code ignored;
  for (const ExportItem& item : request.items)
    if (fs::exists(item.path, ignored)) there.push_back(item.path);
  if (there.empty()) return request;
  state.overwrite = {there.front(), there.size()};
  state.held = std::move(request);
  return std::nullopt;
}

void remember(UiContext& ui, ExportDialogState& state, const fs::path& folder) {
  state.settings.format = export_format(state);
  state.settings.folder = folder;
  ui.preferences.exports = export_settings_text(state.settings);
}

std::optional<ExportRequest> accept_file(UiContext& ui, ExportDialogState& state) {
  if (!fields_are_right(state)) return std::nullopt;
  const auto folder = chosen_folder(state);
  if (!folder) return std::nullopt;
  if (state.name_text.empty() || state.name_text.find('/') != std::string::npos) {
    state.message = "write a file name without a slash: the folder has its own line";
    return std::nullopt;
  }
  fs::path file = *folder / state.name_text;
  const FileFormat format = export_format(state);
  if (!file_format(file)) file += "." + std::string(file_format_info(format).id);
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    state.message = file.filename().string() + " is a folder: choose another name";
    return std::nullopt;
  }
  remember(ui, state, *folder);
  return confirm_overwrite(state, {format, {item_of(ui, state, state.choice, file)}});
}

std::optional<ExportRequest> accept_every_stage(UiContext& ui, ExportDialogState& state) {
  if (!fields_are_right(state)) return std::nullopt;
  const auto folder = chosen_folder(state);
  if (!folder) return std::nullopt;
  ExportRequest request{export_format(state), {}};
  for (const Stage stage : stages_in_use(ui.layer())) {
    const FigureChoice choice{FigureKind::Heads, choice_for(state.choice.part, stage), std::nullopt};
    const std::string name = export_name(state.stem, choice, file_format_info(request.format).id);
    request.items.push_back(item_of(ui, state, choice, *folder / name));
  }
  remember(ui, state, *folder);
  return confirm_overwrite(state, std::move(request));
}

std::optional<ExportRequest> accept_copy(UiContext& ui, ExportDialogState& state) {
  if (!fields_are_right(state)) return std::nullopt;
  // The clipboard always gets a picture as PNG.
  const FileFormat format = exports_figure(state) ? FileFormat::Png : export_format(state);
  return ExportRequest{format, {item_of(ui, state, state.choice, {})}};
}

std::optional<ExportRequest> draw_question(const UiContext& ui, ExportDialogState& state) {
  const auto answer = ask_overwrite(ui, state.overwrite);
  if (!answer) return std::nullopt;
  state.overwrite = {};
  return *answer == OverwriteAnswer::Replace ? std::exchange(state.held, std::nullopt) : std::nullopt;
}

void draw_progress(const UiContext& ui, ExportDialogState& state) {
  const ExportProgress& progress = state.progress;
  std::string text = "Saving " + progress.what + "…";
  if (progress.count > 1)
    text = "Saving " + progress.what + ", " + std::to_string(progress.done + 1) + " of " +
           std::to_string(progress.count);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text.c_str());
  ui.probe.mark("dialog.progress", text);
  ImGui::SameLine();
  align_right(button_width("Stop"));
  if (tool_button(ui, "dialog.stop", "Stop", "Save nothing: Escape") || dialog_key(Key::Escape))
    state.stop_asked = true;
}

std::optional<ExportRequest> draw_buttons(UiContext& ui, ExportDialogState& state, bool& cancelled) {
  std::optional<ExportRequest> request;
  const bool figure = exports_figure(state);
  const bool text = file_format_info(export_format(state)).text;
  if (tool_button(ui, "dialog.every_stage", "All stages",
                  "Every stage as a file of its own in the folder, in this format: " +
                      export_name(state.stem, {}, file_format_info(export_format(state)).id) + ", …"))
    request = accept_every_stage(ui, state);
  ImGui::SameLine();
  if (tool_button(ui, "dialog.copy", figure ? "Copy picture" : "Copy text",
                  figure ? "To the clipboard, as a PNG"
                  : text ? "To the clipboard, as text"
                         : "These are no text: save them, or choose another format",
                  figure || text))
    request = accept_copy(ui, state);
  ImGui::SameLine();
  align_right(button_width("Cancel") + button_width("Export") + ImGui::GetStyle().ItemSpacing.x);
  cancelled = tool_button(ui, "dialog.cancel", "Cancel", "Escape") || dialog_answers_to(Key::Escape);
  ImGui::SameLine();
  if (primary_button(ui, "dialog.ok", "Export", "Enter") || dialog_answers_to(Key::Enter))
    request = accept_file(ui, state);
  return request;
}

// Makes the missing folder if the user confirms; the export then has to be requested again.
void draw_folder_question(const UiContext& ui, ExportDialogState& state) {
  const float buttons =
      button_width("Make it") + button_width("Cancel") + 2 * ImGui::GetStyle().ItemSpacing.x;
  const std::string question = "There is no folder " + state.missing_folder->string() + ".";
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(elided(question, ImGui::GetContentRegionAvail().x - buttons).c_str());
  ui.probe.mark("dialog.question", question);
  ImGui::SameLine();
  align_right(buttons - ImGui::GetStyle().ItemSpacing.x);
  const bool leave =
      tool_button(ui, "dialog.no_folder", "Cancel", "Choose another folder") || dialog_key(Key::Escape);
  ImGui::SameLine();
  const bool make = primary_button(ui, "dialog.make_folder", "Make it", "Make this folder: Enter") ||
                    dialog_key(Key::Enter);
  if (!leave && !make) return;
  const fs::path folder = *std::exchange(state.missing_folder, std::nullopt);
  if (!make) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    state.message = folder.string() + " cannot be made (" + failed.message() + "): choose another folder";
  else
    state.note = "Made the folder " + folder.string();
}

std::optional<ExportRequest> draw_foot(UiContext& ui, ExportDialogState& state, bool& cancelled) {
  if (!state.message.empty() || state.note.empty()) {
    dialog_message(ui, "dialog.message", elided(state.message, ImGui::GetContentRegionAvail().x));
    if (ImGui::IsItemHovered()) tooltip(ui, state.message);
  } else {
    quiet_text(ui, elided(state.note, ImGui::GetContentRegionAvail().x));
    ui.probe.mark("dialog.note", state.note);
  }
  if (state.overwrite.file) return draw_question(ui, state);
  if (state.missing_folder) {
    draw_folder_question(ui, state);
    return std::nullopt;
  }
  if (state.progress.running) {
    draw_progress(ui, state);
    return std::nullopt;
  }
  return draw_buttons(ui, state, cancelled);
}

void draw_choices(UiContext& ui, ExportDialogState& state) {
  const auto gap = [&] { ImGui::Dummy({0, ui.theme.px(4)}); };
  const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {spacing.x, ui.theme.px(kRowGap)});
  draw_choice_rows(ui, state);
  gap();
  if (exports_figure(state)) {
    draw_page_rows(ui, state);
    gap();
    draw_look_rows(ui, state);
    gap();
  }
  draw_file_rows(ui, state);
  ImGui::PopStyleVar();
}

void follow_browser(const UiContext& ui, ExportDialogState& state) {
  const auto file = file_browser(ui, state.browser);
  if (!file) return;
  state.folder_text = file->parent_path().string();
  state.name_text = file->filename().string();
}

}  // namespace

// Letters and digits stay, in lower case, as do non-ASCII bytes; each run of others becomes one hyphen.
std::string file_stem(const std::string& title) {
  std::string result;
  constexpr std::size_t kLongest = 80;  // bytes; file systems allow names of up to 255
  for (char raw : text_head(title, kLongest)) {
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

// The shown stage may no longer exist; the weights always do.
Stage stage_or_weights(const Layer& layer, Stage stage) {
  return stage_exists(layer, stage) ? stage : Stage::Weights;
}

// kept: the state to compare with; null: there is none.
void keep_to_stages(const Layer& layer, const Layer* kept, ExportDialogState& state) {
  state.stage = stage_or_weights(layer, state.stage);
  StageChoice& part = state.choice.part;
  if (!stage_exists(layer, part.stage)) part = choice_for(part, Stage::Weights);
  if (!stage_exists(layer, Stage::Values)) part.by_value = false;
  if (figure_kind_info(state.choice.kind).kept && kept && !stage_exists(*kept, Stage::Values))
    part.by_value = false;
}

// The lines as the view draws them: those of the picked heads from the threshold on, and what is selected.
void take_flow_lines(const UiContext& ui, FigureChoice& choice) {
  const FlowMarks marks = selected_flow(ui);
  if (marks.query >= 0) choice.query = marks.query;
  if (marks.key >= 0) choice.lines.key = marks.key;
  choice.lines.head = marks.head;
  if (!flow_picks_heads(ui.layer())) return;
  choice.lines.least = double{ui.view.picture.flow_least};
  if (stage_heads(ui.layer(), choice.part.stage) > 1) choice.part.heads = flow_heads(ui, choice.part.stage);
}

FigureChoice choice_on_screen(const UiContext& ui, Stage stage) {
  FigureChoice choice;
  choice.kind = kind_of(ui.view.focus_view);
  if (figure_kind_info(choice.kind).kept && !ui.view.baseline.layer) choice.kind = FigureKind::Heads;
  const FigureKindInfo& info = figure_kind_info(choice.kind);
  stage = stage_for(choice.kind, stage);
  choice.part = {stage, std::nullopt, ui.view.sequence};
  const bool one_large = ui.view.heads.one_large && info.own_maps;
  if (stage_heads(ui.layer(), stage) > 1 && (ui.view.head || one_large))
    choice.part.heads = {stage_head(ui.layer(), stage, ui.shown_head())};
  if (info.own_maps && shows_heads_together(ui, stage)) choice.part.pool = ui.view.heads.pool;
  choice.part.by_value = choice.part.pool == HeadPool::Each && shows_by_value(ui, stage);
  choice.part.without_first =
      info.own_maps && choice.part.pool == HeadPool::Each && shows_without_first(ui, stage);
  if (info.one_row) {
    choice.query = view_query(ui);
    if (ui.layer().head_count() > 1) choice.part.heads = {view_head(ui)};
  }
  if (info.lines) take_flow_lines(ui, choice);
  return choice;
}

ExportSettings last_export_settings(const UiContext& ui) {
  const bool dark = ui.theme.kind == ThemeKind::Dark;
  return export_settings(ui.preferences.exports, dark ? StyleKind::Dark : StyleKind::Light);
}

namespace {

std::string stem_of_session(const UiContext& ui) {
  const auto& path = ui.document.path();
  return path ? path->stem().string() : file_stem(ui.document.session().title);
}

}  // namespace

ExportItem picture_on_screen(const UiContext& ui, Stage stage) {
  FigureChoice choice = choice_on_screen(ui, stage_or_weights(ui.layer(), stage));
  const FigureKindInfo& info = figure_kind_info(choice.kind);
  if (info.cells && !info.one_head && is_zoomed(ui, choice.part.stage)) take_part_in_sight(ui, choice.part);
  return {choice, figure_options(last_export_settings(ui), ui, choice), {}};
}

std::string export_stem(const UiContext& ui) {
  return stem_of_session(ui) + layer_in_file_name(ui);
}

std::string whole_stem(const UiContext& ui) {
  return ui.document.session().work ? stem_of_session(ui) : export_stem(ui);
}

namespace {

// A custom title belongs to one session: it is used again for the session's next figure of the same kind.
void keep_titles(ExportDialogState& state, const ExportDialogState& last) {
  const bool same = last.stem == state.stem && last.choice.kind == state.choice.kind &&
                    last.choice.part.stage == state.choice.part.stage;
  if (!same) return;
  FigureOptions& options = state.settings.options;
  const auto keep = [](std::optional<std::string>& option, std::string& text, const std::string& before) {
    if (before.empty() || option == std::string()) return;
    option = text = before;
  };
  keep(options.title, state.texts.title, last.texts.title);
  keep(options.subtitle, state.texts.subtitle, last.texts.subtitle);
}

}  // namespace

void open_export_dialog(ExportDialogState& state, const UiContext& ui, Stage stage, const fs::path& folder) {
  const ExportDialogState last = std::exchange(state, {});
  state.open = true;
  state.settings = last_export_settings(ui);
  state.stage = stage_or_weights(ui.layer(), stage);
  state.choice = choice_on_screen(ui, state.stage);
  const FigureOptions& options = state.settings.options;
  if (options.width || options.height) state.unit = (options.width ? options.width : options.height)->unit;
  state.fonts = font_families();
  state.stem = export_stem(ui);
  std::error_code ignored;
  const bool remembered = fs::is_directory(state.settings.folder, ignored);
  state.folder_text = (remembered ? state.settings.folder : folder.empty() ? home_folder() : folder).string();
  const bool numbers = !file_format_info(state.settings.format).figure;
  if (numbers && !figure_kind_info(state.choice.kind).own_maps) state.settings.format = FileFormat::Png;
  propose_name(state);
  show_options(state);
  keep_titles(state, last);
}

std::optional<ExportRequest> export_dialog(UiContext& ui, ExportDialogState& state) {
  if (state.browser.open) {
    follow_browser(ui, state);
    return std::nullopt;
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float scale = ui.theme.scale;
  const ImVec2 size = {std::min(kWidth, window.x / scale - 32), std::min(kHeight, window.y / scale - 32)};
  if (!begin_dialog(ui, "##export", state.open, size, "Export")) return std::nullopt;
  bool cancelled = false;
  keep_to_stages(ui.layer(), ui.view.baseline.layer.get(), state);
  check_fields(ui, state);  // before a preview is requested
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float foot = font_size(ui.theme.fonts.label) + ImGui::GetFrameHeight() + 2 * gap;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float height = std::max(ui.theme.px(60), room.y - foot);
  const float choices = std::min(ui.theme.px(kChoicesWidth), room.x - ui.theme.px(kLeastPreview + 16));
  const bool busy = state.progress.running || state.overwrite.file || state.missing_folder;
  if (begin_child("preview", {room.x - choices - ui.theme.px(16), height}, false,
                  ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar))
    draw_export_preview(ui, state);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.theme.px(16));
  ImGui::BeginDisabled(busy);
  if (begin_child("choices", {0, height}, false, ImGuiWindowFlags_NoBackground)) draw_choices(ui, state);
  ImGui::EndChild();
  ImGui::EndDisabled();
  auto request = draw_foot(ui, state, cancelled);
  if (cancelled) close_dialog(state.open);
  end_dialog();
  return request;
}

void export_ended(ExportDialogState& state, bool failed, bool closes, const std::string& text) {
  state.progress = {};
  state.stop_asked = false;
  (failed ? state.message : state.note) = text;
  (failed ? state.note : state.message).clear();
  if (!failed && closes) state.open = false;
}

}  // namespace headlight
