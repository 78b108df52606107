// A figure as part of a page.
#pragma once

#include <string>

#include "app/export/computed_session.h"
#include "app/export/figure_choice.h"
#include "engine/core/matrix.h"

namespace headlight {

// The figure as an element of HTML, with shares in per cent. `first`: the number of the first head, token and
// dimension. Throws Error as make_figure().
std::string figure_svg(const FigureChoice& choice, const ComputedSession& computed, Index first);

}  // namespace headlight
