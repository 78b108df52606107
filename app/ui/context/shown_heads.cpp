#include "app/ui/context/shown_heads.h"

#include <algorithm>

namespace headlight {

std::string head_number(const UiContext& ui, Index head) {
  return ui.counting().number(head);
}

std::vector<Index> shown_heads(const UiContext& ui, Stage stage) {
  std::vector<Index> heads;
  const Index count = stage_heads(ui.layer(), stage);
  for (Index head = 0; head < count; ++head)
    if (count == 1 || !ui.view.head || stage_head(ui.layer(), stage, *ui.view.head) == head)
      heads.push_back(head);
  return heads;
}

std::vector<float> weights_of_query(UiContext& ui, Index query, Index most, HeadPool pool) {
  std::vector<float> weights;
  float added = 0;
  for (const Index head : shown_heads(ui, Stage::Weights)) {
    const RowRequest request{Stage::Weights, ui.view.sequence, head, query, most};
    ui.requested.rows.push_back(request);
    const auto row = ui.answer ? ui.answer->find(request) : nullptr;
    if (!row) continue;
    weights.resize(row->values.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const bool open = i >= row->marks.size() || row->marks[i] == CellMark::None;
      const float weight = open ? row->values[i] : 0;
      weights[i] = pool == HeadPool::Maximum ? std::max(weights[i], weight) : weights[i] + weight;
    }
    ++added;
  }
  if (pool == HeadPool::Mean)
    for (float& weight : weights)
      weight /= added;
  return weights;
}

float picture_aspect(const Layer& layer, Stage stage) {
  return std::clamp(
      static_cast<float>(stage_columns(layer, stage)) / static_cast<float>(stage_rows(layer, stage)), 0.35f,
      3.0f);
}

bool is_mapped(const UiContext& ui) {
  return ui.answer && ui.answer->storage == StorageKind::Map;
}

}  // namespace headlight
