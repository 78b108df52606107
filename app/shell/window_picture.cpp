#include "app/shell/window_picture.h"

#include "app/figure/paint/cairo_painter.h"

namespace headlight {

void save_window_picture(const Window::Picture& picture, const std::filesystem::path& path) {
  HeatmapPlan plan;
  plan.width = picture.width;
  plan.height = picture.height;
  plan.cells.rect = {0, 0, static_cast<double>(picture.width), static_cast<double>(picture.height)};
  plan.cells.rows = picture.height;
  plan.cells.columns = picture.width;
  plan.cells.colors = picture.pixels;
  for (Color& pixel : plan.cells.colors)
    pixel.a = 255;
  save_png(plan, 1, path);
}

}  // namespace headlight
