// Checks given attention weights for the properties of a softmax. Reports deviations; corrects nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/core/matrix.h"
#include "engine/layer/layer.h"

namespace headlight {

// Tolerance for row sums and for weights above 1: softmax in bfloat16 rounds a weight by up to 1/512 of it.
inline constexpr double kWeightTolerance = 0.002;

struct WeightPlace {
  Index matrix = 0;  // sequence * heads + head
  Index query = 0, key = 0;
};

// Rows with a weight that is not finite have no sum; they count as neither wrong nor empty.
struct WeightReport {
  Index rows = 0;     // B H Tq
  Index wrong = 0;    // rows whose sum is not 1, except rows of zeros
  WeightPlace worst;  // the row with the sum farthest from 1; the first of equals
  double worst_sum = 1;
  Index empty = 0;  // rows of zeros, as for a query that may attend to nothing
  WeightPlace first_empty;
  Index outside = 0;  // weights below 0 or above 1
  WeightPlace first_outside;
  float outside_value = 0;
  Index not_finite = 0;  // weights
  WeightPlace first_not_finite;

  bool clean() const { return wrong == 0 && empty == 0 && outside == 0 && not_finite == 0; }
};

// Each matrix: Tq x Tk. Cost: one pass over all cells, on several threads if there are many.
WeightReport report_weights(const std::vector<MatrixRef>& matrices);
// For Layer::given_weights.
WeightReport report_weights(const PairArray& weights);

// The report as text, "" if clean: "3 of 1152 rows of the attention weights do not sum to 1: head 2, query 5
// sums to 0.874". Names the worst row, or the first of the other deviations. row, cell: format a place.
struct WeightNames {
  std::function<std::string(const WeightPlace&)> row, cell;
};
std::string report_text(const WeightReport& report, const WeightNames& names);
// Numbers sequences, heads, queries and keys by `counting`.
std::string report_text(const WeightReport& report, const Layer& layer, const Counting& counting);

}  // namespace headlight
