#include "app/ui/widgets/text_fit.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/label_text.h"
#include "app/figure/plan/names.h"
#include "app/ui/widgets/text_entry.h"

namespace headlight {
namespace {

// The end of the part of [begin, end) that is at most `room` pixels wide in the current font. Text that does
// not fit is not processed.
const char* end_of_fitting(const char* begin, const char* end, float room) {
  const float limit = std::min(std::floor(room), kWidestText) + 0.01f;  // ImGui stops below the limit
  const char* rest = begin;
  ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), limit, 0, begin, end, &rest);
  return rest;
}

// A number that is cut would be another number: the cut moves in front of it, unless it is all of the text.
const char* in_front_of_number(const char* begin, const char* cut, const char* end) {
  const auto of_number = [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; };
  if (cut == begin || cut == end || !of_number(*cut) || !of_number(cut[-1])) return cut;
  const char* front = cut;
  while (front > begin && of_number(front[-1]))
    --front;
  const std::string before(begin, front);
  return before.empty() || before == "-" || before == "−" ? cut : front;
}

// The part of the text that can be visible: a character is at least one pixel wide and at most four bytes
// long.
std::string seen_part(const std::string& text) {
  return text_head(text, static_cast<std::size_t>(kWidestText) * 4);
}

// A line that is read from right to left is drawn as one glyph, which cannot be cut: its letters are.
std::string elided_from_right(const std::string& whole, float width_px) {
  ImFont* const font = ImGui::GetFont();
  const std::string line = seen_part(whole.substr(0, whole.find('\n')));
  return drawn_text(shortened(line, double{width_px}, 0, [font](const std::string& text, double, FontFace) {
    return TextSize{double{drawn_width(font, text)}, 0};
  }));
}

}  // namespace

float text_width(ImFont* font, const std::string& text) {
  return std::min(drawn_width(font, seen_part(text)), kWidestText);
}

std::string elided(const std::string& whole, float width_px) {
  constexpr const char* kEllipsis = "…";
  if (reads_from_right(whole)) return elided_from_right(whole, width_px);
  std::string text = drawn_text(seen_part(whole));
  const char* const begin = text.data();
  const char* const end = begin + std::min(text.find('\n'), text.size());
  const bool one_line = end == begin + text.size();
  if (one_line && end_of_fitting(begin, end, width_px) == end) return text;
  const char* const last = end_of_fitting(begin, end, width_px - ImGui::CalcTextSize(kEllipsis).x);
  return std::string(begin, in_front_of_number(begin, last, end)) + kEllipsis;
}

std::string broken_at_spaces(const std::string& text, float width_px) {
  std::string broken, line;
  const auto width = [](const std::string& of) { return ImGui::CalcTextSize(of.c_str()).x; };
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    std::string longer = line;
    if (!line.empty()) longer += ' ';
    longer += word;
    if (!line.empty() && width(longer) > width_px) {
      broken += line + "\n";
      line = word;
    } else {
      line = std::move(longer);
    }
    if (end < text.size() && text[end] == '\n') {
      broken += line + "\n";
      line.clear();
    }
    begin = end + 1;
  }
  return broken + line;
}

std::string fitting_token_name(std::span<const std::string> labels, Index at, Counting counting,
                               float width_px) {
  const std::string name = token_name(labels, at, counting), position = token_name({}, at, counting);
  if (name == position || text_width(ImGui::GetFont(), name) <= width_px) return elided(name, width_px);
  const float room = width_px - ImGui::CalcTextSize((" " + position).c_str()).x;
  const std::string label = elided(spoken_label(labels[static_cast<std::size_t>(at)]), room);
  return label + " " + position;
}

void align_right(float width_px) {
  const float free = ImGui::GetContentRegionAvail().x - width_px;
  if (free > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
}

float button_width(const std::string& label) {
  return ImGui::CalcTextSize(drawn_text(label).c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
}

}  // namespace headlight
