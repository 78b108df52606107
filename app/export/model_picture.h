// All heads of a model in one figure: a small square picture of the weights of each head, a row for each
// layer and a column for each head, with one bar of colours as high as all.
#pragma once

#include <string>

#include "app/export/figure_options.h"
#include "engine/interpretation/heads_glance.h"

namespace headlight {

// `labels`: of the tokens. Without width and height in the options it is as wide as its heads require.
// Labels of tokens, numbers and grid lines, which have no room, are left out, whatever the options are; the
// names of heads and layers are those of the axes.
// Throws Error if the page has no room for any cells.
FigureGrid model_map(const HeadsOverview& glance, const std::vector<std::string>& labels,
                     const std::string& title, const FigureOptions& options, FigureFormat format);

}  // namespace headlight
