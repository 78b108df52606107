#include "app/ui/widgets/plan_painter.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/figure/paint/painter.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight {
namespace {

// Up to this many rows and columns, cells are drawn as rectangles; beyond, a texture is many times faster.
constexpr Index kMostDrawnSingly = 24;

// How many pixels the lines that draw a curve may be away from it. A wide one shows its corners sooner.
double most_off(double width) {
  return 0.5 / std::max(1.0, width);
}

// Along the lines between the points. line, dash: pixels.
void draw_dashed_path(ImDrawList& list, const std::vector<ImVec2>& points, ImU32 color, float line,
                      float dash) {
  bool inked = true;
  float left = dash;  // until a dash or a gap ends
  const auto end = [&] { inked ? list.PathStroke(color, 0, line) : list.PathClear(); };
  list.PathLineTo(points.front());
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ImVec2 from = points[i - 1], to = points[i];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    float gone = 0;
    for (; length - gone > left; left = dash) {
      gone += left;
      const ImVec2 at = {std::lerp(from.x, to.x, gone / length), std::lerp(from.y, to.y, gone / length)};
      list.PathLineTo(at);
      end();
      inked = !inked;
      list.PathLineTo(at);
    }
    left -= length - gone;
    list.PathLineTo(to);
  }
  end();
}

// Paints a plan with Dear ImGui. The cells of a heatmap may become a texture, which the constructor's
// CellTexture describes.
class ScreenPainter final : public Painter {
 public:
  struct CellTexture {
    TextureStore& textures;
    const std::string& key;
    std::uint64_t version;
  };
  ScreenPainter(ImVec2 origin, ImDrawList& list, const Theme& theme, const CellTexture* texture)
      : origin_{std::round(origin.x), std::round(origin.y)}, list_(list), theme_(theme), texture_(texture) {}

  void cells(const PlannedCells& cells, Point at) override {
    const bool few = cells.rows <= kMostDrawnSingly && cells.columns <= kMostDrawnSingly;
    few ? cell_rectangles(cells, at) : cell_texture(cells, at);
  }

  void bar(const PlannedBar& bar, Point at) override {
    const auto steps = static_cast<Index>(bar.colors.size());
    const float left = snapped_x(at, bar.rect.x), right = snapped_x(at, bar.rect.right());
    for (Index step = 0; step < steps; ++step) {
      const float top = snapped_y(at, edge(bar.rect.y, bar.rect.height, step, steps));
      const float bottom = snapped_y(at, edge(bar.rect.y, bar.rect.height, step + 1, steps));
      if (bottom <= top) continue;
      list_.AddRectFilled({left, top}, {right, bottom}, to_imgui(bar.colors[static_cast<std::size_t>(step)]));
    }
  }

  void hatching(const PlannedHatching& hatching, Point at) override {
    for (const auto& [from, to] : hatching.segments)
      stroke({from.x, from.y, to.x, to.y, hatching.width, hatching.color}, at);
  }

  void fill(const PlannedFill& fill, Point at) override {
    const float left = snapped_x(at, fill.rect.x),
                right = std::max(snapped_x(at, fill.rect.right()), left + 1);
    const float top = snapped_y(at, fill.rect.y),
                bottom = std::max(snapped_y(at, fill.rect.bottom()), top + 1);
    list_.AddRectFilled({left, top}, {right, bottom}, to_imgui(fill.color));
  }

  // Dear ImGui fills no shapes that are not convex: between the points of both edges are two triangles, and
  // beside them those whose colour fades out within a pixel.
  void band(const PlannedBand& band, Point at) override {
    const auto [upper, lower] = band_edges(band.path, band.width, band.to_width);
    const double off = most_off(std::max(band.width, band.to_width));
    const int count = std::max(curve_steps(upper, off), curve_steps(lower, off));
    list_.PrimReserve(18 * count, 4 * (count + 1));
    for (int i = 0; i <= count; ++i) {
      const double t = static_cast<double>(i) / count;
      band_corners(screen(at, point_on(upper, t)), screen(at, point_on(lower, t)), band.color);
    }
    // The vertices are written: the next one's number tells the first one's.
    auto first = static_cast<ImDrawIdx>(list_._VtxCurrentIdx - 4 * static_cast<unsigned>(count + 1));
    for (int i = 0; i < count; ++i, first = static_cast<ImDrawIdx>(first + 4))
      for (int side = 0; side < 3; ++side)
        for (const int corner : {0, 1, 5, 0, 5, 4})
          list_.PrimWriteIdx(static_cast<ImDrawIdx>(first + side + corner));
  }

  void curve(const PlannedCurve& curve, Point at) override {
    std::vector<ImVec2> points;
    for (const Point& point : points_on(curve.path, most_off(curve.width)))
      points.push_back(screen(at, point));
    const auto width = static_cast<float>(curve.width);
    if (curve.dash > 0)
      draw_dashed_path(list_, points, to_imgui(curve.color), width, static_cast<float>(curve.dash));
    else
      list_.AddPolyline(points.data(), static_cast<int>(points.size()), to_imgui(curve.color), 0, width);
  }

  void stroke(const PlannedLine& line, Point at) override {
    list_.AddLine(screen(at, {line.x1, line.y1}), screen(at, {line.x2, line.y2}), to_imgui(line.color),
                  static_cast<float>(line.width));
  }

  // A triangle with a horizontal side is the tip of a colour bar, which it meets on whole pixels.
  void triangle(const std::array<Point, 3>& corners, Color color, Point at) override {
    const bool level =
        corners[0].y == corners[1].y || corners[1].y == corners[2].y || corners[2].y == corners[0].y;
    const auto place = [&](const Point& p) {
      return level ? ImVec2(snapped_x(at, p.x), snapped_y(at, p.y)) : screen(at, p);
    };
    list_.AddTriangleFilled(place(corners[0]), place(corners[1]), place(corners[2]), to_imgui(color));
  }

  void dot(const PlannedDot& dot, Point at) override {
    const ImVec2 middle = screen(at, {dot.x, dot.y});
    const auto radius = static_cast<float>(dot.radius);
    if (dot.ring)
      list_.AddCircle(middle, radius, to_imgui(dot.color), 0, std::max(1.0F, radius * 0.4F));
    else
      list_.AddCircleFilled(middle, radius, to_imgui(dot.color));
  }

  // The outline is inside the rectangle.
  void box(const PlannedBox& box, Point at) override {
    const float left = snapped_x(at, box.rect.x), right = snapped_x(at, box.rect.right());
    const float top = snapped_y(at, box.rect.y), bottom = snapped_y(at, box.rect.bottom());
    const auto thickness = static_cast<float>(std::max(1.0, std::round(box.width)));
    const ImU32 color = to_imgui(box.color);
    list_.AddRectFilled({left, top}, {right, top + thickness}, color);
    list_.AddRectFilled({left, bottom - thickness}, {right, bottom}, color);
    list_.AddRectFilled({left, top + thickness}, {left + thickness, bottom - thickness}, color);
    list_.AddRectFilled({right - thickness, top + thickness}, {right, bottom - thickness}, color);
  }

  void line(const PlannedLine& line, Point at) override {
    const auto thickness = static_cast<float>(std::max(1.0, std::round(line.width)));
    const ImU32 color = to_imgui(line.color);
    if (line.y1 == line.y2) {
      const float top = std::round(screen_y(at, line.y1) - thickness / 2);
      const float left = snapped_x(at, std::min(line.x1, line.x2)),
                  right = snapped_x(at, std::max(line.x1, line.x2));
      list_.AddRectFilled({left, top}, {right, top + thickness}, color);
    } else if (line.x1 == line.x2) {
      const float left = std::round(screen_x(at, line.x1) - thickness / 2);
      const float top = snapped_y(at, std::min(line.y1, line.y2)),
                  bottom = snapped_y(at, std::max(line.y1, line.y2));
      list_.AddRectFilled({left, top}, {left + thickness, bottom}, color);
    } else {
      list_.PathLineTo({screen_x(at, line.x1), screen_y(at, line.y1)});
      list_.PathLineTo({screen_x(at, line.x2), screen_y(at, line.y2)});
      list_.PathStroke(color, 0, static_cast<float>(line.width));
    }
  }

  void text(const PlannedText& text, Point at) override {
    const SizedFont sized = sized_font(theme_.fonts, text.size_px, text.face);
    const std::string drawn = drawn_text(text.text);
    const float width = sized.font->CalcTextSizeA(sized.size, kWidestText, 0, drawn.c_str()).x;
    float start = 0;
    if (text.anchor == Anchor::Middle) start = -width / 2;
    if (text.anchor == Anchor::End) start = -width;
    const ImVec2 anchor = screen(at, {text.x, text.y});
    if (text.angle_deg == 0) {
      const ImVec2 corner{std::round(anchor.x + start), std::round(anchor.y - sized.size / 2)};
      list_.AddText(sized.font, sized.size, corner, to_imgui(text.color), drawn.c_str());
    } else {
      turned_text(drawn, text, sized, anchor, start);
    }
  }

 private:
  // The vertices across a band, from its upper edge to its lower one: outside, inside, inside, outside. What
  // is narrower than a pixel is fainter instead.
  void band_corners(ImVec2 upper, ImVec2 lower, Color color) {
    const ImVec2 middle = {(upper.x + lower.x) / 2, (upper.y + lower.y) / 2};
    const float x = (upper.x - lower.x) / 2, y = (upper.y - lower.y) / 2, half = std::sqrt(x * x + y * y);
    const ImVec2 up = half > 0 ? ImVec2{x / half, y / half} : ImVec2{0, -1};
    const float inner = std::max(0.0f, half - 0.5f), outer = inner + 1;
    const auto alpha =
        static_cast<ImU32>(std::lround(static_cast<float>(color.a) * std::min(1.0f, 2 * half)));
    const ImU32 ink = IM_COL32(color.r, color.g, color.b, alpha);
    const ImU32 none = ink & ~IM_COL32_A_MASK;
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (const auto& [far, at_far] : {std::pair(outer, none), {inner, ink}, {-inner, ink}, {-outer, none}})
      list_.PrimWriteVtx({middle.x + up.x * far, middle.y + up.y * far}, white, at_far);
  }

  void cell_rectangles(const PlannedCells& cells, Point at) {
    for (Index row = 0; row < cells.rows; ++row) {
      const float top = snapped_y(at, edge(cells.rect.y, cells.rect.height, row, cells.rows));
      const float bottom = snapped_y(at, edge(cells.rect.y, cells.rect.height, row + 1, cells.rows));
      for (Index column = 0; column < cells.columns; ++column) {
        const float left = snapped_x(at, edge(cells.rect.x, cells.rect.width, column, cells.columns));
        const float right = snapped_x(at, edge(cells.rect.x, cells.rect.width, column + 1, cells.columns));
        const Color color = cells.colors[static_cast<std::size_t>(row * cells.columns + column)];
        list_.AddRectFilled({left, top}, {right, bottom}, to_imgui(color));
      }
    }
  }

  void cell_texture(const PlannedCells& cells, Point at) {
    const ImTextureID texture =
        texture_->textures.texture(texture_->key, texture_->version, static_cast<int>(cells.columns),
                                   static_cast<int>(cells.rows), cells.colors);
    list_.AddImage(texture, {snapped_x(at, cells.rect.x), snapped_y(at, cells.rect.y)},
                   {snapped_x(at, cells.rect.right()), snapped_y(at, cells.rect.bottom())});
  }

  // Where cell `index` of `count` begins along a side.
  static double edge(double start, double length, Index index, Index count) {
    return start + length * static_cast<double>(index) / static_cast<double>(count);
  }
  float screen_x(Point at, double x) const { return origin_.x + static_cast<float>(at.x + x); }
  float screen_y(Point at, double y) const { return origin_.y + static_cast<float>(at.y + y); }
  ImVec2 screen(Point at, Point p) const { return {screen_x(at, p.x), screen_y(at, p.y)}; }
  float snapped_x(Point at, double x) const { return std::round(screen_x(at, x)); }
  float snapped_y(Point at, double y) const { return std::round(screen_y(at, y)); }

  // ImGui draws text only from left to right, so the glyphs are placed one by one, rotated about the anchor.
  void turned_text(const std::string& drawn, const PlannedText& text, const SizedFont& sized, ImVec2 anchor,
                   float start) {
    const double angle = text.angle_deg * std::numbers::pi / 180;
    const ImVec2 along{static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))};
    const ImVec2 down{-along.y, along.x};
    const float scale = sized.size / font_size(sized.font);
    const ImU32 color = to_imgui(text.color);
    // A quarter turn keeps glyphs on the pixel grid if the anchor is on it.
    const bool upright = std::fabs(along.x) < 1e-6F;
    const ImVec2 at = upright ? ImVec2{std::round(anchor.x), std::round(anchor.y)} : anchor;
    float pen = upright ? std::round(start) : start;
    const float top = upright ? std::round(-sized.size / 2) : -sized.size / 2;
    const auto place = [&](float x, float y) {
      return ImVec2{at.x + along.x * x + down.x * y, at.y + along.y * x + down.y * y};
    };
    const char* next = drawn.data();
    const char* end = next + drawn.size();
    while (next < end) {
      unsigned int character = 0;
      next += ImTextCharFromUtf8(&character, next, end);
      const ImFontGlyph* glyph = find_glyph(sized.font, character);
      if (!glyph) continue;
      if (glyph->Visible) {
        const float left = pen + glyph->X0 * scale, right = pen + glyph->X1 * scale;
        const float above = top + glyph->Y0 * scale, below = top + glyph->Y1 * scale;
        list_.PrimReserve(6, 4);
        list_.PrimQuadUV(place(left, above), place(right, above), place(right, below), place(left, below),
                         {glyph->U0, glyph->V0}, {glyph->U1, glyph->V0}, {glyph->U1, glyph->V1},
                         {glyph->U0, glyph->V1}, glyph->Colored ? color | ~IM_COL32_A_MASK : color);
      }
      pen += glyph->AdvanceX * scale;
    }
  }

  ImVec2 origin_;
  ImDrawList& list_;
  const Theme& theme_;
  const CellTexture* texture_;  // null: the picture has no heatmap
};

}  // namespace

SizedFont sized_font(const Fonts& fonts, double size_px, FontFace face) {
  const bool number = face == FontFace::Number;
  const auto em_px = [&](const ImFont& font) {
    return number ? fonts.number_em_px(font) : fonts.text_em_px(font);
  };
  const std::array<ImFont*, 3> fonts_of_face = number ? std::array{fonts.cell, fonts.small_cell, fonts.number}
                                                      : std::array{fonts.label, fonts.text, fonts.title};
  ImFont* best = fonts_of_face.front();
  for (ImFont* font : fonts_of_face) {
    if (std::fabs(em_px(*font) - size_px) < std::fabs(em_px(*best) - size_px)) best = font;
  }
  const double stretch = size_px / em_px(*best);
  // Within 5 % the font's own size is used, which is sharp.
  if (std::fabs(stretch - 1) < 0.05) return {best, font_size(best)};
  return {best, static_cast<float>(font_size(best) * stretch)};
}

void draw_dashed_line(ImDrawList& list, ImVec2 a, ImVec2 b, ImU32 color, float width, float dash) {
  draw_dashed_path(list, {a, b}, color, width, dash);
}

MeasureText imgui_measure(const Theme& theme) {
  return [fonts = theme.fonts](const std::string& text, double size_px, FontFace face) -> TextSize {
    const SizedFont sized = sized_font(fonts, size_px, face);
    const float width = text_width(sized.font, text) * sized.size / font_size(sized.font);
    return {width, sized.size};
  };
}

void paint_plan(const HeatmapPlan& plan, ImVec2 origin, ImDrawList& list, const Theme& theme,
                TextureStore& textures, const std::string& key, std::uint64_t version) {
  const ScreenPainter::CellTexture texture{textures, key, version};
  ScreenPainter painter(origin, list, theme, &texture);
  paint(plan, {}, painter);
}

void outline_cell(const Theme& theme, const HeatmapPlan& plan, ImVec2 origin, const HeatmapPlan::Cell& cell,
                  Color color) {
  const Rect place = plan.cell_rect(cell.row, cell.column);
  const ImVec2 at = {origin.x + static_cast<float>(place.x), origin.y + static_cast<float>(place.y)};
  ImGui::GetWindowDrawList()->AddRect(
      at, {at.x + static_cast<float>(place.width), at.y + static_cast<float>(place.height)}, to_imgui(color),
      0, 0, std::max(1.0f, theme.px(1.5f)));
}

void paint_drawing(const Drawing& drawing, ImVec2 origin, ImDrawList& list, const Theme& theme) {
  ScreenPainter painter(origin, list, theme, nullptr);
  paint(drawing, {}, painter);
}

}  // namespace headlight
