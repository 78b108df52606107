// One head in three numbers: what its weights look like as a whole.
#pragma once

#include "engine/attention/row_source.h"

namespace headlight {

// Means over the rows that attend to anything; all zero when no row does. A weight counts by its share of the
// row, |w| / sum of |w|: the weight itself under softmax. Rows with a value that is not finite are left out.
struct HeadSummary {
  float entropy_bits = 0;   // 0: one token each; log2 T: all tokens alike
  float mean_distance = 0;  // how many tokens away the query looks: sum of share * |query - key|
  float first_weight = 0;   // share of the first token
  Index rows = 0;           // how many rows were counted
};

// What it is the mean of, over rows.
struct HeadSums {
  double entropy = 0, distance = 0, first = 0;  // entropy in bits
  Index rows = 0;
  HeadSummary means() const;
};

// weights: T x T. Cost: O(T^2).
HeadSummary summarize_head(RowSource weights);

}  // namespace headlight
