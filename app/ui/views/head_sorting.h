// Measures of heads: requests, texts and bars, and the order of the heads by a measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct MeasuredHeadValue {
  bool known = false;          // the result has arrived
  std::optional<float> value;  // nullopt: the head has none
};

// Entropy, distance and the first token's weight come from the summary, which is fast for any sequence; the
// other measures read every weight.
MeasuredHeadValue request_measure(UiContext& ui, Index head, HeadMeasure measure);
std::shared_ptr<const HeadSummary> request_summary(UiContext& ui, Index head);
// All measures of the head; null until they arrive.
std::shared_ptr<const HeadMeasures> request_measures(UiContext& ui, Index head);

// "0.812", "2.31 bits", "1.40 away", "none repeated".
std::string measure_text(HeadMeasure measure, std::optional<float> value, bool percent = false);
// The share of its bar that the value fills, 0 to 1: relative to 1 for shares and cosines, to log2 T for bits
// and to T - 1 for distances, with T keys.
float measure_share(const UiContext& ui, HeadMeasure measure, std::optional<float> value);
// A bar in a quiet colour, longer and stronger for larger shares.
void draw_measure_bar(const UiContext& ui, ImVec2 at, ImVec2 size, float share);

// The heads in the order of view.heads.sorting; unchanged until all measures have arrived.
std::vector<Index> ordered_heads(UiContext& ui, std::vector<Index> heads);
// Sorts by the measure, the largest first; LikePicture compares with the first head if no picture is chosen.
void sort_heads_by(ViewState& view, std::optional<HeadMeasure> measure);
// Whether there is a baseline A that heads can be compared with.
bool can_compare_with_baseline(const UiContext& ui);
// "like head 3", "like the painted mask".
std::string picture_text(const UiContext& ui);

}  // namespace headlight
