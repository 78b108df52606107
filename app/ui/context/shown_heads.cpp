#include "app/ui/context/shown_heads.h"

#include <algorithm>

namespace headlight {

std::string head_number(const UiContext& ui, Index head) {
  return ui.counting().number(head);
}

std::vector<Index> shown_heads(const UiContext& ui, Stage stage) {
  std::vector<Index> heads;
  const Index count = stage_heads(ui.model(), stage);
  for (Index head = 0; head < count; ++head)
    if (count == 1 || !ui.view.head || stage_head(ui.model(), stage, *ui.view.head) == head)
      heads.push_back(head);
  return heads;
}

float picture_aspect(const Model& model, Stage stage) {
  return std::clamp(
      static_cast<float>(stage_columns(model, stage)) / static_cast<float>(stage_rows(model, stage)), 0.35f,
      3.0f);
}

bool is_mapped(const UiContext& ui) {
  return ui.answer && ui.answer->storage == StorageKind::Map;
}

}  // namespace headlight
