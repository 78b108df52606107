#include "app/ui/picture/compared_states.h"

#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/tile_source.h"

namespace headlight {

ComparedContents compared_contents(const UiContext& ui, Stage stage) {
  if (shows_by_value(ui, stage))
    return {TileContent::ValueWeightedReference, TileContent::ValueWeighted,
            TileContent::ValueWeightedDifference};
  return {TileContent::Reference, TileContent::Stage, TileContent::Difference};
}

ValueStatistics numbers_of_content(const UiContext& ui, Stage stage, TileContent content,
                                   std::optional<Index> head) {
  ValueStatistics numbers;
  for (std::size_t i = 0; ui.answer && i < ui.answer->tiles.size(); ++i) {
    const TileRequest& request = ui.answer->requested.tiles[i];
    const auto& tile = ui.answer->tiles[i];
    if (!tile || request.stage != stage || request.content != content) continue;
    if (head && stage_info(stage).per_head && request.head != *head) continue;
    numbers = joined(numbers, statistics_of(*tile));
  }
  return numbers;
}

ValueStatistics numbers_of_states(const UiContext& ui, Stage stage, std::optional<Index> head) {
  const ComparedContents contents = compared_contents(ui, stage);
  return joined(numbers_of_content(ui, stage, contents.kept, head),
                shown_numbers(ui, stage, head, ui.view.picture.colors_of(stage), contents.now));
}

ColorRange range_of_states(const UiContext& ui, Stage stage, std::optional<Index> head) {
  const ValueStatistics numbers = numbers_of_states(ui, stage, head);
  return color_range(numbers, picture_colors(ui.view.picture.colors_of(stage), stage, numbers.range), stage);
}

bool is_compared(const UiContext& ui, Stage stage) {
  return ui.view.focus_view == FocusView::Compare && ui.view.baseline.layer && !is_mapped(ui) &&
         ui.view.opened_stage.value_or(ui.view.focused_stage) == stage;
}

}  // namespace headlight
