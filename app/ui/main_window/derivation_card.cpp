#include "app/ui/main_window/derivation_card.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/card_plan.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/picture/spotlight.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kWidth = 320, kLeastCardHeight = 128, kCardPad = 12;  // planned pixels

ImVec2 point(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

// The visible part of a block of the picture's matrix.
std::optional<Rect> part_of(const UiContext& ui, const LargePicture& picture, const CellBlock& block) {
  const CellBlock part = region_of(ui, picture.stage);
  const CellBlock seen = {std::max(block.row, part.row), std::min(block.row_end, part.row_end),
                          std::max(block.column, part.column), std::min(block.column_end, part.column_end)};
  if (seen.empty() || seen.columns() <= 0) return std::nullopt;
  const double height = picture.cells.height / static_cast<double>(part.rows()),
               width = picture.cells.width / static_cast<double>(part.columns());
  return Rect{picture.cells.x + width * static_cast<double>(seen.column - part.column),
              picture.cells.y + height * static_cast<double>(seen.row - part.row),
              width * static_cast<double>(seen.columns()), height * static_cast<double>(seen.rows())};
}

// Where the cell is drawn; nullopt if it is not in sight.
std::optional<Rect> place_of(const UiContext& ui, WorkbenchState& state, const CellAddress& cell) {
  for (const LargePicture& picture : state.stages.cache.pictures())
    if (picture.stage == cell.stage && picture.head == cell.head && cell.sequence == ui.view.sequence)
      return part_of(ui, picture, {cell.row, cell.row + 1, cell.column, cell.column + 1});
  return std::nullopt;
}

// The row and the column of the cell in all pictures, with their labels.
void add_lines(const UiContext& ui, WorkbenchState& state, const CellAddress& cell,
               std::vector<Rect>& rects) {
  const double labels = double{ui.theme.px(64)}, above = double{ui.theme.px(32)};
  for (const LargePicture& picture : state.stages.cache.pictures()) {
    const auto linked = linked_cells(cell, picture.stage, ui.view.sequence, picture.head, ui.model());
    if (!linked) continue;
    const MapShape shape = stage_shape(ui.model(), picture.stage);
    if (linked->row >= 0)
      if (auto row = part_of(ui, picture, {linked->row, linked->row + 1, 0, shape.columns}))
        rects.push_back({row->x - labels, row->y, row->width + labels, row->height});
    if (linked->column >= 0)
      if (auto column = part_of(ui, picture, {0, shape.rows, linked->column, linked->column + 1}))
        rects.push_back({column->x, column->y - above, column->width, column->height + above});
  }
}

// What the shown step points at: its cells, else its whole pictures. A question may be about any cell.
void add_pointed(const UiContext& ui, WorkbenchState& state, std::vector<Rect>& rects) {
  const LessonStep* const step = shown_step(ui, state.lesson.guide);
  if (!step) return;
  for (const LargePicture& picture : state.stages.cache.pictures()) {
    const bool of_head = picture.stage == step->stage && step->head.value_or(picture.head) == picture.head;
    if (step->question || (of_head && !step->points_at_cells())) {
      rects.push_back(picture.cells);
      continue;
    }
    if (!of_head) continue;
    const MapShape shape = stage_shape(ui.model(), picture.stage);
    for (const CellBlock& block : spotlight_blocks(*step, shape.rows, shape.columns))
      if (const auto part = part_of(ui, picture, block)) rects.push_back(*part);
  }
}

// The panel's header, the controls of the pictures, and the factors of a product, which belong to the cell.
void add_controls(const UiContext& ui, const Rect& picture, std::vector<Rect>& rects) {
  const double header = double{ui.theme.px(20)} + ImGui::GetFrameHeight();
  const double highest = 1.5 * ImGui::GetFrameHeight();  // higher items are pictures
  rects.push_back({picture.x, picture.y, picture.width, header});
  for (const ProbedWidget& widget : ui.probe.widgets()) {
    if (widget.name == "learning.area") rects.push_back(widget.rect);
    if (!widget.name.starts_with("focus.") || !overlap(widget.rect, picture)) continue;
    const bool control = widget.item != 0 && widget.rect.height <= highest;
    if (control || widget.name.starts_with("focus.factor.")) rects.push_back(widget.rect);
  }
}

// The pictures with what is around them.
std::vector<Rect> drawn_parts(const UiContext& ui, WorkbenchState& state, const Rect& picture) {
  const std::vector<LargePicture>& pictures = state.stages.cache.pictures();
  if (pictures.empty()) return {picture};
  Rect all = {picture.x, picture.y, 0, 0};
  const auto take = [&](const Rect& rect, double beside) {
    all.width = std::max(all.width, rect.right() + beside - all.x);
    all.height = std::max(all.height, rect.bottom() - all.y);
  };
  for (const LargePicture& one : pictures)
    take(one.cells, double{colorbar_width(ui) + ui.theme.px(20)});  // with the gap before the bar
  std::vector<Rect> parts = {all};
  for (const ProbedWidget& widget : ui.probe.widgets())
    if (widget.name.starts_with("focus.") && overlap(widget.rect, picture)) parts.push_back(widget.rect);
  return parts;
}

CardRoom card_room(const UiContext& ui, WorkbenchState& state, const CellAddress& cell, const Rect& picture) {
  CardRoom room;
  room.picture = picture;
  room.gap = double{ui.theme.px(8)};
  room.drawn = drawn_parts(ui, state, picture);
  room.cell = place_of(ui, state, cell).value_or(picture);
  add_lines(ui, state, cell, room.keep);
  add_pointed(ui, state, room.keep);
  add_controls(ui, picture, room.keep);
  // What another view than heatmaps draws at a place is not known here.
  if (state.stages.cache.pictures().empty()) room.keep.push_back(picture);
  room.beside = state.lesson.sight.free;
  return room;
}

// Moves a pinned card into the window if the window has become smaller.
Rect inside_window(Rect place) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  place.width = std::min(place.width, double{window.x});
  place.height = std::min(place.height, double{window.y});
  place.x = std::clamp(place.x, 0.0, double{window.x} - place.width);
  place.y = std::clamp(place.y, 0.0, double{window.y} - place.height);
  return place;
}

std::optional<Rect> find_place(const UiContext& ui, WorkbenchState& state, const CellAddress& cell,
                               const Rect& picture) {
  DerivationCardState& card = state.card;
  if (card.cell != cell && !card.pinned) card.place.reset();
  card.cell = cell;
  const float derivation =
      state.inspector.derivation_px > 0 ? state.inspector.derivation_px : ui.theme.px(kUsualDerivation);
  const CardSize wished = {
      std::floor(double{ui.theme.px(kWidth)}),
      std::ceil(double{2 * ui.theme.px(kCardPad) + inspector_head_height(ui) + derivation + ui.theme.px(4)})};
  if (card.pinned && card.place)
    return inside_window({card.place->x, card.place->y, wished.width, wished.height});
  std::optional<Point> before;
  if (card.place) before = Point{card.place->x, card.place->y};
  return plan_card(card_room(ui, state, cell, picture), wished, double{ui.theme.px(kLeastCardHeight)},
                   before);
}

// Whether the card would hide a part of the row or the column of the cell under the pointer.
bool hides_lines(const UiContext& ui, WorkbenchState& state, const Rect& place) {
  if (!ui.view.hovered || ui.view.hovered == ui.view.selected) return false;
  std::vector<Rect> lines;
  add_lines(ui, state, *ui.view.hovered, lines);
  return std::any_of(lines.begin(), lines.end(), [&](const Rect& line) { return overlap(line, place); });
}

// The line from the cell's corner to the card, in front of the pictures: along the lines between their cells,
// so that no number is crossed out; only its last part is bent towards the card's nearest edge. It is faint,
// because it may cross labels on its way.
void draw_card_line(const UiContext& ui, const Rect& place, const Rect& cell) {
  const bool right = place.x >= cell.right(), left = place.right() <= cell.x, beside = right || left;
  const bool below = place.y >= cell.bottom();
  const double inset = double{ui.theme.px(8)}, bent = double{ui.theme.px(24)};
  const Point from = {left ? cell.x : cell.right(), beside || below ? cell.bottom() : cell.y};
  Point bend = from, to;
  if (beside) {
    const double edge = right ? place.x : place.right(), way = edge - from.x;
    bend.x = edge - std::copysign(std::min(bent, std::abs(way)), way);
    to = {edge, std::clamp(from.y, place.y + inset, place.bottom() - inset)};
  } else {
    const double edge = below ? place.y : place.bottom(), way = edge - from.y;
    bend.y = edge - std::copysign(std::min(bent, std::abs(way)), way);
    to = {std::clamp(from.x, place.x + inset, place.right() - inset), edge};
  }
  constexpr double kLineAlpha = 0.45;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 line[] = {point(from.x, from.y), point(bend.x, bend.y), point(to.x, to.y)};
  list.PushClipRectFullScreen();
  list.AddPolyline(line, 3, to_imgui(ui.theme.accent, kLineAlpha), 0, std::max(1.0f, ui.theme.px(1.25f)));
  list.PopClipRect();
}

// An area of the title line as large as its height, with its icon's colour.
struct IconArea {
  bool pressed = false;
  ImVec2 middle;
  ImU32 color = 0;
};
IconArea icon_area(const UiContext& ui, const char* name, const std::string& value, const std::string& tip,
                   ImVec2 at, float size) {
  ImGui::SetCursorScreenPos(at);
  IconArea icon;
  icon.pressed = click_area(name, {size, size});
  ui.probe.mark(name, value);
  tooltip(ui, tip);
  icon.middle = {at.x + size / 2, at.y + size / 2};
  icon.color = to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text);
  return icon;
}

bool close_icon(UiContext& ui, ImVec2 at, float size) {
  const IconArea icon = icon_area(ui, "card.close", "", "Close: Escape", at, size);
  const float r = size * 0.28f, line = std::max(1.0f, ui.theme.px(1.5f));
  const ImVec2 m = icon.middle;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({m.x - r, m.y - r}, {m.x + r, m.y + r}, icon.color, line);
  list.AddLine({m.x - r, m.y + r}, {m.x + r, m.y - r}, icon.color, line);
  return icon.pressed;
}

void pin_icon(UiContext& ui, DerivationCardState& card, ImVec2 at, float size) {
  const IconArea icon = icon_area(
      ui, "card.pin", card.pinned ? "pinned" : "",
      card.pinned ? "Unpin: place the card beside its cell again" : "Pin: keep the card here", at, size);
  const float r = size * 0.2f, line = std::max(1.0f, ui.theme.px(1.5f));
  const ImVec2 head = {icon.middle.x, icon.middle.y - r};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = card.pinned ? to_imgui(ui.theme.link) : icon.color;
  if (card.pinned)
    list.AddCircleFilled(head, r, color);
  else
    list.AddCircle(head, r, color, 0, line);
  list.AddLine({head.x, head.y + r}, {head.x, head.y + 3 * r}, color, line);
  if (!icon.pressed) return;
  card.pinned = !card.pinned;
  if (!card.pinned) card.place.reset();
}

// The title line: its controls at the right, and the rest of it to drag. Returns whether the card is closed.
bool title_line(UiContext& ui, WorkbenchState& state, ImVec2 at, float width) {
  DerivationCardState& card = state.card;
  const float size = font_size(ui.theme.fonts.text), gap = ui.theme.px(8);
  float right = at.x + width - size;
  const bool closed = close_icon(ui, {right, at.y}, size);
  right -= size + gap / 2;
  pin_icon(ui, card, {right, at.y}, size);
  right -= gap;
  right -= walk_link(ui, state, right, at.y) + gap;
  state.inspector.header_room = at.x + width - right;
  ImGui::SetCursorScreenPos(at);
  click_area("card.title", {right - at.x, size});
  ui.probe.mark("card.title");
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (!ImGui::IsItemActive() || !card.place || (moved.x == 0 && moved.y == 0)) return closed;
  card.pinned = true;
  card.place->x += double{moved.x};
  card.place->y += double{moved.y};
  return closed;
}

void draw_card(UiContext& ui, WorkbenchState& state, const Rect& place) {
  const Theme& theme = ui.theme;
  const ImVec2 at = point(place.x, place.y), size = point(place.width, place.height);
  const float pad = theme.px(kCardPad);
  ImGui::SetCursorScreenPos(at);
  begin_child(
      "card", size, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, to_imgui(theme.raised), theme.px(6));
  list.AddRect(at, end, to_imgui(theme.accent), theme.px(6), 0, std::max(1.0f, theme.px(1)));
  ui.probe.mark_rect("card", place);
  const ImVec2 inner = {at.x + pad, at.y + pad};
  ImGui::SetCursorScreenPos(inner);
  begin_child(
      "derivation card", {size.x - 2 * pad, size.y - 2 * pad}, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const bool closed = title_line(ui, state, inner, size.x - 2 * pad);
  ImGui::SetCursorScreenPos(inner);
  inspector_panel(ui, state.inspector);
  ImGui::EndChild();
  const auto cell = place_of(ui, state, state.inspector.shown.value_or(*ui.view.selected));
  if (cell && !overlap(*cell, place)) draw_card_line(ui, place, *cell);
  ImGui::EndChild();
  if (closed) ui.view.selected.reset();
}

}  // namespace

float walk_link(UiContext& ui, WorkbenchState& state, float right, float y) {
  const ActionEntry& walk = action_entry("walk");
  const std::string name(walk.name);
  ImFont* const font = ui.theme.fonts.label;
  const float width = text_width(font, name);
  const ImVec2 at = {std::floor(right - width), y};
  ImGui::SetCursorScreenPos(at);
  if (click_area("walk.start", {width, font_size(font)})) walk.run(ui, state);
  ui.probe.mark("walk.start", name);
  tooltip(ui, std::string(walk.what));
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), at,
                                      to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link),
                                      name.c_str());
  return width;
}

void derivation_card(UiContext& ui, WorkbenchState& state, const Rect& picture) {
  DerivationCardState& card = state.card;
  state.lesson.guide.card_at = {};
  const auto cell = ui.view.selected;
  if (!cell || !address_exists(ui.model(), *cell)) {
    card.cell.reset();
    return;
  }
  const float before = state.inspector.derivation_px;
  card.shown = find_place(ui, state, *cell, picture);
  if (!card.pinned || card.shown) card.place = card.shown;
  if (!card.shown) return;
  state.lesson.guide.card_at = *card.shown;
  state.inspector.only_selected = hides_lines(ui, state, *card.shown);
  draw_card(ui, state, *card.shown);
  state.inspector.only_selected = false;
  // The height was planned for the derivation of the frame before.
  if (std::abs(state.inspector.derivation_px - before) >= 1) ui.wake_within(0.001);
}

}  // namespace headlight
