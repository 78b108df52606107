// Captions of a head's large picture: its name, its switch, and its summary.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

// Whether all other heads are off.
bool is_solo(const AttentionSettings& settings, Index head);

// The list of disabled heads after a click on a head's "on/off", and after a click on its "solo": that
// disables all others, or enables all if the head was already solo.
std::vector<Index> toggled_head(const AttentionSettings& settings, Index head);
std::vector<Index> soloed_head(const AttentionSettings& settings, Index head);

// "head 1" and an eye that switches it off, on one line at `at`; a right click has a menu with *Only this
// head*. Probed as "focus.head.h0.on" and "focus.head.h0.solo". If heads are sorted by a measure, also a bar
// behind the line and the number at its end: "focus.head.h0.measure".
void head_caption(UiContext& ui, Index head, ImVec2 at, float width);

// As head_caption, without the measure.
void head_switches(UiContext& ui, Index head, ImVec2 at, float width);

// Requests the head's summary and writes it at `at`, in a shorter form if there is little room. Probed as
// "focus.head.h0.summary".
void head_summary_line(UiContext& ui, Index head, ImVec2 at, float width);

}  // namespace headlight
