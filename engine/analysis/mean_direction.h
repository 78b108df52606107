// The difference of two means of the stream.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/text_set.h"
#include "engine/network/network_pass.h"

namespace headlight {

// The stream that enters the layer (0 to L - 1): the mean over all tokens of `others`, read by `source`, less
// that of `texts`, read by `pass`: d numbers. The changes of both stay. Throws Stopped.
Eigen::RowVectorXf mean_direction(NetworkPass& pass, const std::vector<TokenIds>& texts, NetworkPass& source,
                                  const std::vector<TokenIds>& others, Index layer);

// "direction: the stream into layer 2, ...": what it is the mean of.
std::string direction_in_words(Index layer, std::size_t others, std::size_t texts,
                               const Eigen::RowVectorXf& direction);
// The same of one that was read from a file.
std::string direction_in_words(Index layer, const std::string& file, const Eigen::RowVectorXf& direction);

}  // namespace headlight
