// The tokens of one sequence with their embeddings: a grid whose row labels are the tokens. Labels are
// renamed in place; a menu on each inserts, copies, moves and removes tokens.
#pragma once

#include <optional>
#include <string>

#include "app/ui/inputs/matrix_grid.h"

namespace headlight {

struct TokenListState {
  MatrixGridState grid;
  bool of_keys = false;  // shows the key tokens, where they have separate embeddings

  // The token whose label is being typed.
  std::optional<Index> renaming;
  FocusRequest focus;  // of the label's text field
  bool rename_active = false;
  bool rename_drawn = false;  // drawn in this frame: its row is visible
  std::string new_label;

  // The token added in the last frame: it is renamed as soon as it exists.
  std::optional<Index> awaited;
  std::uint64_t awaited_revision = 0;

  Index menu_row = 0;  // of the open menu
  bool menu_opens = false;
};

// Draws the list at most `max_height_px` high. Sends RenameToken, InsertToken, RemoveToken, MoveToken,
// ChangeLines and, from the cells, SetCells.
void token_list(UiContext& ui, TokenListState& state, Index sequence, float max_height_px);

// Appends a token and opens its label for typing.
void append_token(UiContext& ui, TokenListState& state);

}  // namespace headlight
