// One head in three numbers: what its weights look like as a whole.
#pragma once

#include "engine/views/row_source.h"

namespace headlight {

// Means over the rows that attend to anything; all zero when no row does. A weight counts by its share of the
// row, |w| / sum of |w|: the weight itself under softmax. Rows with a value that is not finite are left out.
struct HeadSummary {
  float entropy_bits = 0;   // 0: one token each; log2 T: all tokens alike
  float mean_distance = 0;  // how many tokens away the query looks: sum of share * |query - key|
  float first_weight = 0;   // share of the first key, over the queries behind it
  Index rows = 0;           // how many rows were counted
  Index left_out = 0;       // rows with a value that is not finite
};

// What it is the mean of, over rows.
struct HeadSums {
  double entropy = 0, distance = 0, first = 0;  // entropy in bits
  Index rows = 0, behind_first = 0;             // behind_first: without a query at the first key
  Index left_out = 0;                           // rows that are not finite
  // A query's row by sums over its keys of e = e^(scaled - maximum), of e times that exponent and of e times
  // how far the key is, and by its weight of the first token. A sum of 0: it attends to nothing.
  // query: its place among the keys.
  void add_row(Index query, double sum, double logarithmic, double far, float first_weight);
  void add(const HeadSums& other);
  HeadSummary means() const;
};

// weights: Tq x Tk. offset: how many keys stand before the first query. Cost: O(Tq Tk).
HeadSummary summarize_head(RowSource weights, Index offset = 0);

}  // namespace headlight
