// The pure functions that the stages are made of. Letters as in engine/README.md. Each kernel writes its last
// argument, which has its shape already. Of the stages that are T x T, and of `context`, it may be any rows
// of a head: what a row holds depends on no other. Checked against plain loops in tests/engine/attention.
#pragma once

#include "engine/core/matrix.h"
#include "engine/loops/product.h"
#include "engine/model/model.h"

namespace headlight {

// scores = q k^T. q: rows x d_k; k: T x d_k; scores: rows x T, row: query, column: key.
void score(const MatrixRef& q, const MatrixRef& k, MatrixOut scores);

// scaled = scores * factor.
void scale(const MatrixRef& scores, float factor, MatrixOut scaled);

// masked = scaled, and minus infinity where the model forbids query to attend to key. By selection, not by
// adding: 0 times infinity is NaN. The rows are those of the queries from `first` on.
void apply_mask(const MatrixRef& scaled, const Model& model, Index first, MatrixOut masked);

// The parts that the softmax of one row is made of: its maximum, NaN when it holds one; exp(value -
// subtracted); the quotients. A row whose maximum is minus infinity has weights of zero and goes through none
// of them.
float row_maximum(const Eigen::Ref<const Eigen::RowVectorXf>& row);
void exponentiate(Eigen::Ref<Eigen::RowVectorXf> row, float subtracted);
void divide_row_by_sum(Eigen::Ref<Eigen::RowVectorXf> row);

// Rows of weights from rows of masked scores by the model's normalization; masked cells get 0 and a row of
// nothing else zeros. The rows are those of the queries from `first` on.
// Softmax: exp(s - max) / sum, and zeros where every score is minus infinity. Naive: exp(s) / sum, which
// overflows to NaN above 88 as in the notebooks. Sum: s / sum of s; a score that overflowed to minus infinity
// is divided as well. As in PyTorch, a sum that is NaN makes the whole row NaN, and so does 0 / 0.
void normalize_rows(const MatrixRef& masked, const Model& model, Index first, MatrixOut weights);

// dropped = weights * noise, cell by cell.
void drop(const MatrixRef& weights, const MatrixRef& noise, MatrixOut dropped);

// What one head adds to the output: its columns of concat times the rows of W_o that they meet, without the
// bias. The parts of all heads and the bias sum to the output. w null: there is no output projection, and the
// part is the head's columns of concat in their place among zeros.
// concat: T x d_out; w: d_out x d_out; part: T x d_out, made so.
void head_part(const Matrix& concat, const Matrix* w, WeightLayout layout, Index head, Index d_k,
               Matrix& part);

// context = dropped v. dropped: rows x T; v: T x d_v; context: rows x d_v. `causal`: whether the causal mask
// made the weights above the diagonal zero; what is known to be zero is not multiplied. The rows are those of
// the queries from `first` on.
void mix(const MatrixRef& dropped, const MatrixRef& v, bool causal, Index first, MatrixOut context);

}  // namespace headlight
