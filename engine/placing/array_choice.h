// An array that was chosen, and where it goes.
#pragma once

#include <string>
#include <vector>

#include "engine/placing/array_roles.h"

namespace headlight {

struct ArrayChoice {
  std::string name;
  std::vector<Index> shape;
  ArrayRole role = ArrayRole::Embeddings;
  WeightLayout layout = WeightLayout::InOut;  // of a matrix of weights
  bool has_row_labels = false;                // of a table: embeddings with names for their tokens
};

}  // namespace headlight
