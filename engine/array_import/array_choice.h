// An array chosen from a file, and its place in the model.
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
  bool has_row_labels = false;                // of a table with names for its tokens
  Index heads = 0;                            // of weights and biases: as their axes give them; 0: not given
  FusedSplit cut = {};  // of a fused array, set by plan_arrays; query 0: three equal parts
};

}  // namespace headlight
