// The row view: requests, layout, the choice of the query, and the pointer.
#include "app/ui/views/row_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/row_plan.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr Index kMostListed = 200;  // tokens in the list of queries

Index value_limit(const UiContext& ui, float width) {
  const float narrowest = std::max(2.0f, ui.theme.px(3));
  return std::clamp<Index>(static_cast<Index>(width / narrowest) / 64 * 64, 64, 1024);
}

// Requests the row of every stage, and of the weights by value if that is shown; keeps the newest complete
// set of this layer and sequence.
void request_rows(UiContext& ui, RowViewState& state, Index head, Index query, Index most) {
  std::vector<std::shared_ptr<const RowSummary>> found;
  std::vector<RowRequest> requests;
  for (const Stage stage : row_stages(ui.layer()))
    requests.push_back({stage, ui.view.sequence, head, query, most});
  if (shows_by_value(ui, Stage::Weights))
    requests.push_back({Stage::Weights, ui.view.sequence, head, query, most, true});
  for (const RowRequest& request : requests) {
    ui.requested.rows.push_back(request);
    found.push_back(ui.answer ? ui.answer->find(request) : nullptr);
  }
  if (std::exchange(state.layer_revision, ui.document.layer_revision()) != ui.document.layer_revision())
    state.rows.clear();
  if (std::all_of(found.begin(), found.end(), [](const auto& row) { return row != nullptr; }))
    state.rows = found;
  if (!state.rows.empty() && (state.rows[0]->request.sequence != ui.view.sequence ||
                              state.rows.back()->request.by_value != requests.back().by_value))
    state.rows.clear();
}

// The column that contains a key; -1 if there is none.
Index column_of(const RowSummary& row, Index key) {
  const Index count = static_cast<Index>(row.values.size());
  for (Index column = count - 1; column >= 0; --column)
    if (first_key(row, column) <= key) return column;
  return -1;
}

RowFigure row_figure(const UiContext& ui, const RowViewState& state) {
  const auto& rows = state.rows;
  std::vector<const RowSummary*> each;
  each.reserve(rows.size());
  for (const auto& row : rows)
    each.push_back(row.get());
  RowFigure figure = bars_of_row(each, ui.layer().key_labels(), ui.view.picture.decimals, ui.percent());
  figure.off = is_head_off(ui.layer(), Stage::Weights, rows[0]->request.head);
  const auto column = [&](const std::optional<CellAddress>& cell) {
    return cell && is_pair(cell->stage) ? column_of(*rows[0], cell->column) : Index{-1};
  };
  figure.chosen = column(ui.view.selection.cell);
  figure.pointed = column(ui.view.selection.hovered.last);
  return figure;
}

void choose_query(UiContext& ui, Stage stage, Index head, Index query) {
  const auto& before = ui.view.selection.cell;
  const bool square = before && is_pair(before->stage);
  ui.view.selection.cell = CellAddress{square ? before->stage : stage, ui.view.sequence, head, query,
                                       square ? before->column : std::min(query, ui.layer().key_count() - 1)};
}

// The choice of the query, "‹ journey (1) ›", and a caption.
void draw_choice(UiContext& ui, const RowViewState& state, Stage stage, Index head, Index query) {
  const Index count = ui.layer().token_count();
  const float gap = ui.theme.px(4);
  if (tool_button(ui, "row.previous", "‹", "The query before (Up)", query > 0))
    choose_query(ui, stage, head, query - 1);
  ImGui::SameLine(0, gap);
  const Index from = std::clamp<Index>(query - kMostListed / 2, 0, std::max<Index>(0, count - kMostListed));
  const Index to = std::min(count, from + kMostListed);
  std::vector<Choice> choices;
  for (Index token = from; token < to; ++token)
    choices.push_back({std::to_string(token), token_name(ui.layer().tokens, token, ui.counting()), ""});
  const auto chosen = choice_box(ui, "row.query", choices, static_cast<std::size_t>(query - from),
                                 ui.theme.px(140), "The query whose row is shown (Up, Down)");
  if (chosen) choose_query(ui, stage, head, from + static_cast<Index>(*chosen));
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "row.next", "›", "The query after (Down)", query + 1 < count))
    choose_query(ui, stage, head, query + 1);
  ImGui::SameLine(0, ui.theme.px(12));
  std::string what = "how much this query looks at each key";
  if (ui.layer().head_count() > 1) what = head_name(head, ui.counting()) + ", " + what;
  if (!state.rows.empty() && state.rows[0]->total > static_cast<Index>(state.rows[0]->values.size()))
    what += "; each bar is the largest of " +
            std::to_string((state.rows[0]->total + static_cast<Index>(state.rows[0]->values.size()) - 1) /
                           static_cast<Index>(state.rows[0]->values.size())) +
            " keys";
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImFont* font = ui.theme.fonts.label;
  fitted_text(font, {at.x, at.y + (ImGui::GetFrameHeight() - font_size(font)) / 2},
              ImGui::GetContentRegionAvail().x, ui.theme.quiet_text, what);
  ImGui::NewLine();
}

void handle_keys(UiContext& ui, Stage stage, Index head, Index query) {
  if (ui.view.selection.input || ui.view.keyboard.takes_arrows || ImGui::GetIO().WantTextInput ||
      ImGui::IsAnyItemActive() || ctrl_held() || alt_held() ||
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
    return;
  if (key_pressed(Key::Up, true) && query > 0) choose_query(ui, stage, head, query - 1);
  if (key_pressed(Key::Down, true) && query + 1 < ui.layer().token_count())
    choose_query(ui, stage, head, query + 1);
}

void mark_bars(UiContext& ui, const RowPlan& plan, const RowFigure& figure, ImVec2 origin) {
  constexpr Index kMostMarked = 64;
  if (plan.lanes.empty() || plan.column_count > kMostMarked) return;
  for (std::size_t stage = 0; stage < figure.stages.size(); ++stage)
    for (Index column = 0; column < plan.column_count; ++column) {
      const RowBars& bars = figure.stages[stage];
      const std::size_t at = static_cast<std::size_t>(column);
      Rect slot = plan.slot_rect(static_cast<Index>(stage), column);
      slot.x += origin.x;
      slot.y += origin.y;
      const std::string text = bars.marks[at] == CellMark::Masked    ? "masked"
                               : bars.marks[at] == CellMark::Dropped ? "dropped"
                                                                     : number_text(bars.values[at], 4);
      ui.probe.mark_rect("row." + bars.name + "." + std::to_string(column), slot, text);
    }
}

void handle_pointer(UiContext& ui, const RowViewState& state, const RowPlan& plan, const RowFigure& figure,
                    ImVec2 origin) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const RowPlan::Slot slot = plan.slot_at(mouse.x - origin.x, mouse.y - origin.y);
  if (slot.stage < 0) return;
  const RowRequest& shown = state.rows[0]->request;
  const CellAddress cell = {
      state.rows[figure.stages[static_cast<std::size_t>(slot.stage)].row]->request.stage, shown.sequence,
      shown.head, shown.row, first_key(*state.rows[0], slot.column)};
  ui.view.selection.hovered.now = cell;
  if (ImGui::IsItemClicked()) ui.view.selection.cell = cell;
}

}  // namespace

void draw_row_view(UiContext& ui, RowViewState& state, const Area& area) {
  const Stage focused = ui.view.focused_stage;
  const Stage stage = is_pair(focused) && stage_exists(ui.layer(), focused) ? focused : Stage::Weights;
  const Index head = view_head(ui), query = view_query(ui);
  request_rows(ui, state, head, query, value_limit(ui, area.size.x));
  ImGui::SetCursorScreenPos(area.at);
  // The caption names the drawn row, which is the previous one until the new one arrives.
  const RowRequest named =
      state.rows.empty() ? RowRequest{stage, ui.view.sequence, head, query} : state.rows[0]->request;
  draw_choice(ui, state, stage, named.head, named.row);
  handle_keys(ui, stage, head, query);
  if (state.rows.empty()) return;

  const float top = ImGui::GetFrameHeight() + ui.theme.px(8);
  const ImVec2 origin = {area.at.x, area.at.y + top}, size = {area.size.x, area.size.y - top};
  const RowFigure figure = row_figure(ui, state);
  const RowPlan plan = plan_row(figure, ui.theme.figure, size.x, size.y, imgui_measure(ui.theme));
  ImGui::SetCursorScreenPos(origin);
  click_area("row", size);
  handle_pointer(ui, state, plan, figure, origin);
  paint_drawing(plan.drawing, origin, *ImGui::GetWindowDrawList(), ui.theme);
  mark_bars(ui, plan, figure, origin);
  if (const auto& bar = plan.chosen)
    ui.view.selection.pair =
        stroke_of({bar->x + double{origin.x}, bar->y + double{origin.y}, bar->width, bar->height});
}

}  // namespace headlight
