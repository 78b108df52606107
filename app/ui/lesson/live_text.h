// A lesson's text with the engine's newest numbers in it.
#pragma once

#include <string>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/rich_text.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// What a lesson's text may look back on: its own numbers, with the settings of a step and as it opened.
struct OwnNumbers {
  Evaluator first, opened;
};

// A slider in the place of one of the runs.
struct PlacedSlider {
  std::size_t run = 0;
  TextSlider slider;
};

struct LiveText {
  std::vector<TextRun> runs;
  std::vector<PlacedSlider> sliders;
};

// A text with its conditions decided and its references filled in from the newest answer, which is asked for
// them. Live numbers are accented. `own`: null where nothing is looked back on.
LiveText live_text(UiContext& ui, const std::string& text, Index sequence, Index head, const OwnNumbers* own);

// The number that a text references, which is asked for; none while it is not known, or where it is no
// number.
std::optional<double> live_number(UiContext& ui, const std::string& text, Index sequence, Index head);

// The runs as one text.
std::string plain_text(const std::vector<TextRun>& runs);

}  // namespace headlight
