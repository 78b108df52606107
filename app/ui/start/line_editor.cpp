#include "app/ui/start/line_editor.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/start/sentence_words.h"

namespace headlight {
namespace {

constexpr std::size_t kMostLine = 20'000;

double width_of(const UiContext& ui, const std::string& text, double type_px) {
  ImFont* const font = ui.theme.fonts.sentence;
  return double{drawn_width(font, text)} * type_px / double{ui.theme.fonts.text_em_px(*font)};
}

}  // namespace

std::optional<std::vector<ByteRange>> parts_of(const std::string& text,
                                               const std::vector<std::string>& labels) {
  std::vector<ByteRange> parts;
  std::size_t at = 0;
  for (const std::string& label : labels) {
    const std::string word = sentence_word(label);
    const std::size_t found = text.find(word, at);
    if (found != std::string::npos && text.find_first_not_of(" \n\t", at) == found) {
      parts.push_back({found, found + word.size()});
      at = found + word.size();
    } else if (is_quiet_word(word)) {
      parts.push_back({at, at});
    } else {
      return std::nullopt;
    }
  }
  return parts;
}

LineField line_field(UiContext& ui, LineEditor& editor, const Rect& place, double type_px) {
  const Theme& theme = ui.theme;
  ImFont* const font = theme.fonts.sentence;
  const float high = static_cast<float>(type_px) * theme.fonts.text_line;
  ImGui::SetCursorScreenPos(
      {static_cast<float>(place.x),
       static_cast<float>(place.y) + std::floor((static_cast<float>(place.height) - high) / 2)});
  push_font(font);
  ImGui::SetWindowFontScale(high / font_size(font));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, to_imgui(theme.ground));
  ImGui::SetNextItemWidth(static_cast<float>(place.width));
  editor.focus.before_item();
  const std::string typed = editor.typed;
  LineField field;
  field.changed = text_entry(ui, "line.text", editor.typed, kMostLine, "Write a sentence", &editor.select);
  editor.focus.after_item();
  field.scroll = field_scroll(ImGui::GetID("##line.text"));
  if (ImGui::IsItemDeactivated() && key_pressed(Key::Escape)) {
    editor.typed = typed;  // Dear ImGui brings the text before typing back
    field.changed = false;
  }
  field.ended = ImGui::IsItemDeactivated();
  ui.probe.mark("line.text", editor.typed);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  ImGui::SetWindowFontScale(1);
  ImGui::PopFont();
  return field;
}

TokenLine line_of_field(const UiContext& ui, const std::string& text, const std::vector<ByteRange>& parts,
                        const Rect& place, double type_px, float scroll) {
  TokenLine line;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double x = place.x - double{scroll} + width_of(ui, text.substr(0, parts[i].begin), type_px);
    const double width = width_of(ui, text.substr(parts[i].begin, parts[i].end - parts[i].begin), type_px);
    // A start token is not typed: nothing ends where it would stand.
    if (x < place.x || (line.words.empty() && parts[i].begin == parts[i].end)) {
      line.words.clear();
      line.first = static_cast<Index>(i) + 1;
      continue;
    }
    if (x + width > place.right()) break;
    line.words.push_back({x, place.y, width, place.height});
  }
  return line;
}

}  // namespace headlight
