// The shown heads of a stage, and the shape of their pictures.
#pragma once

#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

// The number of a head on screen: "1" for the first.
std::string head_number(const UiContext& ui, Index head);

// The shown heads of a stage, in numerical order.
std::vector<Index> shown_heads(const UiContext& ui, Stage stage);

// The weights of a query's first `most` keys, as ui.view.head chooses: of that head, or of all heads together
// as `pool` says, which is Mean or Maximum. Requests them; empty until one head is computed. 0: masked.
std::vector<float> weights_of_query(UiContext& ui, Index query, Index most, HeadPool pool);

// Width by height of one picture of a stage with square cells, within limits.
float picture_aspect(const Layer& layer, Stage stage);

// Whether the session's stages do not fit into memory (StorageKind::Map): functions that need all their cells
// are then unavailable.
bool is_mapped(const UiContext& ui);

}  // namespace headlight
