// A goal: what the numbers of one stage should be, and the loss that measures how far they are from it.
#pragma once

#include <array>

#include "engine/layer/pair_array.h"
#include "engine/layer/stage.h"

namespace headlight {

// Squared: the mean, over all numbers x of the stage of which something is wanted, of (x - t)^2.
// CrossEntropy, of the weights alone: the mean, over all rows of which something is wanted, of
// -sum_j t_j ln w_j, with 0 ln 0 = 0; each row t of the target is divided by its sum first.
enum class Loss { CrossEntropy, Squared };

struct Goal {
  Stage stage = Stage::Weights;
  Loss loss = Loss::CrossEntropy;
  // The axes B, heads of the stage (1 for a stage without heads), rows and columns; each may be 1. NaN: the
  // cell is ignored. CrossEntropy ignores a row that has a NaN or is all 0.
  PairArray target;
  bool operator==(const Goal& other) const;
};

// The axes of a target that is not spread: B, heads of the stage, rows, columns.
std::array<Index, 4> target_axes(const Layer& layer, Stage stage);

// A target with all four axes of which nothing is wanted: NaN.
PairArray nothing_wanted(const Layer& layer, Stage stage);

// The wanted numbers, or with CrossEntropy the wanted rows, of the whole stage: the mean is over so many.
double wanted_count(const Layer& layer, const Goal& goal);

// The sum of a row of the target, spread to so many columns; NaN if it contains one.
double target_row_sum(const Matrix& target, Index row, Index columns);

// Whether a goal may want something of the weight: its pair is not closed by the mask or the bias.
bool is_wantable(const Layer& layer, const CellAddress& weight);

// Throws Error unless the layer has the stage, the loss is one for it, the target has its shape and contains
// no infinity, something is wanted of it, and nothing of a number that is always minus infinity; with
// CrossEntropy, unless the target contains nothing below zero and wants nothing of a pair that the mask or
// the bias closes. where() is the name in the session file: "goal.target". Precondition: the layer is valid.
void validate_goal(const Layer& layer, const Goal& goal);

}  // namespace headlight
