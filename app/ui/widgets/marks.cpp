#include "app/ui/widgets/marks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {
namespace {

constexpr std::array<MarkForm, 8> kForms = {{
    {Mark::Selected, MarkLine::Solid, &Theme::accent, 2, 0, 0},
    {Mark::Kept, MarkLine::Double, &Theme::accent, 1, 0, 0},
    {Mark::Pointed, MarkLine::Dashed, &Theme::pointer, 2, 0, 8},
    {Mark::Supposed, MarkLine::Dashed, &Theme::text, 1.5f, 0, 4},
    {Mark::Moved, MarkLine::Solid, &Theme::text, 1.5f, 3, 0},
    {Mark::Right, MarkLine::Solid, &Theme::text, 3, 1, 0},
    {Mark::Wrong, MarkLine::Dashed, &Theme::text, 1, 4, 2},
    {Mark::Missed, MarkLine::Corners, &Theme::text, 2, 1, 8},
}};

double whole(double size) {
  return std::max(1.0, std::round(size));
}

void add_frame(std::vector<Rect>& pieces, const Rect& at, double width) {
  if (at.width < 2 * width || at.height < 2 * width) return pieces.push_back(at);
  pieces.push_back({at.x, at.y, at.width, width});
  pieces.push_back({at.x, at.bottom() - width, at.width, width});
  pieces.push_back({at.x, at.y + width, width, at.height - 2 * width});
  pieces.push_back({at.right() - width, at.y + width, width, at.height - 2 * width});
}

// Dashes with equal gaps from one corner to the next, each side beginning and ending with a dash.
template <class Add>
void add_dashes(double length, double dash, const Add& add) {
  const double gaps = std::max(1.0, std::floor((length / dash - 1) / 2));
  const double pitch = (length - dash) / gaps;
  if (pitch <= dash) return add(0.0, length);
  for (int i = 0; i <= static_cast<int>(gaps); ++i)
    add(std::round(i * pitch), dash);
}

void add_dashed_frame(std::vector<Rect>& pieces, const Rect& at, double width, double dash) {
  add_dashes(at.width, dash, [&](double from, double length) {
    pieces.push_back({at.x + from, at.y, length, width});
    pieces.push_back({at.x + from, at.bottom() - width, length, width});
  });
  add_dashes(at.height, dash, [&](double from, double length) {
    pieces.push_back({at.x, at.y + from, width, length});
    pieces.push_back({at.right() - width, at.y + from, width, length});
  });
}

// Two arms at each corner, which leave the middle half of each side free.
void add_corners(std::vector<Rect>& pieces, const Rect& at, double width, double most) {
  const double wide = std::min(most, std::floor(at.width / 4)),
               high = std::min(most, std::floor(at.height / 4));
  if (wide < 2 * width || high < 2 * width) return add_frame(pieces, at, width);
  for (const double x : {at.x, at.right() - wide})
    for (const double y : {at.y, at.bottom() - width})
      pieces.push_back({x, y, wide, width});
  for (const double x : {at.x, at.right() - width})
    for (const double y : {at.y + width, at.bottom() - high})
      pieces.push_back({x, y, width, high - width});
}

}  // namespace

std::optional<Mark> outcome_mark(bool guessed, bool right) {
  if (guessed) return right ? Mark::Right : Mark::Wrong;
  return right ? std::optional(Mark::Missed) : std::nullopt;
}

std::span<const MarkForm> mark_forms() {
  return kForms;
}

const MarkForm& form_of(Mark mark) {
  return kForms[static_cast<std::size_t>(mark)];
}

std::vector<Rect> mark_pieces(const MarkForm& form, const Rect& cell, double scale) {
  const double width = whole(double{form.width} * scale), smaller = std::min(cell.width, cell.height);
  // In a cell too small for the distance from its edge, the line is at the edge.
  const double inset = std::round(double{form.inset} * scale);
  const Rect outer = smaller >= 4 * (inset + width) ? outset(cell, -inset) : cell;
  std::vector<Rect> pieces;
  switch (form.line) {
    case MarkLine::Solid:
      add_frame(pieces, outer, width);
      break;
    case MarkLine::Dashed:
      add_dashed_frame(pieces, outer, width, whole(double{form.dash} * scale));
      break;
    case MarkLine::Double:
      add_frame(pieces, outer, width);
      if (smaller >= 8 * width) add_frame(pieces, outset(outer, -3 * width), width);
      break;
    case MarkLine::Corners:
      add_corners(pieces, outer, width, whole(double{form.dash} * scale));
      break;
  }
  return pieces;
}

void draw_mark(const UiContext& ui, Mark mark, ImVec2 low, ImVec2 high, double alpha) {
  const MarkForm& form = form_of(mark);
  const Rect cell = {std::round(low.x), std::round(low.y), std::round(high.x) - std::round(low.x),
                     std::round(high.y) - std::round(low.y)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto fill = [&list](const Rect& piece, ImU32 color) {
    list.AddRectFilled({static_cast<float>(piece.x), static_cast<float>(piece.y)},
                       {static_cast<float>(piece.right()), static_cast<float>(piece.bottom())}, color);
  };
  const std::vector<Rect> pieces = mark_pieces(form, cell, ui.theme.scale);
  for (const Rect& piece : pieces)
    fill(outset(piece, 1), to_imgui(ui.theme.ground, alpha));
  for (const Rect& piece : pieces)
    fill(piece, to_imgui(ui.theme.*form.color, alpha));
}

}  // namespace headlight
