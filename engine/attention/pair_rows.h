// The chain from scores to weights for a block of rows of one head: the only code that selects the kernel and
// the input of each pair stage. Called by the evaluator's stored stages and by the forward pass of a whole
// layer. HeadStrips and HeadMap do not call it, because they store no rows of weights: they store the maximum
// and the sum of exponentials of each row with the transposed scores, so that a changed key costs one term of
// each sum instead of a row, and compute weights from those. Tests compare them with these stages.
#pragma once

#include <functional>

#include "engine/attention/kernels.h"
#include "engine/layer/stage.h"

namespace headlight {

struct PairRows {
  Index sequence = 0, head = 0;
  Index first = 0;        // query of the first row
  StageSet existing = 0;  // existing_stages(layer)
  StageSet stages = 0;    // the stages to compute; they may read others that exist
};

// Returns the rows of a stage: one per query, Tk columns. Several stages may share the same memory.
using RowsOf = std::function<MatrixOut(Stage)>;

// Computes those of scores, scaled, capped, biased, masked and weights that `at.stages` contains, each from
// the nearest earlier one that exists. open: layer.open_cells(at.sequence, at.head). q: rows x d_k; k: Tk x
// d_k, both with rotary positions applied. Given weights are copied. Each row depends on no other.
void compute_pair_rows(const Layer& layer, const PairRows& at, const OpenCells& open, const MatrixRef& q,
                       const MatrixRef& k, const RowsOf& rows_of, Workspace& workspace);

}  // namespace headlight
