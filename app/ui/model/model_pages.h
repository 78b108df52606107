// The view "model" in the centre: every head of every layer, what each layer would predict, which parts make
// a prediction, and what another text's stream would do to it. Names: "model.page.heads",
// "model.head.<layer>. <head>", "model.lens", "model.parts", "model.patches", ...
#pragma once

#include "app/ui/kit/area.h"

namespace headlight {

struct ModelPagesState {
  std::optional<HeadMeasure> measure;  // told below each head's picture
  bool sorted = false;                 // by it; else layer by layer
};

void model_pages(UiContext& ui, ModelPagesState& state, const Area& area);

// The pages, each in what is left below the row that chooses them.
void heads_page(UiContext& ui, ModelPagesState& state, const Area& area);
void lens_page(UiContext& ui, const Area& area);
void parts_page(UiContext& ui, const Area& area);
void patches_page(UiContext& ui, const Area& area);

// What is said where there is nothing to draw.
void page_note(const UiContext& ui, const Area& area, const std::string& text);
// "“ mat”", "“ mat” − “ rug”": the logit that is told of. "the likeliest token “ mat”" where none was
// clicked.
std::string choice_text(const UiContext& ui);
// Opens a layer and one of its heads as the window shows layers.
void open_head(UiContext& ui, Index layer, std::optional<Index> head);

}  // namespace headlight
