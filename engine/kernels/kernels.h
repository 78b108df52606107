// The pure functions that the stages are made of. Letters as in engine/README.md. Each kernel writes its last
// argument, which has its shape already. Of the stages of pairs, and of `context`, it may be any rows
// of a head: what a row holds depends on no other. Checked against plain loops in tests/engine/attention.
#pragma once

#include "engine/core/matrix.h"
#include "engine/model/model.h"
#include "engine/simd/product.h"

namespace headlight {

// scores = q k^T. q: rows x d_k; k: Tk x d_k; scores: rows x Tk, row: query, column: key.
void score(const MatrixRef& q, const MatrixRef& k, MatrixOut scores, Workspace& workspace);

// scaled = scores * factor.
void scale(const MatrixRef& scores, float factor, MatrixOut scaled);

// Pairs of numbers of each row turned by the position of its token, as engine/model/position.h says.
class Rotation {
 public:
  Rotation() = default;
  // For tokens that stand at `start` and behind it. dims: how many numbers of a head are turned.
  Rotation(const Position& position, Index dims, Index start, Index tokens);
  // turned = x turned; rows of the tokens from `first` on, each of one head. x: rows x d_k, as `turned`.
  void apply_rope(const MatrixRef& x, Index first, MatrixOut turned) const;

 private:
  RotaryPairs pairs_ = RotaryPairs::Halves;
  Matrix cosines_, sines_;  // tokens x dims / 2
};

// capped = cap tanh(scaled / cap).
void cap_scores(const MatrixRef& scaled, double cap, MatrixOut capped);

// biased = scores + bias of the head, and ALiBi's -slope |offset + query - key|, rounded once together. Minus
// infinity in the bias stays. The rows are those of the queries from `first` on.
void add_bias(const MatrixRef& scores, const Model& model, Index sequence, Index head, Index first,
              MatrixOut biased);
// What it adds to one score.
float bias_of(const Model& model, Index sequence, Index head, Index query, Index key);

// masked = scores, and minus infinity where a query may not attend to a key. By selection, not by adding: 0
// times infinity is NaN. The rows are those of the queries from `first` on.
void apply_mask(const MatrixRef& scores, const OpenCells& open, Index first, MatrixOut masked);

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
void normalize_rows(const MatrixRef& masked, Normalization how, const OpenCells& open, Index first,
                    MatrixOut weights);

// dropped = weights * noise, cell by cell.
void drop(const MatrixRef& weights, const MatrixRef& noise, MatrixOut dropped);

// What one head adds to the output: its columns of concat times the rows of W_o that they meet, without the
// bias. The parts of all heads and the bias sum to the output. w null: there is no output projection, and the
// part is the head's columns of concat in their place among zeros.
// concat: T x H d_v; w: H d_v x d_out or the other way round; part: T x d_out, made so.
void head_part(const Matrix& concat, const Matrix* w, WeightLayout layout, Index head, Index d_v,
               Matrix& part);

// context = dropped v. dropped: rows x Tk; v: Tk x d_v; context: rows x d_v. band: outside of it the mask
// made the weights zero; what is known to be zero is not multiplied. The rows are those of the queries from
// `first` on.
void weighted_sum(const MatrixRef& dropped, const MatrixRef& v, const KeyBand& band, Index first,
                  MatrixOut context, Workspace& workspace);

}  // namespace headlight
