#include "app/figure/motion/motion_parts.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kTopShare = 0.44;       // of the height, at least, for the matrices
constexpr double kMostWork = 176;        // planned pixels below the matrices
constexpr double kMostCell = 36;         // planned pixels
constexpr double kSignWidth = 26;        // planned pixels between two matrices
constexpr double kGap = 10;              // planned pixels between the parts
constexpr double kLeastLineSpacing = 4;  // planned pixels
constexpr Index kNarrow = 2;             // rows or columns up to which a matrix is narrow
constexpr double kMostAspect = 2.4;      // of a cell of a narrow matrix, so that it stays recognisable

double line_of(double size_px) {
  return std::ceil(size_px * 1.35);
}

// The largest matrix with square cells of at most `most` in the room; a narrow one is stretched across.
Rect matrix_in(const MotionMatrix& matrix, double width, double height, double most) {
  const auto rows = static_cast<double>(matrix.rows), columns = static_cast<double>(matrix.columns);
  const double side = std::min({width / columns, height / rows, most});
  Rect place = {0, 0, side * columns, side * rows};
  if (matrix.columns <= kNarrow) place.width = std::min(width, place.width * kMostAspect);
  if (matrix.rows <= kNarrow) place.height = std::min(height, place.height * kMostAspect);
  return place;
}

}  // namespace

Color CellColors::of(double value) const {
  const double share = range.share(value);
  return map.at(std::isnan(share) ? 0.5 : share);
}

MotionMaker::MotionMaker(const MotionRoom& room)
    : room_(room), digit_(room.measure("0", room.style.number_size_px, FontFace::Number).width) {
  const double gap = std::min(px(kGap), std::min(room.width, room.height) / 12);
  const double width = std::max(0.0, room.width - 2 * gap), height = std::max(0.0, room.height - 2 * gap);
  // Without room for two lines of numbers below, there are no matrices above.
  const double least = 3 * line_of(room.style.number_size_px);
  const double work = std::min(height * (1 - kTopShare), px(kMostWork));
  const double top = height * (1 - kTopShare) < least ? 0 : height - work;
  top_ = {gap, gap, width, top};
  work_ = {gap, gap + top, width, height - top};
  plan_.rest.width = room.width;
  plan_.rest.height = room.height;
}

double MotionMaker::text_width(const std::string& text, FontFace face) const {
  // Digits are equally wide, so that thousands of numbers need not be measured.
  if (face == FontFace::Number) return static_cast<double>(character_count(text)) * digit_;
  return room_.measure(text, style().label_size_px, face).width;
}

bool MotionMaker::fits(const std::string& text, double width, double height) const {
  return style().number_size_px <= height && text_width(text, FontFace::Number) <= width;
}

void MotionMaker::add_matrix(const MotionMatrix& matrix, const Rect& rect) {
  if (rect.width <= 0 || rect.height <= 0) return;
  const Rect one = cell_of(rect, matrix, 0, 0);
  const double line = std::min(one.width, one.height) >= px(6) ? 1 : 0;
  plan_.rest.fills.reserve(plan_.rest.fills.size() + matrix.colors.size());
  for (Index row = 0; row < matrix.rows; ++row)
    for (Index column = 0; column < matrix.columns; ++column) {
      const Color color = matrix.colors[static_cast<std::size_t>(row * matrix.columns + column)];
      if (color.a == 0) continue;
      Rect cell = cell_of(rect, matrix, row, column);
      cell.width -= line;
      cell.height -= line;
      plan_.rest.fills.push_back({cell, color});
    }
  plan_.rest.boxes.push_back({rect, 1, style().line});
}

std::vector<Rect> MotionMaker::matrices(const std::vector<const MotionMatrix*>& all,
                                        const std::vector<std::string>& signs) {
  std::vector<Rect> places(all.size());
  const double name = std::min(line_of(style().label_size_px), top_.height / 4),
               count = static_cast<double>(all.size());
  const double sign = std::min(px(kSignWidth), top_.width / (4 * count));
  const double room = std::max(0.0, (top_.width - sign * (count - 1)) / count);
  const double high = std::max(0.0, top_.height - name - px(kGap));
  double used = sign * (count - 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    places[i] = matrix_in(*all[i], room, high, px(kMostCell));
    used += places[i].width;
  }
  double x = top_.x + std::max(0.0, (top_.width - used) / 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    places[i].x = x;
    places[i].y = top_.y + name + (high - places[i].height) / 2;
    add_matrix(*all[i], places[i]);
    if (name >= style().label_size_px) {
      const double free = places[i].width + sign - px(4);
      const std::string shown =
          shortened(all[i]->name, std::min(free, room_.width - x), style().label_size_px, room_.measure);
      if (!shown.empty())
        plan_.rest.texts.push_back(
            planned_label(style(), shown, x, places[i].y - name / 2 - 1, Anchor::Start, style().quiet_text));
    }
    if (i < signs.size() && sign >= style().label_size_px && high >= name) {
      PlannedText text = planned_label(style(), signs[i], x + places[i].width + sign / 2,
                                       top_.y + name + high / 2, Anchor::Middle, style().quiet_text);
      text.size_px = style().label_size_px * 1.6;
      plan_.rest.texts.push_back(text);
    }
    x += places[i].width + sign;
  }
  plan_.result = places.back();
  return places;
}

std::vector<Rect> MotionMaker::lines(std::size_t count, double most_height) const {
  const double each = work_.height / static_cast<double>(count);
  const double height =
      std::max(0.0, std::min(px(most_height), each - std::min(px(kLeastLineSpacing), each / 4)));
  const double pitch = std::min(each, height * 1.7);
  const double top = work_.y + (work_.height - pitch * static_cast<double>(count)) / 2;
  std::vector<Rect> lines;
  for (std::size_t i = 0; i < count; ++i)
    lines.push_back(
        {work_.x, top + pitch * static_cast<double>(i) + (pitch - height) / 2, work_.width, height});
  return lines;
}

std::vector<Rect> MotionMaker::label_lines(const std::vector<Rect>& lines,
                                           const std::vector<std::string>& labels,
                                           const std::vector<double>& shown) {
  double widest = 0;
  for (const std::string& text : labels)
    widest = std::max(widest, text_width(text, FontFace::Text));
  const double column = std::min(widest, work_.width * 0.26);
  std::vector<Rect> rest = lines;
  if (work_.width < 12 * style().label_size_px || labels.empty()) return rest;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    rest[i].x += column + px(kGap);
    rest[i].width = std::max(0.0, rest[i].width - column - px(kGap));
    if (i < labels.size())
      label(labels[i], {lines[i].x, lines[i].y, column, lines[i].height}, Anchor::End, style().quiet_text,
            shown[i], kFall);
  }
  return rest;
}

void MotionMaker::open_place(const Rect& place) {
  if (place.width <= 0 || place.height <= 0) return;
  plan_.rest.fills.push_back({place, style().background});
  plan_.rest.boxes.push_back({place, std::max(1.0, px(1)), style().quiet_text});
}

void MotionMaker::outline(const Rect& place, double gone) {
  if (place.width <= 0 || place.height <= 0) return;
  MotionActor actor;
  actor.kind = MotionActor::Kind::Outline;
  const Color on = style().accent, off = with_opacity(style().accent, 0);
  actor.keys = {{0, place, off}, {kAppear, place, on}};
  if (gone < 1) {
    actor.keys.push_back({gone, place, on});
    actor.keys.push_back({std::min(1.0, gone + kAppear), place, off});
  }
  plan_.actors.push_back(std::move(actor));
}

MotionActor& MotionMaker::cell(std::vector<MotionActor::Key> keys) {
  MotionActor actor;
  actor.keys = std::move(keys);
  plan_.actors.push_back(std::move(actor));
  return plan_.actors.back();
}

MotionActor* MotionMaker::number(const std::string& text, double width, std::vector<MotionActor::Key> keys) {
  if (text.empty() || text_width(text, FontFace::Number) > width) return nullptr;
  const bool high = std::all_of(keys.begin(), keys.end(), [&](const MotionActor::Key& key) {
    return key.color.a == 0 || key.place.height >= style().number_size_px;
  });
  if (!high) return nullptr;
  MotionActor actor;
  actor.kind = MotionActor::Kind::Text;
  actor.text = text;
  actor.size_px = style().number_size_px;
  actor.keys = std::move(keys);
  plan_.actors.push_back(std::move(actor));
  return &plan_.actors.back();
}

MotionActor* MotionMaker::label(const std::string& text, const Rect& place, Anchor anchor, Color color,
                                double shown, double gone) {
  if (place.height < style().label_size_px) return nullptr;
  const std::string fitting = shortened(text, place.width, style().label_size_px, room_.measure);
  if (fitting.empty()) return nullptr;
  MotionActor actor;
  actor.kind = MotionActor::Kind::Text;
  actor.text = fitting;
  actor.size_px = style().label_size_px;
  actor.face = FontFace::Text;
  actor.anchor = anchor;
  const double x = anchor == Anchor::Start    ? place.x
                   : anchor == Anchor::Middle ? place.x + place.width / 2
                                              : place.right();
  const Rect at = {x, place.y, 0, place.height};
  actor.keys = {{shown, at, with_opacity(color, 0)}, {shown + kAppear, at, color}};
  if (gone < 1) {
    actor.keys.push_back({gone, at, color});
    actor.keys.push_back({gone + kAppear, at, with_opacity(color, 0)});
  }
  plan_.actors.push_back(std::move(actor));
  return &plan_.actors.back();
}

MotionPlan MotionMaker::finished(double seconds) {
  plan_.seconds = seconds;
  return std::move(plan_);
}

Rect cell_of(const Rect& matrix, const MotionMatrix& shape, Index row, Index column) {
  Rect cell = matrix;
  if (column >= 0) {
    cell.width = matrix.width / static_cast<double>(shape.columns);
    cell.x += cell.width * static_cast<double>(column);
  }
  if (row >= 0) {
    cell.height = matrix.height / static_cast<double>(shape.rows);
    cell.y += cell.height * static_cast<double>(row);
  }
  return cell;
}

Rect slot_of(const Rect& line, Index at, Index count) {
  const double width = line.width / static_cast<double>(count);
  return {line.x + width * static_cast<double>(at), line.y, width, line.height};
}

Rect inset(const Rect& rect, double by) {
  const double x = std::min(by, rect.width / 4), y = std::min(by, rect.height / 4);
  return {rect.x + x, rect.y + y, rect.width - 2 * x, rect.height - 2 * y};
}

std::optional<int> fitting_decimals(const MotionMaker& maker, std::span<const float> values, double slot,
                                    double height, int most_decimals) {
  constexpr double kBeside = 6;  // planned pixels
  for (int decimals = most_decimals; decimals >= std::min(most_decimals, 2); --decimals) {
    const bool all = std::all_of(values.begin(), values.end(), [&](float value) {
      return maker.fits(number_text(value, decimals), slot - maker.px(kBeside), height);
    });
    if (all) return decimals;
  }
  return std::nullopt;
}

}  // namespace headlight
