// The difference of two means of the stream, and what a text's prediction becomes when it is added.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/analysis/analysis_result.h"
#include "engine/analysis/text_set.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// How many times the strength a direction is added, one after the other.
inline constexpr std::array<double, 4> kDirectionShares = {0.0, 0.5, 1.0, 2.0};

// The stream that enters the layer (0 to L - 1): the mean over all tokens of `others`, read by `source`, less
// that of `texts`, read by `pass`: d numbers. The changes of both stay. Throws Stopped.
Eigen::RowVectorXf mean_direction(NetworkPass& pass, const std::vector<TokenIds>& texts, NetworkPass& source,
                                  const std::vector<TokenIds>& others, Index layer);
// The logits at a token, 1 x vocabulary, of the text that the pass has, with so many times the direction
// added to the stream into the layer at every token. The pass is left as it was. Throws Stopped.
Matrix logits_along(NetworkPass& pass, Index layer, const Eigen::RowVectorXf& direction, double strength,
                    Index position);

// "x 1.5": a column of the tables.
std::string strength_label(double strength);
// "direction: the stream into layer 2, ...": what it is the mean of.
std::string direction_in_words(Index layer, std::size_t others, std::size_t texts,
                               const Eigen::RowVectorXf& direction);
// "target": one row of numbers of the target, a column for each strength.
ResultTable direction_table(Metric metric, std::vector<std::string> strengths, Matrix values);

}  // namespace headlight
