// An array that was chosen, and where it goes.
#pragma once

#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"

namespace headlight {

struct ArrayChoice {
  std::string name;
  std::vector<Index> shape;
  ArrayRole role = ArrayRole::Embeddings;
  WeightLayout layout = WeightLayout::InOut;  // of a matrix of weights
  bool has_row_labels = false;                // of a table: embeddings with names for their tokens
  Index heads = 0;                            // of weights and biases, what their axes say; 0: nothing
  FusedCut cut =
      {};  // of all three in one; query 0: three parts of one width. groups: as plan_arrays sets it
};

}  // namespace headlight
