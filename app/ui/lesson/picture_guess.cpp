#include "app/ui/lesson/picture_guess.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/judging.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr double kLeastBars = 96, kBarGap = 8, kMostBarWidth = 72;  // planned pixels

ImVec2 low_of(const Rect& rect) {
  return {static_cast<float>(rect.x), static_cast<float>(rect.y)};
}
ImVec2 high_of(const Rect& rect) {
  return {static_cast<float>(rect.right()), static_cast<float>(rect.bottom())};
}

// The row of numbers that bars are drawn of; none of a column or of gradients.
std::optional<TextReference> row_of_bars(const LessonQuestion& question) {
  if (!question.bars) return std::nullopt;
  const TextReference list = references_of(question.bars->list.pieces()).front();
  const bool row = list.is_row() && !list.parameter && !list.gradient && list.kind == ReferenceKind::Value;
  return row ? std::optional(list) : std::nullopt;
}

bool shows_all(const UiContext& ui, const LargePicture& picture, Stage stage, Index head, Index sequence) {
  const bool same = picture.stage == stage && ui.view.sequence == sequence &&
                    (!stage_info(stage).per_head || picture.head == head);
  return same && !is_zoomed(ui, stage) && picture.cell_height >= 1;
}

Rect cell_of(const LargePicture& picture, Index row, Index column) {
  return {picture.cells.x + picture.cell_width * static_cast<double>(column),
          picture.cells.y + picture.cell_height * static_cast<double>(row), picture.cell_width,
          picture.cell_height};
}

// The places of the cells and of their names.
GuessPlan plan_marks(const UiContext& ui, const AskedMarks& marks, const LargePicture& picture) {
  GuessPlan plan;
  const double beside = double{ui.theme.px(64)}, above = double{ui.theme.px(24)};
  for (const Index row : marks.rows) {
    for (const Index column : marks.columns)
      plan.slots.push_back(cell_of(picture, row, column));
    plan.row_names.push_back(
        {picture.cells.x - beside, cell_of(picture, row, 0).y, beside, picture.cell_height});
  }
  for (const Index column : marks.columns)
    plan.column_names.push_back(
        {cell_of(picture, 0, column).x, picture.cells.y - above, picture.cell_width, above});
  return plan;
}

// The row at the bottom of the picture, and the bars on it, as high as the room above it.
struct RowGuess {
  Rect row;
  GuessPlan bars;  // no slots: there is no room
};
RowGuess plan_row(const UiContext& ui, const AskedBars& asked, Index count, const LargePicture& picture) {
  const double px = double{ui.theme.scale}, high = picture.cell_height,
               line = 1.5 * double{font_size(ui.theme.fonts.number)};
  RowGuess plan{{picture.cells.x, picture.cells.bottom() - high, picture.cells.width, high}, {}};
  const double top = picture.cells.y + line, bottom = plan.row.y - kBarGap * px;
  if (bottom - top < kLeastBars * px) return plan;
  plan.bars.low = asked.low;
  plan.bars.high = asked.high;
  const double gap = std::min(kBarGap * px, picture.cell_width / 4);
  const double width = std::max(1.0, std::min(picture.cell_width - gap, kMostBarWidth * px));
  for (Index bar = 0; bar < count; ++bar) {
    const double x = picture.cells.x + picture.cell_width * (static_cast<double>(bar) + 0.5) - width / 2;
    plan.bars.slots.push_back({std::floor(x), top, width, bottom - top});
  }
  return plan;
}

// The two ends of the bars, where the names of the rows were.
void draw_ends(const UiContext& ui, const AskedBars& asked, const GuessPlan& bars, double x) {
  ImFont* const font = ui.theme.fonts.label;
  for (const double number : {asked.low, asked.high}) {
    const std::string text = number_text(static_cast<float>(number), 2);
    const double y = bars.y_of(number) - double{font_size(font)} / 2;
    ImGui::GetWindowDrawList()->AddText(
        font, font_size(font),
        {std::floor(static_cast<float>(x) - text_width(font, text) - ui.theme.px(6)),
         std::floor(static_cast<float>(y))},
        to_imgui(ui.theme.quiet_text), text.c_str());
  }
}

// The plan with the texts of one row alone: its name and its numbers. `row`: its place in the plan.
HeatmapPlan plan_of_row(HeatmapPlan plan, const Rect& row) {
  std::erase_if(plan.texts, [&](const PlannedText& text) {
    return text.angle_deg != 0 || text.y < row.y || text.y > row.bottom() || text.x > row.right();
  });
  return plan;
}

// Covers the picture, and draws its asked row, with its name, at the bottom.
void draw_row(UiContext& ui, const HeatmapCache::Entry& entry, const LargePicture& picture, Index row,
              const Rect& at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = entry.origin.x;
  const Rect &cells = picture.cells, from = cell_of(picture, row, 0);
  list.AddRectFilled({left, low_of(cells).y - 1}, {high_of(cells).x + 1, high_of(cells).y + 1},
                     to_imgui(ui.theme.panel));
  list.PushClipRect({left, low_of(at).y}, high_of(at), true);
  const ImVec2 origin = {entry.origin.x, entry.origin.y + static_cast<float>(at.y - from.y)};
  const Rect in_plan = {from.x - double{entry.origin.x}, from.y - double{entry.origin.y}, cells.width,
                        from.height};
  paint_plan(plan_of_row(entry.plan, in_plan), origin, list, ui.theme, ui.textures, picture.name,
             entry.version);
  list.PopClipRect();
  ui.probe.mark_rect("lesson.guess.row", at);
}

// Runs `body` in a window over the picture: without inputs the picture below takes the pointer.
template <class Body>
void over(const Rect& place, bool inputs, Body body) {
  ImGui::SetCursorScreenPos(low_of(place));
  begin_child("guess", {static_cast<float>(place.width), static_cast<float>(place.height)}, false,
              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                  ImGuiWindowFlags_NoScrollWithMouse | (inputs ? 0 : ImGuiWindowFlags_NoInputs));
  body();
  ImGui::EndChild();
}

void draw_drafted(UiContext& ui, LessonGuide& guide, const LessonQuestion& question, ShownGuess& shown,
                  const GuessPlan& plan) {
  if (draw_guess(ui, question, shown, plan, {0, 0}, GuessPlace::Picture))
    guide.drafts[guide.step] = shown.guess;
}

bool marks_in(UiContext& ui, LessonGuide& guide, const LessonQuestion& question, const LargePicture& picture,
              ShownGuess& shown) {
  const AskedMarks& marks = *question.marks;
  if (!shows_all(ui, picture, marks.stage, marks.head, marks.sequence)) return false;
  const GuessPlan plan = plan_marks(ui, marks, picture);
  const double x = plan.row_names.front().x, y = plan.column_names.front().y;
  over({x, y, picture.cells.right() - x, picture.cells.bottom() - y}, shown.editable,
       [&] { draw_drafted(ui, guide, question, shown, plan); });
  return true;
}

bool row_in(UiContext& ui, LessonGuide& guide, const LessonQuestion& question, HeatmapCache& cache,
            const LargePicture& picture, ShownGuess& shown) {
  const auto list = row_of_bars(question);
  if (!list || guide.whole_picture || !shows_all(ui, picture, list->stage, list->head, list->sequence))
    return false;
  const RowGuess plan = plan_row(ui, *question.bars, shown.guess.cols(), picture);
  if (plan.bars.slots.empty()) return false;
  const HeatmapCache::Entry& entry = cache.entry(picture.name);
  const double x = double{entry.origin.x}, y = picture.cells.y;
  over({x, y, picture.cells.right() + 1 - x, picture.cells.height + 1}, true, [&] {
    draw_row(ui, entry, picture, list->row, plan.row);
    draw_ends(ui, *question.bars, plan.bars, picture.cells.x);
    draw_drafted(ui, guide, question, shown, plan.bars);
  });
  return true;
}

// The cell that is chosen as the answer, and once it is given the right one.
void cell_in(UiContext& ui, LessonGuide& guide, const AskedCell& asked, const LargePicture& picture) {
  if (!shows_all(ui, picture, asked.stage, asked.head, ui.view.sequence)) return;
  const auto given = guide.answers.find(guide.step);
  const auto chosen = guide.chosen_cells.find(guide.step);
  const std::optional<CellAddress> cell = given != guide.answers.end()         ? given->second.cell
                                          : chosen != guide.chosen_cells.end() ? std::optional(chosen->second)
                                                                               : std::nullopt;
  const bool known = is_revealed(ui, guide);
  const double filled = answer_moment(ui, guide).filled;
  const auto mark = [&](Index row, Index column, bool guessed, bool right) {
    const Rect place = cell_of(picture, row, column);
    draw_guessed_mark(ui, guessed, known ? std::optional(right) : std::nullopt, filled, low_of(place),
                      high_of(place));
  };
  over(picture.cells, false, [&] {
    const bool right = cell && is_right(asked, *cell);
    if (cell && address_exists(ui.layer(), *cell)) mark(cell->row, cell->column, true, right);
    if (known && !right) mark(asked.at[0], asked.at[1], false, true);
  });
}

}  // namespace

std::optional<Stage> stage_of_guess(const LessonQuestion& question) {
  if (question.marks) return question.marks->stage;
  const auto list = row_of_bars(question);
  return list ? std::optional(list->stage) : std::nullopt;
}

void guess_in_picture(UiContext& ui, LessonGuide& guide, HeatmapCache& cache) {
  guide.in_picture = false;
  const LessonStep* const step = guide.walk ? nullptr : shown_step(ui, guide);
  if (!step || !step->question || ui.view.focus_view != FocusView::Heatmap) return;
  const LessonQuestion& question = *step->question;
  const std::vector<LargePicture> pictures = cache.pictures();
  if (question.cell)
    for (const LargePicture& picture : pictures)
      cell_in(ui, guide, *question.cell, picture);
  if (!stage_of_guess(question)) return;
  ShownGuess shown = shown_guess(ui, guide, question);
  if (shown.guess.size() == 0) return;
  guide.in_picture = std::any_of(pictures.begin(), pictures.end(), [&](const LargePicture& picture) {
    return question.marks ? marks_in(ui, guide, question, picture, shown)
                          : row_in(ui, guide, question, cache, picture, shown);
  });
}

}  // namespace headlight
