// Arrays out of files put into a model, each where its role says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/placing/array_plan.h"

namespace headlight {

struct PlacedArray {
  NamedArray array;
  ArrayRole role = ArrayRole::Embeddings;
  WeightLayout layout = WeightLayout::InOut;  // of a matrix of weights
  std::vector<std::string> row_labels;        // of a table of embeddings: its tokens
};

// The model with the arrays in their places, as plan_arrays tells; it is valid. Matrices that come in another
// layout than the plan's are transposed. A mask that is exactly causal becomes the causal one.
// Throws Error: as plan_arrays; for NaN and infinity, with how many there are and where the first is; for a
// mask of other numbers than 0 and 1; for tokens that are not as many as there are rows.
Model place_arrays(std::vector<PlacedArray> arrays, std::optional<Index> num_heads, const Model& model,
                   const LayerHints& hints = {});

// Why the array cannot be an input: how many NaN and infinite values it holds, and where the first is. None
// when all are finite.
std::optional<Error> values_problem(const NamedArray& array);

// Tokens as an array of numbers: the bytes of their UTF-8 text with a byte 0 between two, or one token id
// each. Throws Error when they are not `count`.
std::vector<std::string> tokens_in(const NamedArray& array, Index count);

}  // namespace headlight
