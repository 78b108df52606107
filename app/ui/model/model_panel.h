// The text of the whole model that is open, the tokens it makes, what the model expects next, and what was
// changed. Names: "model.text", "model.token.<position>", "model.prediction.<rank>", "model.continue",
// "model.change.<place>", ...
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct ModelPanelState {
  std::string typed;  // what stands in the field while it has the keyboard
  bool typing = false;
  std::uint64_t gesture = 0;  // of what is typed without leaving the field
  bool as_ids = false;        // the field holds the ids of the tokens
  bool shows_changes = false;
  bool shows_numbers = false;  // where there is no room for both: those of the layer instead
};

// One line of it: the likeliest next tokens.
void model_line(UiContext& ui);

// At the cursor, at most `height` pixels high. Precondition: a model is open.
void model_panel(UiContext& ui, ModelPanelState& state, float height);

}  // namespace headlight
