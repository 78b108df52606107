// How much each token of a text surprises the open model: its loss, as a colour and in words.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct WordColors {
  Color ground, ink;
};
// The colours of a token's word, from a probability of 100 % to one of 0.1 % and below, on a logarithmic
// scale. nullopt where the model has not predicted it: the first token, a text that is still computed.
std::optional<WordColors> surprise_colors(const UiContext& ui, Index token);

// The token with the largest loss; nullopt if there are no losses.
std::optional<Index> most_surprising(const ModelView& model);

// Two quiet lines: the loss per token, and the most surprising token; while words are coloured, their scale
// in the place of the first. Returns, if it was clicked, the token before it: that from which another one was
// expected. Probe names: "line.loss", "line.surprise", "line.surprise.scale".
std::optional<Index> surprise_lines(UiContext& ui, ImVec2 at, float width);
// The height of the lines.
float surprise_lines_height(const UiContext& ui);

}  // namespace headlight
