// The result of an ablation as tables and words.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/analysis.h"

namespace headlight {

// "loss of the text", "logit difference": the number that changes.
std::string measured_in_words(const Analysis& analysis);
// "in the place of each head and MLP is its mean over all 280 tokens of 20 texts".
std::string replaced_in_words(const Analysis& analysis, const Ablation& all);
// "heads" and "mlps": L x H and L x 1 changes.
std::vector<ResultTable> ablation_tables(const Analysis& analysis, Matrix heads, Matrix mlps);
// "together": the change, and the number without and with the ablation.
ResultTable together_table(const Analysis& analysis, double before, double change);

}  // namespace headlight
