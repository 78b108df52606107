#include "app/ui/dialogs/file_browser.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using MaybePath = std::optional<fs::path>;

constexpr float kBrowserWidth = 720, kBrowserHeight = 520;  // maxima; less in a small window
constexpr float kLeastNameWidth = 160, kSizeWidth = 72, kDateWidth = 124;
constexpr float kEntryHeight = 24;
constexpr double kTypeAheadSeconds = 1.0;
constexpr const char* kModelConfig = "config.json";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void enter_folder(FileBrowserState& state, const fs::path& folder) {
  FolderListing listing = list_folder(folder, state.options.extension, state.options.also);
  if (!listing.error.empty()) {
    state.message = listing.error;
    return;
  }
  state.folder = folder;
  state.listing = std::move(listing);
  state.path_text = folder.string();
  state.selected = -1;
  state.list_leads = false;
  state.message.clear();
  state.typed.clear();
}

void go_up(FileBrowserState& state) {
  const std::string left = state.folder.filename().string();
  enter_folder(state, state.folder.parent_path());
  state.selected = find_entry(state.listing.entries, left);
  state.reveal = true;
}

// Whether the file's name ends in one of the extensions.
bool has_ending(const FileBrowserOptions& options, const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending == options.extension ||
         std::find(options.also.begin(), options.also.end(), ending) != options.also.end();
}

// Returns the file, or asks first if it exists.
MaybePath choose_for_saving(FileBrowserState& state, fs::path file) {
  if (!has_ending(state.options, file)) file += state.options.extension;
  if (is_folder(file)) {
    state.message = file.filename().string() + " is a folder: choose another name";
    return std::nullopt;
  }
  if (!is_there(file)) return file;
  state.overwrite.file = file;
  return std::nullopt;
}

MaybePath choose(FileBrowserState& state, const fs::path& file) {
  if (is_folder(file)) {
    enter_folder(state, file);
    return std::nullopt;
  }
  if (state.options.mode == FileBrowserMode::Save) return choose_for_saving(state, file);
  if (is_there(file)) return file;
  state.message = file.string() + " is not there: choose a file of the list, or correct the path";
  return std::nullopt;
}

// Follows the text of the path field: a folder to enter, or a complete file name.
MaybePath follow_path_text(FileBrowserState& state) {
  const fs::path path = path_from_text(state.path_text, state.folder);
  if (is_folder(path)) {
    enter_folder(state, path);
    return std::nullopt;
  }
  if (!is_folder(path.parent_path())) {
    state.message =
        "there is no folder " + path.parent_path().string() + ": correct the path, or choose one of the list";
    return std::nullopt;
  }
  if (state.options.mode == FileBrowserMode::Save) {
    enter_folder(state, path.parent_path());
    state.name_text = path.filename().string();
  }
  return choose(state, path);
}

bool path_was_edited(const FileBrowserState& state) {
  return state.path_text != state.folder.string();
}

// Handles the confirm button and Enter.
MaybePath accept(FileBrowserState& state) {
  state.message.clear();
  if (path_was_edited(state)) return follow_path_text(state);
  const auto& entries = state.listing.entries;
  const bool selected = state.selected >= 0 && state.selected < static_cast<int>(entries.size());
  const bool save = state.options.mode == FileBrowserMode::Save;
  if (selected && (!save || (state.list_leads && entries[static_cast<std::size_t>(state.selected)].folder))) {
    return choose(state, state.folder / entries[static_cast<std::size_t>(state.selected)].name);
  }
  // A model's folder is opened through its config.json.
  const auto is_config = [](const auto& entry) { return entry.name == kModelConfig; };
  if (!save && std::any_of(entries.begin(), entries.end(), is_config))
    return choose(state, state.folder / kModelConfig);
  if (save && !state.name_text.empty()) return choose(state, path_from_text(state.name_text, state.folder));
  state.message = save ? "write a name for the file" : "choose a file, or write its path above";
  return std::nullopt;
}

void select_entry(FileBrowserState& state, int at) {
  state.selected = at;
  state.list_leads = true;
  state.path_text = state.folder.string();
  const FolderEntry& entry = state.listing.entries[static_cast<std::size_t>(at)];
  if (state.options.mode == FileBrowserMode::Save && !entry.folder) state.name_text = entry.name;
}

void draw_path_row(const UiContext& ui, FileBrowserState& state) {
  if (tool_button(ui, "dialog.up", "Up", "The folder above this one: Alt+Up",
                  state.folder.has_relative_path())) {
    go_up(state);
  }
  ImGui::SameLine();
  if (tool_button(ui, "dialog.home", "Home", "Your home folder")) enter_folder(state, home_folder());
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  text_entry(ui, "dialog.path", state.path_text, kMostPath);
  ui.probe.mark("dialog.path", state.path_text);
}

void draw_icon(const Theme& theme, ImVec2 at, bool folder) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto px = [&](float planned) { return std::floor(theme.px(planned)); };
  if (folder) {
    const ImU32 color = to_imgui(theme.quiet_text, 0.85);
    draw->AddRectFilled({at.x, at.y - px(5)}, {at.x + px(6), at.y}, color, px(1));
    draw->AddRectFilled({at.x, at.y - px(3)}, {at.x + px(13), at.y + px(6)}, color, px(1));
    return;
  }
  draw->AddRect({at.x + px(1), at.y - px(6)}, {at.x + px(11), at.y + px(6)}, to_imgui(theme.quiet_text),
                px(1));
}

// Draws size and date at the right of a row if the name retains kLeastNameWidth. Returns their left edge,
// relative to the row.
float draw_entry_facts(const Theme& theme, const FolderEntry& entry, ImVec2 at, float width) {
  float end = width - theme.px(8);
  ImFont* font = theme.fonts.label;
  const float y = std::floor(at.y + (theme.px(kEntryHeight) - font_size(font)) / 2);
  const auto put = [&](const std::string& text, float room) {
    if (end - theme.px(room) < theme.px(kLeastNameWidth)) return;
    ImGui::GetWindowDrawList()->AddText(font, font_size(font), {at.x + end - text_width(font, text), y},
                                        to_imgui(theme.quiet_text), text.c_str());
    end -= theme.px(room);
  };
  put(entry.written ? date_text(*entry.written) : "", kDateWidth);
  if (!entry.folder) put(bytes_text(entry.bytes), kSizeWidth);
  return end;
}

// Draws one row of the list. Returns the path if a double-click chose it.
MaybePath draw_entry(const UiContext& ui, FileBrowserState& state, int at) {
  const FolderEntry entry = state.listing.entries[static_cast<std::size_t>(at)];
  const Theme& theme = ui.theme;
  ImGui::PushID(at);
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Selectable("##entry", state.selected == at,
                                         ImGuiSelectableFlags_AllowDoubleClick, {0, theme.px(kEntryHeight)});
  ui.probe.mark("dialog.entry." + entry.name, entry.folder ? "folder" : "file");
  ImGui::PopID();
  const float middle = min.y + theme.px(kEntryHeight) / 2;
  draw_icon(theme, {min.x + theme.px(8), std::floor(middle)}, entry.folder);
  const float left = theme.px(28);
  const float end = draw_entry_facts(theme, entry, min, ImGui::GetContentRegionAvail().x);
  const std::string name = elided(entry.name, end - left - theme.px(8));
  ImGui::GetWindowDrawList()->AddText({min.x + left, std::floor(middle - ImGui::GetFontSize() / 2)},
                                      to_imgui(theme.text), name.c_str());
  if (!pressed) return std::nullopt;
  select_entry(state, at);
  if (!ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return std::nullopt;
  return choose(state, state.folder / entry.name);
}

void reveal_selected(const Theme& theme, FileBrowserState& state) {
  if (!state.reveal || state.selected < 0) return;
  state.reveal = false;
  const float height = theme.px(kEntryHeight), top = static_cast<float>(state.selected) * height;
  const float view = ImGui::GetWindowHeight() - 2 * theme.px(4);
  float scroll = ImGui::GetScrollY();
  if (top + height > scroll + view) scroll = top + height - view;
  ImGui::SetScrollY(std::min(scroll, top));
}

MaybePath draw_list(const UiContext& ui, FileBrowserState& state, float height) {
  MaybePath chosen;
  const Theme& theme = ui.theme;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_imgui(theme.ground));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(4), theme.px(4)});
  begin_child("##entries", {0, height}, true, ImGuiWindowFlags_NoNavInputs);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  reveal_selected(theme, state);
  ImGuiListClipper clipper;
  const fs::path folder = state.folder;  // choosing a folder replaces the listing during this loop
  clipper.Begin(static_cast<int>(state.listing.entries.size()), theme.px(kEntryHeight));
  while (clipper.Step()) {
    for (int at = clipper.DisplayStart; at < clipper.DisplayEnd && folder == state.folder; ++at) {
      if (const MaybePath here = draw_entry(ui, state, at)) chosen = here;
    }
  }
  clipper.End();
  if (state.listing.entries.empty()) {
    ImGui::SetCursorPos({theme.px(12), theme.px(12)});
    std::string endings = state.options.extension;
    for (const std::string& other : state.options.also)
      endings += ", " + other;
    quiet_text(ui, "No folder and no " + endings + " file here.");
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  return chosen;
}

void draw_name_row(const UiContext& ui, FileBrowserState& state) {
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "name");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  state.focus.before_item();
  const bool changed =
      text_entry(ui, "dialog.name", state.name_text, kMostFileName, "", ImGuiInputTextFlags_AutoSelectAll);
  state.focus.after_item();
  if (changed) {
    state.list_leads = false;
    state.message.clear();
  }
  ui.probe.mark("dialog.name", state.name_text);
}

void move_selection(FileBrowserState& state, int by) {
  const int count = static_cast<int>(state.listing.entries.size());
  if (count == 0) return;
  const int from = state.selected < 0 && by > 0 ? -1 : state.selected;
  select_entry(state, std::clamp(from + by, 0, count - 1));
  state.reveal = true;
}

// Typed letters select the first entry that begins with them, unless a text field has the keyboard.
void type_ahead(FileBrowserState& state) {
  if (ImGui::GetIO().WantTextInput || ctrl_held() || alt_held()) return;
  const double now = ImGui::GetTime();
  if (now - state.typed_at > kTypeAheadSeconds) state.typed.clear();
  for (ImWchar character : ImGui::GetIO().InputQueueCharacters) {
    if (character <= ' ' || character >= 0x7f) continue;
    state.typed += static_cast<char>(character);
    state.typed_at = now;
    const int found = find_entry(state.listing.entries, state.typed);
    if (found < 0) continue;
    select_entry(state, found);
    state.reveal = true;
  }
}

void handle_keys(FileBrowserState& state) {
  if (alt_held()) {
    if (key_pressed(Key::Up) && state.folder.has_relative_path()) go_up(state);
    return;
  }
  const int page = 6;
  if (key_pressed(Key::Up, true)) move_selection(state, -1);
  if (key_pressed(Key::Down, true)) move_selection(state, 1);
  if (key_pressed(Key::PageUp, true)) move_selection(state, -page);
  if (key_pressed(Key::PageDown, true)) move_selection(state, page);
  if (key_pressed(Key::Backspace) && !ImGui::GetIO().WantTextInput && state.folder.has_relative_path())
    go_up(state);
  type_ahead(state);
}

// The last two lines: the message or the overwrite question, and the buttons.
MaybePath draw_foot(const UiContext& ui, FileBrowserState& state, bool& cancelled) {
  const std::string ok = state.options.mode == FileBrowserMode::Save ? "Save" : "Open";
  if (state.overwrite.file) {
    const auto answer = ask_overwrite(ui, state.overwrite);
    if (!answer) return std::nullopt;
    const fs::path file = *state.overwrite.file;
    state.overwrite.file.reset();
    return *answer == OverwriteAnswer::Replace ? MaybePath(file) : std::nullopt;
  }
  MaybePath chosen;
  align_right(button_width("Cancel") + button_width(ok) + ImGui::GetStyle().ItemSpacing.x);
  cancelled = tool_button(ui, "dialog.cancel", "Cancel", "Escape") || dialog_key(Key::Escape);
  ImGui::SameLine();
  if (primary_button(ui, "dialog.ok", ok, "Enter") || dialog_key(Key::Enter)) chosen = accept(state);
  return chosen;
}

}  // namespace

void open_file_browser(FileBrowserState& state, FileBrowserOptions options) {
  state = {};
  state.open = true;
  if (options.mode == FileBrowserMode::Save) state.focus.ask();
  state.name_text = options.name;
  const fs::path wanted = options.folder;
  state.options = std::move(options);
  state.folder = home_folder();
  enter_folder(
      state, !wanted.empty() && is_folder(wanted) ? fs::absolute(wanted).lexically_normal() : home_folder());
}

std::optional<fs::path> file_browser(const UiContext& ui, FileBrowserState& state) {
  // Each browser has its own state and id: a closed one must not draw into the open one.
  const std::string id = "##file_browser" + std::to_string(reinterpret_cast<std::uintptr_t>(&state));
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float scale = ui.theme.scale, margin = 24;
  const ImVec2 size = {std::min(kBrowserWidth, window.x / scale - margin),
                       std::min(kBrowserHeight, window.y / scale - margin)};
  if (!begin_dialog(ui, id.c_str(), state.open, size, state.options.title)) return std::nullopt;
  bool cancelled = false;
  if (!state.overwrite.file) handle_keys(state);
  MaybePath chosen;
  draw_path_row(ui, state);
  const bool save = state.options.mode == FileBrowserMode::Save;
  const float line = ImGui::GetFrameHeightWithSpacing();
  const float message = font_size(ui.theme.fonts.label);
  const float foot = line * (save ? 2 : 1) + message + ImGui::GetStyle().ItemSpacing.y;
  if (const MaybePath picked = draw_list(ui, state, ImGui::GetContentRegionAvail().y - foot)) chosen = picked;
  if (save) draw_name_row(ui, state);
  dialog_message(ui, "dialog.message", state.message);
  if (const MaybePath picked = draw_foot(ui, state, cancelled)) chosen = picked;
  if (chosen || cancelled) close_dialog(state.open);
  end_dialog();
  return chosen;
}

}  // namespace headlight
