// Puts arrays from files into a layer, each in the place of its role.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_plan.h"

namespace headlight {

struct PlacedArray {
  NamedArray array;
  ArrayRole role = ArrayRole::Embeddings;
  WeightLayout layout = WeightLayout::InOut;  // of a matrix of weights
  std::vector<std::string> row_labels;        // of a table: its tokens
  Index heads = 0;                            // of weights and biases, as in ArrayChoice
  // Of a fused array: the heads of keys lie one after the other, each with its queries and its value.
  bool by_groups = false;
};

// The layer with the arrays in their places, as plan_arrays plans them; it is valid. Matrices in another
// layout than the plan's are transposed. A mask that is exactly causal becomes the causal one. If there are
// fewer queries than keys of the same text, the queries of a causal mask are the last ones. Throws `Error` as
// plan_arrays does; for NaN and infinity where not allowed, with their number and the position of the first;
// for a mask of other numbers than 0 and 1; for a number of tokens that is not that of the rows.
Layer place_arrays(std::vector<PlacedArray> arrays, std::optional<Index> num_heads, const Layer& layer,
                   const LayerHints& hints = {});

// Why the array cannot be an input: the numbers of its NaN and infinite values, and the position of the
// first. Empty when all are finite. Closing: minus infinity is allowed, as in additive masks.
enum class InfinityIs { Wrong, Closing };
std::optional<Error> values_problem(const NamedArray& array, InfinityIs infinity = InfinityIs::Wrong);
// values_problem() by role: attention weights may hold any value, masks, score biases and scores minus
// infinity.
std::optional<Error> values_problem(const NamedArray& array, ArrayRole role);

// Tokens from an array of text, or of numbers: the bytes of their UTF-8 text with a byte 0 between two, or
// one token id each. Throws `Error` unless there are `count` of them.
std::vector<std::string> tokens_in(const NamedArray& array, Index count);

}  // namespace headlight
