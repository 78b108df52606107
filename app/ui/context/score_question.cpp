#include "app/ui/context/score_question.h"

#include <algorithm>
#include <cctype>

#include "engine/analysis/score_parts.h"
#include "engine/core/error.h"

namespace headlight {

bool has_score_question(const UiContext& ui, const CellAddress& cell) {
  return ui.view.model.work && is_pair(cell.stage) && address_exists(ui.layer(), cell);
}

std::string why_no_score_parts(const UiContext& ui, const CellAddress& cell) {
  const OpenModel& work = *ui.view.model.work;
  // In words of the window, which may count from 1.
  if (work.layer.side == Side::Own && work.network->config().causal && cell.column > cell.row)
    return "The key comes after the query, which does not see it: there is no score to explain";
  const auto intervenes = [&](InterventionPlace place, Index layer) {
    return std::any_of(work.on.interventions.begin(), work.on.interventions.end(),
                       [&](const auto& one) { return one->place == place && one->layer == layer; });
  };
  try {
    require_score(*work.network, {token_count(work), work.on.patches, intervenes},
                  {work.layer.layer, cell.head, cell.row, cell.column});
    return "";
  } catch (const Error& refusal) {
    std::string reason = refusal.summary();
    reason.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(reason.front())));
    return reason;
  }
}

void ask_score_parts(UiContext& ui, const CellAddress& cell) {
  ViewState& view = ui.view;
  ModelView& model = view.model;
  view.selection.cell = cell;
  if (view.opened_stage) view.focused_stage = *view.opened_stage;
  view.opened_stage.reset();  // a picture at full size has the room of the pages too
  if (!model.pages_beside) view.focus_view = FocusView::Model;
  model.page = ModelPage::Analyses;
  model.set.asks = false;  // the pair is one of the open text
  AnalysisView& page = model.analyses;
  page.asked.kind = AnalysisKind::Score;
  page.table = 0;
  page.layer.reset();
  page.head = ui.shown_head() == cell.head ? std::nullopt : std::optional<Index>(cell.head);
}

std::string why_not_selected_score(const UiContext& ui) {
  const std::optional<CellAddress>& cell = ui.view.selection.cell;
  return cell && has_score_question(ui, *cell) ? why_no_score_parts(ui, *cell) : "";
}

bool can_ask_selected_score(const UiContext& ui) {
  const std::optional<CellAddress>& cell = ui.view.selection.cell;
  return cell && has_score_question(ui, *cell) && why_no_score_parts(ui, *cell).empty();
}

void ask_selected_score(UiContext& ui) {
  ask_score_parts(ui, CellAddress(*ui.view.selection.cell));
}

}  // namespace headlight
