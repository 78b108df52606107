// Searches tokens by text or number, for the palette.
#include <algorithm>

#include "app/ui/main_window/palette.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/text_entry.h"
#include "engine/core/ascii.h"

namespace headlight {
std::vector<Index> matching_tokens(const Layer& layer, const std::string& query, std::size_t most,
                                   Counting counting) {
  const std::string wanted = lowered(query);
  std::vector<Index> begin, inside;
  for (Index i = 0; i < layer.token_count() && begin.size() < most; ++i) {
    const std::string label = lowered(text_head(layer.tokens[static_cast<std::size_t>(i)], kMostLabel));
    if (counting.number(i) == wanted || label.starts_with(wanted))
      begin.push_back(i);
    else if (inside.size() < most && label.find(wanted) != std::string::npos)
      inside.push_back(i);
  }
  begin.insert(begin.end(), inside.begin(), inside.end());
  if (begin.size() > most) begin.resize(most);
  return begin;
}

void go_to_token(UiContext& ui, WorkbenchState& state, Index token) {
  select_cell(state.inputs.tokens.grid, token, 0);
  const Stage stage = ui.view.opened_stage.value_or(ui.view.focused_stage);
  // In a T x T stage, selects the token as its own key: every mask but a painted one allows that.
  const Index column = is_pair(stage) ? std::min(token, ui.layer().key_count() - 1) : 0;
  const Index head = stage_head(ui.layer(), stage, view_head(ui));
  const CellAddress cell = {stage, ui.view.sequence, head, token, column};
  if (address_exists(ui.layer(), cell)) ui.view.selection.cell = cell;
}

}  // namespace headlight
