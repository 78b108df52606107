#include "app/ui/start/lesson_pictures.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/figure/color/color_scale.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

constexpr Index kMostCells = 16;  // per row and column

Tile first_stage(const std::filesystem::path& file) {
  try {
    Session session = load_session(file);
    TileRequest request;
    request.max_rows = request.max_columns = kMostCells;
    if (session.lesson) {
      request.stage = session.lesson->stage;
      request.head = session.lesson->head;
    }
    return evaluate(std::move(session.layer)).tile(request);
  } catch (const Error&) {
    return {};
  }
}

// Null while it is not computed yet.
const Tile* find_picture(UiContext& ui, LessonPictures& pictures, const std::filesystem::path& lesson) {
  const std::string key = lesson.string();
  if (auto made = pictures.next.take()) pictures.tiles.insert(std::move(*made));
  const auto found = pictures.tiles.find(key);
  if (found != pictures.tiles.end()) return &found->second;
  constexpr int kShown = 3;  // frames before the first picture is computed: the window appears first
  if (!pictures.next.running() && ImGui::GetFrameCount() >= kShown)
    pictures.next.start([key, lesson] { return std::pair(key, first_stage(lesson)); });
  ui.wake_within(0.01);
  ui.view.lesson.fading = true;  // the picture will change
  return nullptr;
}

}  // namespace

void lesson_picture(UiContext& ui, LessonPictures& pictures, const std::filesystem::path& lesson, ImVec2 at,
                    float side) {
  const Tile* tile = find_picture(ui, pictures, lesson);
  if (!tile || tile->values.size() == 0) return;
  const Stage stage = tile->request.stage;
  const StageColors colors = picture_colors({}, stage, tile->range);
  const ColorRange range = color_range({tile->range, {}}, colors, stage);
  const Colormap map = Colormap::of(colormap_of(colors, stage), ui.theme.figure.neutral);
  const Index rows = tile->values.rows(), columns = tile->values.cols();
  const float cell = std::max(1.0f, std::floor(side / static_cast<float>(std::max(rows, columns))));
  const ImVec2 origin = {std::floor(at.x + (side - cell * static_cast<float>(columns)) / 2),
                         std::floor(at.y + (side - cell * static_cast<float>(rows)) / 2)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float gap = cell >= 4 ? 1.0f : 0.0f;
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column) {
      const ImVec2 a = {origin.x + cell * static_cast<float>(column),
                        origin.y + cell * static_cast<float>(row)};
      const ImVec2 b = {a.x + cell - gap, a.y + cell - gap};
      const float value = tile->values(row, column);
      if (tile->mark(row, column) != CellMark::None || !std::isfinite(value))
        list.AddRect(a, b, to_imgui(ui.theme.line));
      else
        list.AddRectFilled(a, b, to_imgui(map.at(range.share(value))));
    }
}

}  // namespace headlight
