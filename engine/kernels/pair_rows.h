// The chain from scores to weights for some rows of one head: the only place that says which kernel computes
// which stage of pairs from which. The evaluator's stored stages and the forward pass of a whole model both
// call it. HeadStrips and HeadMap do not: they never hold a row. They keep the maximum and the sum of each
// row's exponentials beside transposed scores, so that a changed key costs one term of each sum instead of
// a row, and they compute a weight from those. Tests compare them with the stages that are computed here.
#pragma once

#include <functional>

#include "engine/kernels/kernels.h"
#include "engine/model/stage.h"

namespace headlight {

struct PairRows {
  Index sequence = 0, head = 0;
  Index first = 0;        // the query of the first row
  StageSet existing = 0;  // existing_stages(model)
  StageSet stages = 0;    // those to compute; others that they are computed from are read
};

// The rows of a stage: as many as there are queries, Tk columns. Several stages may share the same memory.
using RowsOf = std::function<MatrixOut(Stage)>;

// Computes those of scores, scaled, capped, biased, masked and weights that are asked for, each from the
// nearest one before it that exists. open: model.open_cells(at.sequence, at.head). q: rows x d_k; k: Tk x
// d_k, both with rotary positions applied. Weights that are given are copied. Each row depends on no other.
void compute_pair_rows(const Model& model, const PairRows& at, const OpenCells& open, const MatrixRef& q,
                       const MatrixRef& k, const RowsOf& rows_of, Workspace& workspace);

}  // namespace headlight
