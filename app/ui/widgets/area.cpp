#include "app/ui/widgets/area.h"

#include <algorithm>
#include <utility>

#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// ImGui breaks lines behind a point or a comma too, also within a number, which goes to the next line as a
// whole here, unless it is all of the line.
const char* in_front_of_broken_number(const char* begin, const char* stop, const char* end) {
  const bool broken =
      stop > begin && stop < end && (stop[-1] == '.' || stop[-1] == ',') && *stop >= '0' && *stop <= '9';
  if (!broken) return stop;
  const char* front = stop;
  while (front > begin && front[-1] != ' ')
    --front;
  return front > begin ? front : stop;
}

// Where the line that begins at `next` ends, and where the one behind it begins, in the current font.
std::pair<const char*, const char*> next_line(const char* next, const char* end, float width) {
  const char* const stop =
      in_front_of_broken_number(next, ImGui::GetFont()->CalcWordWrapPositionA(1.0f, next, end, width), end);
  const char* following = stop;
  while (following < end && *following == ' ')
    ++following;
  return {stop, following};
}

}  // namespace

void draw_card_frame(const UiContext& ui, const Area& area, bool chosen) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = ui.theme.px(6);
  list.AddRectFilled(area.at, area.end(), to_imgui(ui.theme.panel), rounding);
  list.AddRect(area.at, area.end(), to_imgui(chosen ? ui.theme.accent : ui.theme.line), rounding, 0,
               std::max(1.0f, ui.theme.px(1)));
}

void share_bar(const UiContext& ui, const Area& area, double share) {
  const float length = area.size.x * static_cast<float>(std::clamp(share, 0.0, 1.0)), round = ui.theme.px(2);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(area.at, area.end(), to_imgui(ui.theme.raised), round);
  list.AddRectFilled(area.at, {area.at.x + std::max(1.0f, length), area.end().y}, to_imgui(ui.theme.primary),
                     round);
}

void fitted_text(ImFont* font, ImVec2 at, float width, Color color, const std::string& text) {
  if (text.empty() || width < text_width(font, "…")) return;
  push_font(font);
  const std::string fitted = elided(text, width);
  ImGui::PopFont();
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), at, to_imgui(color), fitted.c_str());
}

std::size_t wrapped_lines(ImFont* font, float width, const std::string& text) {
  if (width < text_width(font, "…")) return 0;  // as wrapped_text, which draws nothing
  push_font(font);
  const std::string whole = drawn_text(text);
  const char* next = whole.c_str();
  const char* const end = next + whole.size();
  std::size_t lines = 0;
  for (; next < end; ++lines)
    next = next_line(next, end, width).second;
  ImGui::PopFont();
  return lines;
}

bool wrapped_text(ImFont* font, ImVec2 at, float width, Color color, const std::string& text,
                  std::size_t lines, float line) {
  if (width < text_width(font, "…")) return !text.empty();
  push_font(font);
  const std::string whole = drawn_text(text);
  const char* next = whole.c_str();
  const char* const end = next + whole.size();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  bool cut = false;
  for (std::size_t i = 0; i < lines && next < end; ++i, at.y += line) {
    const auto [stop, following] = next_line(next, end, width);
    if (stop < end && i + 1 == lines) {
      list.AddText(at, to_imgui(color), elided(std::string(next, end), width).c_str());
      cut = true;
    } else {
      list.AddText(at, to_imgui(color), next, stop);
    }
    next = following;
  }
  ImGui::PopFont();
  return cut || (lines == 0 && !whole.empty());
}

std::size_t fitting_lines(float room, float line, float gap) {
  if (!(room >= line) || line + gap <= 0) return 0;
  return static_cast<std::size_t>((room + gap) / (line + gap));
}

int best_columns(int count, float width, float height, float gap, float aspect, float lines, float beside) {
  int best = 1;
  float best_size = -1;
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const float w = (width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns) - beside;
    const float h = (height - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows) - lines;
    const float size = std::min(w, h * aspect);
    if (size > best_size * 1.01f) {
      best_size = size;
      best = columns;
    }
  }
  return best;
}

}  // namespace headlight
