// All heads of a model in one figure: a small picture of each one's weights, a line for each layer.
#pragma once

#include <string>

#include "app/export/figure_options.h"
#include "engine/interpretation/heads_glance.h"

namespace headlight {

// labels: of the tokens. Without a width or height of its own it is as wide as its heads need. Labels and
// numbers, which have no room, are left out, whatever the options say. Throws Error when the page has no room
// for any cells.
FigureGrid model_map(const HeadsGlance& glance, const std::vector<std::string>& labels,
                     const std::string& title, const FigureOptions& options, FigureFormat format);

}  // namespace headlight
