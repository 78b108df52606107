// The tokens of a model without embeddings: a list of names that are typed over.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct TokenNamesState {
  std::optional<Index> typing;  // the token whose name is being typed
  std::string typed;
};

// Draws the list no higher than `max_height_px`, of the tokens that are attended to or of those that ask.
// Sends RenameToken. Probed as "inputs.token[<i>]".
void token_names(UiContext& ui, TokenNamesState& state, bool of_keys, float max_height_px);
// How high it is with so many tokens in sight.
float token_names_height(Index count);

}  // namespace headlight
