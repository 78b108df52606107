// Draws a heatmap's plan or a diagram's drawing into the window, and measures text as it will be drawn there.
#pragma once

#include <cstdint>
#include <string>

#include <imgui.h>

#include "app/figure/plan/drawing.h"
#include "app/figure/plan/heatmap_plan.h"
#include "app/platform/texture_store.h"
#include "app/ui/context/theme.h"

namespace headlight {

// Draws `plan` with its top left corner at `origin`, in the order of app/figure/paint/painter.h, which is
// also the order in files. The plan's sizes are window pixels. Cells of more than 24 rows or columns become
// one texture, stored under `key` and uploaded when `version` changes. The plan's background is not painted:
// the panel has it already.
void paint_plan(const HeatmapPlan& plan, ImVec2 origin, ImDrawList& list, const Theme& theme,
                TextureStore& textures, const std::string& key, std::uint64_t version);

// A line around a cell of the plan that is drawn at `origin`.
void outline_cell(const Theme& theme, const HeatmapPlan& plan, ImVec2 origin, const HeatmapPlan::Cell& cell,
                  Color color);

// Draws a picture that is not a heatmap, in the same way.
void paint_drawing(const Drawing& drawing, ImVec2 origin, ImDrawList& list, const Theme& theme);

// A dashed line, as a drawing has it. width, dash: pixels.
void draw_dashed_line(ImDrawList& list, ImVec2 a, ImVec2 b, ImU32 color, float width, float dash);

// Measures with the theme's fonts, which must outlive the returned function.
MeasureText imgui_measure(const Theme& theme);

// The font closest to an em of `size_px`, and the ImGui size to draw it with.
struct SizedFont {
  ImFont* font = nullptr;
  float size = 0;
};
SizedFont sized_font(const Fonts& fonts, double size_px, FontFace face);

}  // namespace headlight
