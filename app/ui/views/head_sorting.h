// Heads by their measures: what the engine is asked for, how it is told, and the order that it makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct MeasuredHeadValue {
  bool known = false;          // the engine has answered
  std::optional<float> value;  // nothing: the head has none
};

// Entropy, distance and the first token's weight come from the summary, which is quick for any sequence; the
// others look at every weight.
MeasuredHeadValue ask_measure(UiContext& ui, Index head, HeadMeasure measure);
std::shared_ptr<const HeadSummary> ask_summary(UiContext& ui, Index head);
// All measures of the head; null until the engine has answered.
std::shared_ptr<const HeadMeasures> ask_measures(UiContext& ui, Index head);

// "0.812", "2.31 bits", "1.4 tokens", "none repeated".
std::string measure_text(HeadMeasure measure, std::optional<float> value);
// How much of its bar the value fills, 0 to 1: of 1 for shares and cosines, of log2 T for bits, of T - 1 for
// tokens.
float measure_share(const UiContext& ui, HeadMeasure measure, std::optional<float> value);
// A quiet bar, fuller and stronger for larger shares.
void draw_measure_bar(const UiContext& ui, ImVec2 at, ImVec2 size, float share);

// The heads by view.head_sorting; as they are until the engine has answered.
std::vector<Index> ordered_heads(UiContext& ui, std::vector<Index> heads);
// Sorts by the measure, the largest first; for LikePicture with the first head as the picture where none is
// chosen.
void sort_heads_by(ViewState& view, std::optional<HeadMeasure> measure);
// Whether there is a state A that heads may be compared with.
bool can_compare_with_kept(const UiContext& ui);
// "like head 3", "like the painted mask".
std::string picture_text(const UiContext& ui);

}  // namespace headlight
