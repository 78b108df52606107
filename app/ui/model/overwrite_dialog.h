// Numbers of a stage of the layer that is shown, overwritten from here on: by hand, or with what A has there.
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
  bool of_kept = false;  // with A's numbers, else with the one that is typed
  std::string number, message;
  FocusRequest focus;
};

// Draws the dialog from when a cell is asked for (ModelView::overwrites) until it is answered. Names:
// "overwrite.part.cell", ".row", ".matrix", "overwrite.with.number", ".kept", "overwrite.number",
// "overwrite.message", "overwrite.ok", "overwrite.cancel".
void overwrite_dialog(UiContext& ui, OverwriteDialogState& state);

}  // namespace headlight
