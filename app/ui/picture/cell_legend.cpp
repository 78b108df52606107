#include "app/ui/picture/cell_legend.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "app/figure/plan/hatching.h"
#include "app/figure/plan/heatmap_plan.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kSampleWidth = 30, kSampleHeight = 20, kTextGap = 6, kEntryGap = 16, kLineGap = 4;

struct KindInfo {
  std::string_view id, label, what;
};

const KindInfo& info_of(CellKind kind) {
  static constexpr std::array<KindInfo, 7> kTable = {{
      {"masked", "masked", "The query may not attend to this key: minus infinity, and a weight of zero"},
      {"dropped", "dropped", "Dropout has taken this weight out: times zero"},
      {"nan", "not a number", "Zero by zero, or infinity minus infinity: no colour of the scale"},
      {"infinite", "infinite", "The number has overflowed: no colour of the scale"},
      {"beyond", "beyond the range",
       "The colour bar is pointed where cells lie beyond it; they have the colour of that end, and in a "
       "range "
       "that was chosen a mark in their corner, ∧ above and ∨ below it"},
      {"appeared", "masked before", "Masked in the kept state, and no longer"},
      {"vanished", "masked now", "Masked now, and not in the kept state"},
  }};
  return kTable[static_cast<std::size_t>(kind)];
}

// The words for the kind, in the lesson's language if it has some.
std::string words_of(const UiContext& ui, CellKind kind) {
  const LessonLanguage& language = language_of(ui.document.session());
  if (kind == CellKind::Masked) return label_text(language, LessonLabel::Masked);
  if (kind == CellKind::Dropped) return label_text(language, LessonLabel::Dropped);
  return std::string(info_of(kind).label);
}

// One cell of the kind, as the pictures of the stage draw it.
HeatmapFigure sample_figure(CellKind kind, Stage stage) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Tile tile;
  tile.request.stage = stage;
  tile.request.row_end = tile.request.column_end = tile.total_rows = tile.total_columns = 1;
  tile.values = Matrix::Constant(1, 1, kInfinity);
  tile.marks = {CellMark::None};
  if (kind == CellKind::Masked) {
    tile.marks = {CellMark::Masked};
    tile.values(0, 0) = stage == Stage::Masked ? -kInfinity : 0.0f;
  }
  if (kind == CellKind::Dropped) tile.marks = {CellMark::Dropped};
  if (kind == CellKind::NotANumber) tile.values(0, 0) = std::numeric_limits<float>::quiet_NaN();
  if (kind == CellKind::Appeared) tile.marks = {CellMark::Appeared};
  if (kind == CellKind::Vanished) tile.marks = {CellMark::Vanished};
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(std::move(tile));
  figure.show_colorbar = false;
  return figure;
}

void draw_sample(UiContext& ui, CellKind kind, Stage stage, ImVec2 at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + ui.theme.px(kSampleWidth), at.y + ui.theme.px(kSampleHeight)};
  if (kind == CellKind::Beyond) {
    const float x = (at.x + end.x) / 2, y = (at.y + end.y) / 2, r = ui.theme.px(5);
    const ImU32 color = to_imgui(ui.theme.quiet_text);
    list.AddTriangleFilled({x - r, y - ui.theme.px(2)}, {x + r, y - ui.theme.px(2)}, {x, y - ui.theme.px(8)},
                           color);
    list.AddTriangleFilled({x - r, y + ui.theme.px(2)}, {x + r, y + ui.theme.px(2)}, {x, y + ui.theme.px(8)},
                           color);
    return;
  }
  PlanLimits limits;
  limits.cell_px = ui.theme.px(kSampleWidth) - 2;
  limits.cell_height_px = ui.theme.px(kSampleHeight) - 2;
  limits.show_title = limits.show_labels = false;
  HeatmapPlan plan =
      plan_heatmap(sample_figure(kind, stage), ui.theme.figure, limits, imgui_measure(ui.theme));
  // Smaller than a picture that is hatched.
  if (kind == CellKind::Masked && plan.hatching.segments.empty())
    add_hatching(plan.hatching, plan.cells.rect, ui.theme.figure);
  paint_plan(plan, at, list, ui.theme, ui.textures, "legend", 0);
}

float entry_width(const UiContext& ui, CellKind kind) {
  return ui.theme.px(kSampleWidth + kTextGap) + text_width(ui.theme.fonts.label, words_of(ui, kind));
}

// The position of each entry, relative to the first one, followed by {0, total height}.
std::vector<ImVec2> places(const UiContext& ui, const std::vector<CellKind>& kinds, float width) {
  std::vector<ImVec2> at;
  float x = 0, y = 0;
  for (const CellKind kind : kinds) {
    const float wide = entry_width(ui, kind);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += ui.theme.px(kSampleHeight + kLineGap);
    }
    at.push_back({x, y});
    x += wide + ui.theme.px(kEntryGap);
  }
  at.push_back({0, kinds.empty() ? 0 : y + ui.theme.px(kSampleHeight)});
  return at;
}

}  // namespace

const std::vector<CellKind>& all_cell_kinds() {
  static const std::vector<CellKind> kinds = {CellKind::Masked, CellKind::Dropped, CellKind::NotANumber,
                                              CellKind::Infinite, CellKind::Beyond};
  return kinds;
}

std::vector<CellKind> occurring_kinds(const ValueRange& range, const ColorRange& colors) {
  std::vector<CellKind> kinds;
  const auto add = [&](bool occurs, CellKind kind) {
    if (occurs) kinds.push_back(kind);
  };
  add(range.masked > 0, CellKind::Masked);
  add(range.dropped > 0, CellKind::Dropped);
  add(range.nan > 0, CellKind::NotANumber);
  add(range.infinite > 0, CellKind::Infinite);
  add(colors.below || colors.above, CellKind::Beyond);
  add(range.appeared > 0, CellKind::Appeared);
  add(range.vanished > 0, CellKind::Vanished);
  return kinds;
}

void cell_legend(UiContext& ui, const std::string& name, const std::vector<CellKind>& kinds, Stage stage,
                 float width) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const std::vector<ImVec2> at = places(ui, kinds, width);
  ImFont* font = ui.theme.fonts.label;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const KindInfo& info = info_of(kinds[i]);
    const ImVec2 place = {origin.x + at[i].x, origin.y + at[i].y};
    ImGui::SetCursorScreenPos(place);
    ImGui::Dummy({entry_width(ui, kinds[i]), ui.theme.px(kSampleHeight)});
    const std::string words = words_of(ui, kinds[i]);
    ui.probe.mark(name + "." + std::string(info.id), words);
    tooltip(ui, std::string(info.what));
    draw_sample(ui, kinds[i], stage, place);
    ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                        {place.x + ui.theme.px(kSampleWidth + kTextGap),
                                         place.y + (ui.theme.px(kSampleHeight) - font_size(font)) / 2},
                                        to_imgui(ui.theme.quiet_text), drawn_text(words).c_str());
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({width, at.back().y});
}

float cell_legend_height(const UiContext& ui, const std::vector<CellKind>& kinds, float width) {
  return places(ui, kinds, width).back().y;
}

}  // namespace headlight
