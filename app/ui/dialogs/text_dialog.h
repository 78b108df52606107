// Tokens from a sentence: what is typed or pasted is split, each different token is given a vector, and all
// tokens of the session are replaced in one step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"
#include "engine/model/tokenize.h"

namespace headlight {

struct TextDialogState {
  bool open = false;
  std::string text, seed_text = "123", d_in_text = "3", table_path;
  std::string message;
  std::size_t agreed_count = 0;  // of a long text, once one has said that it is meant
  FocusRequest focus;
  // The tokens of `split_text`: split anew only when the text changes.
  std::string split_text;
  std::vector<std::string> tokens;
  std::size_t distinct = 0;
};

// Begins with the tokens that the session has.
void open_text_dialog(TextDialogState& state, const Model& model);

// The command that the fields ask for. Throws Error: no tokens, no seed, a table with a wrong line or without
// a token.
ReplaceTokens tokens_from_text(const TextDialogState& state);

// Draws the dialog while it is open; sends ReplaceTokens. Names: "text.input", "text.seed", "text.d_in",
// "text.table", "text.count", "text.message", "text.ok", "text.cancel".
void text_dialog(UiContext& ui, TextDialogState& state);

}  // namespace headlight
