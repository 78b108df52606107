// The right side: how the cell under the pointer, or the selected one, came about, with the real numbers;
// with no cell, what is worth a look.
//
// Names: "inspector.cell", "inspector.place", "inspector.value" (in full), "inspector.step.<stage>" with
// ".fold", ".more", ".term.<n>" and its ".left" and ".right", and each folded-out line by its label;
// "inspector.row" with ".fold"; "inspector.code", the switch for lines of PyTorch, which stand at
// "inspector.step.<stage>.code", and "inspector.code.copy"; "inspector.worth.<n>".
#pragma once

#include "app/ui/context/ui_context.h"
#include "app/ui/inspector/derivation_plan.h"
#include "app/ui/inspector/worth.h"
#include "engine/programs/program_text.h"

namespace headlight {

// The code of the steps, as it was made for a state of the document.
struct ShownCode {
  bool shown = false;
  std::uint64_t revision = 0;
  Stage last = Stage::Weights;
  std::vector<StageCode> lines;
};

// What the panel remembers from frame to frame.
struct InspectorState {
  float header_room = 0;  // in pixels, kept free at the right of the first line for what stands there
  Folds folds;
  ShownCode code;
  LastChange change;
  // By how many pixels a lesson below is lower than usual: less than 0 where it is higher. And what the
  // selected cell's derivation, with what the last change moved below it, leaves beside a usual one.
  float lesson_px = 0, free_px = 0;
  // The cell whose derivation was brought to its last step, in a room so high.
  std::optional<CellAddress> brought;
  float brought_room = 0;
  // What the pointer is on in this panel: it lights up elsewhere, and the panel stays with its cell.
  std::optional<CellAddress> pointed;
};

// Draws into the region that is left.
void inspector_panel(UiContext& ui, InspectorState& state);

// "weights[journey, one]", "queries[journey, 2]": a cell as lists and tests name it.
std::string cell_title(const Model& model, const CellAddress& cell, Counting counting);
// "weights · head 0 · sequence 1": where it stands; the sequence only of a batch. brief: without the
// stage's name.
std::string cell_place(const Model& model, const CellAddress& cell, Counting counting, bool brief = false);

}  // namespace headlight
