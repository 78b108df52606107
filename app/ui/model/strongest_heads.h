// The heads in which one token looks at another most, as rows with bars. Names: "model.strongest" (its
// title), "model.strongest.<n>".
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// The pair of tokens that is asked about, query and key: of the selected cell, or the token whose predictions
// are shown and the last place of what it expects (at the last checkpoint, if there are some). Nothing if
// that is not in the text, or keys are of another text.
std::optional<std::pair<Index, Index>> asked_pair(const UiContext& ui);

// "Head 3 of layer 2 looks from “to” at “Ann” with 91 %.": what the shown head gives; "" where no pair is
// asked about, or the small pictures do not hold it. Precondition: all heads are computed.
std::string pair_sentence(const UiContext& ui);

// As many rows as fit, the strongest first; a click opens the head. Nothing without a pair, where the small
// pictures of all heads do not hold each weight, or where not even some rows fit. `work`: what `overview` is
// of.
void strongest_heads(UiContext& ui, const HeadsOverview& overview, const OpenModel& work,
                     const std::optional<std::pair<Index, Index>>& pair, const Area& area);

}  // namespace headlight
