// What stands above and below the large picture of a head: its number, whether it is on, and its summary.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

// Whether all heads but this one are off.
bool is_solo(const AttentionSettings& settings, Index head);

// The list of disabled heads after a click on a head's "on/off", and after one on its "solo": all others are
// off then, or all on again when it was alone already.
std::vector<Index> toggled_head(const AttentionSettings& settings, Index head);
std::vector<Index> soloed_head(const AttentionSettings& settings, Index head);

// "head 1", on/off and solo, on one line at `at`. Probed as "focus.head.h0.on" and "focus.head.h0.solo".
// Where heads are sorted by a measure, a bar behind them and a number at their end: "focus.head.h0.measure".
void head_caption(UiContext& ui, Index head, ImVec2 at, float width);

// The same without the measure.
void head_switches(UiContext& ui, Index head, ImVec2 at, float width);

// Asks the engine for the head's summary and writes it at `at`, shorter where there is no room. Probed as
// "focus.head.h0.summary".
void head_summary_line(UiContext& ui, Index head, ImVec2 at, float width);

}  // namespace headlight
