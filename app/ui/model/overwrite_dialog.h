// The dialog that overwrites values of a stage in the shown layer, with a typed number or with A's values.
// The later stages are computed from the new values.
#pragma once

#include <string>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

enum class OverwrittenPart { Cell, Row, Matrix };

// Owner: the workbench.
struct OverwriteDialogState {
  bool open = false;
  CellAddress cell;
  OverwrittenPart part = OverwrittenPart::Cell;
  bool of_baseline = false;  // true: with A's values; false: with `number`
  std::string number, message;
  FocusRequest focus;
};

// Opens the dialog when a cell is requested (ModelView::overwrites) and draws it until it is closed. Names:
// "overwrite.part.cell", ".row", ".matrix", "overwrite.with.number", ".kept", "overwrite.number",
// "overwrite.message", "overwrite.ok", "overwrite.cancel".
void overwrite_dialog(UiContext& ui, OverwriteDialogState& state);

}  // namespace headlight
