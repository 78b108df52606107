// A summary of one head's weights in three numbers.
#pragma once

#include "engine/views/row_source.h"

namespace headlight {

// Means over the rows that attend to anything; all zero if there are none. A weight counts by its share of
// the row, |w| / sum of |w|: the weight itself under softmax. Rows that are not finite are excluded.
struct HeadSummary {
  float entropy_bits = 0;   // 0: one token per row; log2 T: all tokens equally
  float mean_distance = 0;  // sum of share * |query - key|, in tokens
  float first_weight = 0;   // share of the first key, over the queries after it
  Index rows = 0;           // number of rows counted
  Index left_out = 0;       // rows with a value that is not finite
};

// Sums over rows from which the means are computed.
struct HeadSums {
  double entropy = 0, distance = 0, first = 0;  // entropy in bits
  Index rows = 0, behind_first = 0;             // behind_first: rows of queries after the first key
  Index left_out = 0;                           // rows with a value that is not finite
  // Adds a query's row by its sums over the keys: of e = e^(scaled - maximum), of e times that exponent, and
  // of e times the distance of the key; and its weight of the first token. A sum of 0 means that it attends
  // to nothing. query: its position among the keys.
  void add_row(Index query, double sum, double logarithmic, double far, float first_weight);
  void add(const HeadSums& other);
  HeadSummary means() const;
};

// weights: Tq x Tk. offset: the number of keys before the first query. Cost: O(Tq Tk).
HeadSummary summarize_head(RowSource weights, Index offset = 0);

}  // namespace headlight
