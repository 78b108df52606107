// Arrays out of files put into a model, each where its role says.
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
  std::vector<std::string> row_labels;        // of a table of embeddings: its tokens
  Index heads = 0;                            // of weights and biases, as ArrayChoice has it
  // Of a fused array: the heads of keys lie one after the other, each with its queries and its value.
  bool by_groups = false;
};

// The model with the arrays in their places, as plan_arrays tells; it is valid. Matrices that come in another
// layout than the plan's are transposed. A mask that is exactly causal becomes the causal one. Where there
// are fewer queries than keys of the same text, the queries of a causal mask are the last ones. Throws Error:
// as plan_arrays; for NaN and infinity where they cannot be, with how many there are and where the first is;
// for a mask of other numbers than 0 and 1; for tokens that are not as many as there are rows.
Model place_arrays(std::vector<PlacedArray> arrays, std::optional<Index> num_heads, const Model& model,
                   const LayerHints& hints = {});

// Why the array cannot be an input: how many NaN and infinite values it holds, and where the first is. None
// when all are finite. Closing: minus infinity is no problem, as in what is added to scores.
enum class InfinityIs { Wrong, Closing };
std::optional<Error> values_problem(const NamedArray& array, InfinityIs infinity = InfinityIs::Wrong);
// The same of an array in its place: weights of attention may be NaN, what is added to scores minus infinity.
std::optional<Error> values_problem(const NamedArray& array, ArrayRole role);

// Tokens as an array of text, or of numbers: the bytes of their UTF-8 text with a byte 0 between two, or one
// token id each. Throws Error when they are not `count`.
std::vector<std::string> tokens_in(const NamedArray& array, Index count);

}  // namespace headlight
