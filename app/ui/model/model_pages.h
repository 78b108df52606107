// The view "model" in the centre: all heads of all layers, the logit lens, the attribution of a logit, and
// activation patching. Names: "model.page.heads", "model.head.<layer>.<head>", "model.lens", "model.parts",
// "model.patches", ...
#pragma once

#include "app/ui/widgets/area.h"

namespace headlight {

struct ModelPagesState {
  std::optional<HeadMeasure> measure;  // shown below each head's picture
  bool sorted = false;                 // by the measure; false: by layer
};

void model_pages(UiContext& ui, ModelPagesState& state, const Area& area);

// The pages, each drawn below the row of page buttons.
void heads_page(UiContext& ui, ModelPagesState& state, const Area& area);
void lens_page(UiContext& ui, const Area& area);
void parts_page(UiContext& ui, const Area& area);
void patches_page(UiContext& ui, const Area& area);

// The message of a page that has nothing to draw.
void page_note(const UiContext& ui, const Area& area, const std::string& text);
// The logit that is shown: "“ mat”" or "“ mat” − “ rug”"; "the likeliest token “ mat”" if the user has
// clicked no token.
std::string choice_text(const UiContext& ui);
// Opens a layer, and one of its heads if given, in the heatmap of the weights.
void open_head(UiContext& ui, Index layer, std::optional<Index> head);

}  // namespace headlight
