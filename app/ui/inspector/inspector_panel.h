// The panel on the right: derives the value of the cell under the pointer, or of the selected cell, with its
// actual numbers; without a cell, lists heads and pairs that stand out.
//
// Names: "inspector.cell", "inspector.place", "inspector.value" (all digits), "inspector.step.<stage>" with
// ".fold", ".more", ".term.<n>" and its ".left" and ".right", and each unfolded line by its label;
// "inspector.row" with ".fold"; "inspector.code" (the switch for lines of PyTorch),
// "inspector.step.<stage>.code" (the lines), "inspector.code.copy"; "inspector.worth.<n>".
#pragma once

#include "app/lesson_text/lesson_labels.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/inspector/derivation_plan.h"
#include "app/ui/inspector/highlights.h"
#include "engine/programs/program_text.h"

namespace headlight {

// The code of the steps for one revision of the document.
struct ShownCode {
  bool shown = false;
  std::uint64_t revision = 0;
  Stage last = Stage::Weights;
  std::vector<StageCode> lines;
};

inline constexpr float kUsualDerivation = 216;  // planned pixels for a derivation in a card

// The panel's state between frames.
struct InspectorState {
  float header_room = 0;  // pixels left free at the right of the first line for other widgets
  Folds folds;
  ShownCode code;
  LastChange change;
  std::optional<CellAddress> shown;  // in the last frame
  float derivation_px = 0;  // the height of the last drawn derivation where it has `kUsualDerivation`
  // The cell whose derivation was scrolled to its last step, and the region's height then.
  std::optional<CellAddress> brought;
  float brought_room = 0;
  // The cell of an input whose gradient is shown: it stays while the pointer is on the panel.
  std::optional<InputCell> input;
  // The cell that is hovered through this panel: highlighted elsewhere, but not shown here.
  std::optional<CellAddress> pointed;
};

// The height of the cell's name and value above its derivation.
float inspector_head_height(const UiContext& ui);

// Draws into the remaining region.
void inspector_panel(UiContext& ui, InspectorState& state);

// "weights[journey, one]", "queries[journey, 2]": the cell's name in lists and tests.
std::string cell_title(const Layer& layer, const CellAddress& cell, Counting counting,
                       const LessonLanguage& language = english());
// "weights · head 0 · sequence 1"; the sequence only in a batch. brief: without the stage's name.
std::string cell_place(const Layer& layer, const CellAddress& cell, Counting counting, bool brief = false,
                       const LessonLanguage& language = english());

}  // namespace headlight
