#include "app/ui/main_window/palette.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kPaletteWidth = 560, kRowHeight = 26, kMostRows = 12;
constexpr const char* kPopup = "command palette";

// Places the popup in the upper middle of the window, with the height of its rows.
void place_popup(const UiContext& ui, std::size_t rows) {
  const Theme& theme = ui.theme;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float width = std::min(theme.px(kPaletteWidth), window.x - theme.px(32));
  const float top = std::min(theme.px(84), window.y * 0.1f);
  const float shown = std::clamp(static_cast<float>(rows), 1.0f, kMostRows) * theme.px(kRowHeight);
  const float height = shown + ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y + 2 * theme.px(12);
  ImGui::SetNextWindowPos({std::floor((window.x - width) / 2), std::floor(top)});
  ImGui::SetNextWindowSize({width, std::min(height, window.y - top - theme.px(16))});
}

void query_field(UiContext& ui, PaletteState& state) {
  ImGui::SetNextItemWidth(-1);
  state.focus.before_item();
  text_entry(ui, "palette.query", state.query, kMostQuery,
             state.kind == PaletteKind::Tokens ? "the token's text, or its number"
                                               : "loss, mask causal, save picture, a lesson…");
  state.focus.after_item();
  ui.probe.mark("palette.query", state.query);
}

void selection_keys(PaletteState& state, std::size_t count) {
  if (state.ranked_query != state.query) {
    state.ranked_query = state.query;
    state.selected = 0;
    state.reveal = true;
  }
  const auto move = [&](int by) {
    const int last = static_cast<int>(count) - 1;
    state.selected = static_cast<std::size_t>(std::clamp(static_cast<int>(state.selected) + by, 0, last));
    state.reveal = true;
  };
  if (count == 0) return;
  if (key_pressed(Key::Down, true)) move(1);
  if (key_pressed(Key::Up, true)) move(-1);
  if (key_pressed(Key::PageDown, true)) move(static_cast<int>(kMostRows));
  if (key_pressed(Key::PageUp, true)) move(-static_cast<int>(kMostRows));
  state.selected = std::min(state.selected, count - 1);
}

// One line: its group, its text, and its key at the right. Returns whether it was clicked.
bool entry_line(UiContext& ui, PaletteState& state, const PaletteEntry& entry, std::size_t at) {
  const Theme& theme = ui.theme;
  const float height = theme.px(kRowHeight), group_width = theme.px(80), pad = theme.px(8);
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(static_cast<int>(at));
  const bool clicked = ImGui::Selectable("##entry", at == state.selected, 0, {width, height});
  ui.probe.mark("palette.item." + std::to_string(at), entry.text);
  if (at == state.selected && state.reveal) {
    ImGui::SetScrollHereY(0.5f);
    state.reveal = false;
  }
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImFont* small = theme.fonts.label;
  const float small_y = std::floor(min.y + (height - font_size(small)) / 2);
  list.AddText(small, font_size(small), {min.x + pad, small_y}, to_imgui(theme.quiet_text),
               entry.group.c_str());
  const float keys_width = entry.keys.empty() ? 0 : text_width(small, entry.keys) + pad;
  const std::string text = elided(entry.text, width - group_width - keys_width - 2 * pad);
  list.AddText({min.x + group_width + pad, std::floor(min.y + (height - ImGui::GetFontSize()) / 2)},
               to_imgui(theme.text), text.c_str());
  if (!entry.keys.empty())
    list.AddText(small, font_size(small), {min.x + width - keys_width, small_y},
                 to_imgui(entry.keys == "now" ? theme.primary : theme.quiet_text), entry.keys.c_str());
  return clicked;
}

const PaletteEntry* entry_list(UiContext& ui, PaletteState& state, const std::vector<PaletteEntry>& entries) {
  const PaletteEntry* chosen = nullptr;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (begin_child("entries", {0, 0}, false, ImGuiWindowFlags_NoNavInputs)) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entry_line(ui, state, entries[i], i)) chosen = &entries[i];
    if (entries.empty()) {
      ImGui::Dummy({0, ui.theme.px(4)});
      quiet_text(ui,
                 state.kind == PaletteKind::Tokens ? "No token has that name." : "Nothing has that name.");
      ui.probe.mark("palette.none");
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return chosen;
}

// The entries that match the query, best first.
std::vector<PaletteEntry> entries_for(const UiContext& ui, const WorkbenchState& workbench,
                                      const std::string& query) {
  std::vector<PaletteEntry> entries;
  if (workbench.palette.kind == PaletteKind::Everything) {
    const std::vector<PaletteEntry> all = palette_entries(ui, workbench);
    for (const PaletteEntry* entry : matching_entries(all, query))
      entries.push_back(*entry);
    return entries;
  }
  constexpr std::size_t kMostTokens = 200;
  for (const Index token : matching_tokens(ui.layer(), query, kMostTokens, ui.counting()))
    entries.push_back(
        {"token", token_name(ui.layer().tokens, token, ui.counting()), "", "",
         [token](UiContext& context, WorkbenchState& state) { go_to_token(context, state, token); }});
  return entries;
}

}  // namespace

void open_palette(PaletteState& state, PaletteKind kind) {
  state = {};
  state.kind = kind;
  state.open = state.fresh = true;
  state.focus.ask();
}

void palette(UiContext& ui, WorkbenchState& workbench) {
  PaletteState& state = workbench.palette;
  if (!state.open) return;
  if (state.fresh) ImGui::OpenPopup(kPopup);
  if (state.fresh) read_manual_list(workbench.manual);
  if (state.fresh) state.what_ifs = possible_what_ifs(ui);
  state.fresh = false;
  const std::string query = state.query;
  const std::vector<PaletteEntry> offered = entries_for(ui, workbench, query);
  place_popup(ui, offered.size());
  if (!ImGui::BeginPopup(kPopup, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    state.open = false;  // closed by a click outside
    return;
  }
  query_field(ui, state);
  const std::vector<PaletteEntry> found =
      state.query == query ? offered : entries_for(ui, workbench, state.query);
  selection_keys(state, found.size());
  const PaletteEntry* chosen = entry_list(ui, state, found);
  if (key_pressed(Key::Enter) && !found.empty()) chosen = &found[state.selected];
  const bool leave = key_pressed(Key::Escape);
  if (chosen || leave) {
    state.open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  if (chosen) chosen->run(ui, workbench);
}

}  // namespace headlight
