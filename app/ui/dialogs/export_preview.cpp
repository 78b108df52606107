// The preview of the figure, and the facts of its file.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/ui/dialogs/export_rows.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kPadding = 12, kChequer = 8, kNarrow = 320;

// The chequers behind a transparent figure: light for dark text.
void draw_chequers(ImDrawList& list, ImVec2 a, ImVec2 b, float side, StyleKind text_for) {
  const bool dark = text_for == StyleKind::Dark;
  const ImU32 even = dark ? IM_COL32(42, 45, 52, 255) : IM_COL32(255, 255, 255, 255);
  const ImU32 odd = dark ? IM_COL32(60, 64, 72, 255) : IM_COL32(222, 225, 230, 255);
  list.AddRectFilled(a, b, even);
  const int columns = static_cast<int>(std::ceil((b.x - a.x) / side));
  const int rows = static_cast<int>(std::ceil((b.y - a.y) / side));
  for (int row = 0; row < rows; ++row)
    for (int column = row % 2; column < columns; column += 2) {
      const ImVec2 corner = {a.x + static_cast<float>(column) * side, a.y + static_cast<float>(row) * side};
      list.AddRectFilled(corner, {std::min(corner.x + side, b.x), std::min(corner.y + side, b.y)}, odd);
    }
}

void draw_picture(UiContext& ui, ExportDialogState& state, ImVec2 at, ImVec2 room) {
  const FigurePixels& picture = state.preview->pixels;
  if (state.drawn != state.preview) {
    state.drawn = state.preview;
    ++state.texture_version;
  }
  // At its painted size, pixel for pixel; an outdated picture of another size is scaled down to fit.
  const ImVec2 painted = {static_cast<float>(picture.width), static_cast<float>(picture.height)};
  const float fit = std::min({1.0f, room.x / painted.x, room.y / painted.y});
  const ImVec2 size = {painted.x * fit, painted.y * fit};
  const ImVec2 a = {std::floor(at.x + (room.x - size.x) / 2), std::floor(at.y + (room.y - size.y) / 2)};
  const ImVec2 b = {a.x + size.x, a.y + size.y};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const FigureOptions& options = state.settings.options;
  if (options.ground == Ground::Transparent) draw_chequers(list, a, b, ui.theme.px(kChequer), options.theme);
  list.AddImage(ui.textures.texture("export.preview", state.texture_version, picture.width, picture.height,
                                    picture.pixels),
                a, b);
  list.AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, to_imgui(ui.theme.line));
}

// The first lines of a table that fit, or the list of arrays.
void draw_text(const UiContext& ui, const std::string& text, ImVec2 at, ImVec2 room) {
  ImFont* font = ui.theme.fonts.number;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(at, {at.x + room.x, at.y + room.y}, true);
  const float line = std::floor(font_size(font) * 1.3f);
  float y = at.y;
  for (std::size_t begin = 0; begin < text.size() && y + line <= at.y + room.y; y += line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string shown = text.substr(begin, std::min<std::size_t>(end - begin, 400));
    for (char& c : shown)
      if (c == '\t') c = ' ';
    list.AddText(font, font_size(font), {at.x, y}, to_imgui(ui.theme.text), shown.c_str());
    begin = end + 1;
  }
  list.PopClipRect();
}

void draw_words(const UiContext& ui, const std::string& text, Color color, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room.x);
  label_text(ui, text, color);
  ImGui::PopTextWrapPos();
}

// "a · b · c" in lines that fit in the width.
std::vector<std::string> broken_at_dots(const UiContext& ui, const std::string& text, float width) {
  constexpr std::string_view kDot = " · ";
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(kDot, begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::string longer = lines.back().empty() ? part : lines.back() + std::string(kDot) + part;
    if (lines.back().empty() || text_width(ui.theme.fonts.label, longer) <= width)
      lines.back() = longer;
    else
      lines.push_back(part);
    begin = end + kDot.size();
  }
  return lines;
}

void draw_facts(const UiContext& ui, const ExportDialogState& state) {
  std::string size, file = "Preparing the preview…";
  if (state.preview && state.preview->failure.empty() && state.preview->note.empty()) {
    file = preview_file_text(*state.preview, state.wanted.format);
    if (!state.preview->pixels.pixels.empty()) size = preview_size_text(*state.preview);
  } else if (state.preview) {
    file.clear();
  }
  ui.probe.mark("dialog.size", size);
  ui.probe.mark("dialog.file", file);
  if (state.updating && state.preview) file += " · updating…";
  const float width = ImGui::GetContentRegionAvail().x;
  for (const std::string& text : {size, file})
    for (const std::string& line : broken_at_dots(ui, text, width))
      if (!line.empty()) quiet_text(ui, line);
}

}  // namespace

void draw_export_preview(UiContext& ui, ExportDialogState& state) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), all = ImGui::GetContentRegionAvail();
  // Space for all lines, so that the layout does not move while a preview is made.
  const float lines = all.x < ui.theme.px(kNarrow) ? 4 : 2;
  const float facts = lines * (font_size(ui.theme.fonts.label) + ImGui::GetStyle().ItemSpacing.y);
  const ImVec2 frame = {all.x, std::max(ui.theme.px(40), all.y - facts - ui.theme.px(4))};
  const float pad = ui.theme.px(kPadding);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + frame.x, at.y + frame.y}, to_imgui(ui.theme.ground), ui.theme.px(6));
  const ImVec2 room_at = {at.x + pad, at.y + pad};
  const ImVec2 room = {std::max(1.0f, frame.x - 2 * pad), std::max(1.0f, frame.y - 2 * pad)};
  if (state.fault.text.empty())
    state.wanted = {state.choice, figure_options(state.settings, ui, state.choice), export_format(state),
                    static_cast<int>(room.x), static_cast<int>(room.y)};
  std::string shown = "waiting";
  if (state.preview && !state.preview->failure.empty()) {
    draw_words(ui, state.preview->failure, ui.theme.error, room_at, room);
    shown = "failure";
  } else if (state.preview && !state.preview->note.empty()) {
    draw_words(ui, state.preview->note, ui.theme.quiet_text, room_at, room);
    shown = "note";
  } else if (state.preview && !state.preview->pixels.pixels.empty()) {
    draw_picture(ui, state, room_at, room);
    shown = "picture";
  } else if (state.preview) {
    draw_text(ui, state.preview->text, room_at, room);
    shown = "numbers";
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(frame);
  ui.probe.mark("dialog.preview", shown);
  draw_facts(ui, state);
}

}  // namespace headlight
