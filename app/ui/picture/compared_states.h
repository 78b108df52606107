// The numbers of the two states that the view *Compare* shows, and the range of colours that both share with
// every other picture of the stage.
#pragma once

#include <optional>

#include "app/figure/color/color_scale.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// What the pictures show of a stage, or of weights by value.
struct ComparedContents {
  TileContent kept, now, difference;
};
ComparedContents compared_contents(const UiContext& ui, Stage stage);

// Of the newest answer; of all heads, or of one.
ValueStatistics numbers_of_content(const UiContext& ui, Stage stage, TileContent content,
                                   std::optional<Index> head);
ValueStatistics numbers_of_states(const UiContext& ui, Stage stage, std::optional<Index> head);
// In the colours of the stage.
ColorRange range_of_states(const UiContext& ui, Stage stage, std::optional<Index> head);

// Whether *Compare* shows the stage at large.
bool is_compared(const UiContext& ui, Stage stage);

}  // namespace headlight
