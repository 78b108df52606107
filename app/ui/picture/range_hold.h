// The range of colours while numbers change: held, with a mark on the colour bar where the numbers went.
#pragma once

#include <string>

#include <imgui.h>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// Once per frame, before the first picture; later calls in the same frame do nothing.
void begin_ranges(UiContext& ui);

// Holds the ranges if the commands of this frame change numbers and keep every shape.
void hold_ranges_while_edited(UiContext& ui);

// The colour bar of a picture whose plan is drawn at `origin`: the mark beside a held range, the tooltip that
// says the scale, and a click, which fits the range `key`. Probed as "<name>.bar" and "<name>.ghost".
void range_bar(UiContext& ui, const std::string& name, const std::string& key, const PlannedBar& bar,
               const HeldRanges::Shown& shown, ImVec2 origin);

// What the bar means: "Logarithmic from 0.0002 to 1: ...".
std::string scale_text(const ColorRange& range);

}  // namespace headlight
