#include "app/ui/manual/manual_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/figure/paint/png_picture.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/terminal/manual_files.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kWidth = 1120, kHeight = 768, kListWidth = 152, kTextWidth = 880;

ImFont* font_of(const Theme& theme, ManualFont font) {
  switch (font) {
    case ManualFont::Code:
      return theme.fonts.number;
    case ManualFont::Title:
    case ManualFont::Heading:
      return theme.fonts.title;
    case ManualFont::Body:
      break;
  }
  return theme.fonts.text;
}

// Headings below the title use its font at a smaller size; other fonts have their own size.
float size_of(const Theme& theme, ManualFont font) {
  return font_size(font_of(theme, font)) * (font == ManualFont::Heading ? 0.84F : 1.0F);
}

void read_list(ManualWindowState& state) {
  if (!state.pages.empty()) return;
  state.pages = manual_pages();
  for (const std::string& name : state.pages)
    state.titles.push_back(name == "index" ? "Contents" : read_manual_page(name).title());
}

void read_wanted(ManualWindowState& state) {
  if (state.page && state.page->name == state.wanted) return;
  state.planned_width = 0;
  state.pictures.clear();
  try {
    state.failure.clear();
    read_list(state);
    state.page = read_manual_page(state.wanted);
  } catch (const Error& error) {
    state.failure = error.what();
    state.page = ManualPage{state.wanted, {}};
  }
}

ManualPicture& picture_of(ManualWindowState& state, const std::string& file) {
  const auto [entry, is_new] = state.pictures.try_emplace(file);
  if (is_new) {
    try {
      PngPicture read = read_png(manual_folder() / file);
      entry->second = {read.width, read.height, std::move(read.pixels)};
    } catch (const Error&) {  // the page shows the picture's description instead
    }
  }
  return entry->second;
}

void plan_page(const UiContext& ui, ManualWindowState& state, float width) {
  const Theme& theme = ui.theme;
  if (state.planned_width == width && state.planned_scale == theme.scale) return;
  ManualMetrics metrics;
  metrics.width = [&](ManualFont font, const std::string& text) {
    return text_width(font_of(theme, font), text) * size_of(theme, font) / font_size(font_of(theme, font));
  };
  metrics.line = [&](ManualFont font) { return std::round(size_of(theme, font) * 1.25F); };
  metrics.picture = [&](const std::string& file) {
    const ManualPicture& picture = picture_of(state, file);
    return ImVec2{theme.px(static_cast<float>(picture.width)), theme.px(static_cast<float>(picture.height))};
  };
  metrics.unit = theme.px(8);
  state.plan = plan_manual_page(*state.page, width, metrics);
  state.planned_width = width;
  state.planned_scale = theme.scale;
}

Color color_of(const Theme& theme, const PlacedWord& word) {
  if (!word.link.empty()) return theme.link;
  const bool strong =
      word.style != ManualStyle::Plain || word.font == ManualFont::Title || word.font == ManualFont::Heading;
  return strong ? theme.text : mix(theme.quiet_text, theme.text, 0.6);
}

bool is_page(const ManualWindowState& state, const std::string& link) {
  return std::find(state.pages.begin(), state.pages.end(), link) != state.pages.end();
}

// Draws the word; returns whether its link was clicked.
bool draw_word(const UiContext& ui, const PlacedWord& word, ImVec2 origin) {
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = {origin.x + word.x, origin.y + word.y};
  ImFont* font = font_of(theme, word.font);
  const float size = size_of(theme, word.font);
  const ImU32 color = to_imgui(color_of(theme, word));
  const std::string text = drawn_text(word.text);
  list.AddText(font, size, at, color, text.c_str());
  // There is no semi-bold font of this size: drawing twice, half a pixel apart, thickens the stems as much.
  if (word.style == ManualStyle::Strong)
    list.AddText(font, size, {at.x + theme.px(0.5F), at.y}, color, text.c_str());
  if (word.link.empty()) return false;
  const ImVec2 end = {at.x + word.width, at.y + size};
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(at, end)) return false;
  list.AddLine({at.x, end.y}, end, color, std::max(1.0F, theme.px(1)));
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left);
}

// Returns the link that was clicked; "" for none.
std::string draw_page(UiContext& ui, ManualWindowState& state, ImVec2 origin) {
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const PlacedBox& box : state.plan.grounds)
    list.AddRectFilled({origin.x + box.x, origin.y + box.y},
                       {origin.x + box.x + box.width, origin.y + box.y + box.height}, to_imgui(theme.raised),
                       theme.px(4));
  for (const PlacedBox& box : state.plan.rules)
    list.AddLine({origin.x, origin.y + box.y}, {origin.x + box.width, origin.y + box.y},
                 to_imgui(theme.line));
  for (const PlacedPicture& picture : state.plan.pictures) {
    const ManualPicture& read = picture_of(state, picture.file);
    const ImVec2 at = {origin.x + picture.box.x, origin.y + picture.box.y};
    const ImVec2 end = {at.x + picture.box.width, at.y + picture.box.height};
    list.AddImage(ui.textures.texture("manual." + picture.file, 1, read.width, read.height, read.pixels), at,
                  end);
    list.AddRect(at, end, to_imgui(theme.line));
    ui.probe.mark_rect("manual.picture." + picture.file, {at.x, at.y, picture.box.width, picture.box.height},
                       picture.shows);
  }
  std::string clicked;
  for (const PlacedWord& word : state.plan.words) {
    if (draw_word(ui, word, origin)) clicked = word.link;
    if (!word.link.empty())
      ui.probe.mark_rect("manual.link." + word.link,
                         {origin.x + word.x, origin.y + word.y, word.width, size_of(theme, word.font)},
                         word.text);
  }
  return clicked;
}

void draw_list(const UiContext& ui, ManualWindowState& state) {
  for (std::size_t i = 0; i < state.pages.size(); ++i) {
    const std::string& name = state.pages[i];
    if (ImGui::Selectable(state.titles[i].c_str(), name == state.wanted)) show_manual_page(state, name);
    ui.probe.mark("manual.page." + name, state.titles[i]);
  }
}

void draw_text(UiContext& ui, ManualWindowState& state) {
  const float width = std::min(ImGui::GetContentRegionAvail().x - ui.theme.px(16), ui.theme.px(kTextWidth));
  if (!state.failure.empty()) {
    dialog_message(ui, "manual.failure", state.failure);
    return;
  }
  plan_page(ui, state, std::floor(width));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ui.probe.mark_rect("manual.title", {origin.x, origin.y, width, ui.theme.px(24)}, state.page->title());
  const std::string link = draw_page(ui, state, {std::floor(origin.x), std::floor(origin.y)});
  ImGui::Dummy({width, state.plan.height + ui.theme.px(16)});
  if (is_page(state, link))
    show_manual_page(state, link);
  else if (!link.empty())
    ImGui::SetClipboardText(link.c_str());
}

bool draw_foot(const UiContext& ui, ManualWindowState& state) {
  const bool can_go_back = !state.earlier.empty();
  if (tool_button(ui, "manual.back", "Back", "To the page before (Alt+Left)", can_go_back) ||
      (can_go_back && alt_held() && dialog_key(Key::Left))) {
    state.wanted = state.earlier.back();
    state.earlier.pop_back();
  }
  ImGui::SameLine();
  align_right(button_width("Close"));
  return tool_button(ui, "manual.close", "Close", "Escape") || dialog_key(Key::Escape) || dialog_key(Key::F1);
}

}  // namespace

void read_manual_list(ManualWindowState& state) {
  try {
    read_list(state);
  } catch (const Error&) {
    state.pages.clear();  // the window of the manual says what is wrong
    state.titles.clear();
  }
}

void show_manual_page(ManualWindowState& state, const std::string& page) {
  if (page == state.wanted) return;
  state.earlier.push_back(std::exchange(state.wanted, page));
}

bool manual_window(UiContext& ui, ManualWindowState& state, bool open) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float scale = ui.theme.scale;
  const ImVec2 size = {std::min(kWidth, window.x / scale - 32), std::min(kHeight, window.y / scale - 32)};
  if (!begin_dialog(ui, "##manual", open, size, "Manual")) return open;
  const std::string listed = state.wanted;
  read_wanted(state);
  const float height = ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing();
  if (begin_child("pages", {ui.theme.px(kListWidth), height}, false, ImGuiWindowFlags_NoBackground))
    draw_list(ui, state);
  ImGui::EndChild();
  ImGui::SameLine();
  // A separate child per page, so that each page has its own scroll position.
  if (begin_child(("page " + state.wanted).c_str(), {0, height}, false, ImGuiWindowFlags_NoBackground)) {
    read_wanted(state);
    draw_text(ui, state);
  }
  ImGui::EndChild();
  if (draw_foot(ui, state)) close_dialog(open);
  if (state.wanted != listed) ui.wake_within(0);  // the list was drawn with the previous page marked
  end_dialog();
  return open;
}

}  // namespace headlight
