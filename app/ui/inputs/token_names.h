// The tokens of a model without embeddings: an editable list of names.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct TokenNamesState {
  std::optional<Index> typing;  // the token whose name is being typed
  std::string typed;
};

// Draws the list at most `max_height_px` high, of the key tokens or of the query tokens. Sends RenameToken.
// Probed as "inputs.token[<i>]".
void token_names(UiContext& ui, TokenNamesState& state, bool of_keys, float max_height_px);
// The height of the list with so many visible tokens.
float token_names_height(Index count);

}  // namespace headlight
