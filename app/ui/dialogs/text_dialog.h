// Tokens from a sentence: the text is split, each different token is given a vector, and all tokens of the
// session are replaced in one step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"
#include "engine/layer/tokenize.h"

namespace headlight {

struct TextDialogState {
  bool open = false;
  std::string text, seed_text = "123", d_in_text = "3", table_path;
  std::string message;
  std::size_t agreed_count = 0;  // token count of a long text that the user has confirmed
  FocusRequest focus;
  // The tokens of `split_text`; split again only if the text changes.
  std::string split_text;
  std::vector<std::string> tokens;
  std::size_t distinct = 0;
};

// Starts with the tokens of the session.
void open_text_dialog(TextDialogState& state, const Layer& layer);

// The command for the fields' values. Throws Error: no tokens, an invalid seed or d_in, a table with an
// invalid line or without one of the tokens.
ReplaceTokens tokens_from_text(const TextDialogState& state);

// Draws the dialog while it is open; sends ReplaceTokens. Names: "text.input", "text.seed", "text.d_in",
// "text.table", "text.count", "text.message", "text.ok", "text.cancel".
void text_dialog(UiContext& ui, TextDialogState& state);

}  // namespace headlight
