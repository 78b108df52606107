// The end of a beam of the sentence, pulled with the mouse or the keys to another word.
#pragma once

#include "app/ui/start/sentence_panel.h"

namespace headlight {

// Follows the hand: sets `state.supposed`, and drops it on Escape, on a click beside everything, and where
// the text is another one. Call before the words are drawn, which a beam's end covers. Returns whether what
// is supposed has changed. Probe name: "sentence.pull", while the pointer is at a beam (its value: the key's
// token). Precondition: the plan shows the query.
bool pull_beam(UiContext& ui, SentenceState& state, const SentencePlan& plan, const SentenceBeams& planned);

}  // namespace headlight
