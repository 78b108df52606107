// The kernels: pure functions that compute the stages. Letters as in engine/README.md. Each kernel writes its
// last argument, which the caller has sized. Kernels of pair stages and of `context` accept any block of a
// head's rows, because each row depends on no other, and only the first columns of it, where the others are
// masked. Tested against plain loops in tests/engine/attention.
#pragma once

#include "engine/core/matrix.h"
#include "engine/layer/layer.h"
#include "engine/simd/product.h"

namespace headlight {

// scores = q k^T. q: rows x d_k; k: Tk x d_k; scores: rows x Tk, row: query, column: key.
void score(const MatrixRef& q, const MatrixRef& k, MatrixOut scores, Workspace& workspace);

// scaled = scores * factor.
void scale(const MatrixRef& scores, float factor, MatrixOut scaled);

// Rotates pairs of numbers in each row by the position of its token; see engine/layer/position.h.
class Rotation {
 public:
  Rotation() = default;
  // For `tokens` tokens from position `start` on. dims: how many numbers of a head are rotated.
  Rotation(const Position& position, Index dims, Index start, Index tokens);
  // turned = x with its pairs rotated. x, turned: rows x d_k, one head's rows of the tokens from `first` on.
  void apply_rope(const MatrixRef& x, Index first, MatrixOut turned) const;
  // The transposed matrix of each rotation, which carries gradients back: turns the other way, with the same
  // magnitude.
  Rotation transposed() const;

 private:
  RotaryPairs pairs_ = RotaryPairs::Halves;
  Matrix cosines_, sines_;  // tokens x dims / 2
};

// capped = cap tanh(scaled / cap).
void cap_scores(const MatrixRef& scaled, double cap, MatrixOut capped);

// biased = scores + b, where b is the head's bias plus ALiBi's -slope |offset + query - key|, rounded to
// float32 once. A bias of minus infinity is allowed. The rows are those of the queries from `first` on.
void add_bias(const MatrixRef& scores, const Layer& layer, Index sequence, Index head, Index first,
              MatrixOut biased);
// The number that add_bias adds to one score.
float bias_of(const Layer& layer, Index sequence, Index head, Index query, Index key);

// masked = scores, or minus infinity where a query may not attend to a key. Selects instead of adding,
// because 0 times infinity is NaN. The rows are those of the queries from `first` on.
void apply_mask(const MatrixRef& scores, const OpenCells& open, Index first, MatrixOut masked);

// The steps of the softmax of one row: its maximum, NaN if it contains one; exp(value - subtracted); division
// by the sum. A row whose maximum is minus infinity skips the other steps and has weights of zero.
float row_maximum(const Eigen::Ref<const Eigen::RowVectorXf>& row);
void exponentiate(Eigen::Ref<Eigen::RowVectorXf> row, float subtracted);
void divide_row_by_sum(Eigen::Ref<Eigen::RowVectorXf> row);

// Computes weights from masked scores by the layer's normalization; masked cells get 0. The rows are those of
// the queries from `first` on. sink: of a softmax only; the logit of one more key, whose weight is dropped.
// Softmax: exp(s - max) / sum, and zeros if every score is minus infinity. NaiveSoftmax: exp(s) / sum, which
// overflows to NaN above 88 as in the notebooks, and zeros as for Softmax. Sum: s / sum of s over the open
// cells, which include a score that overflowed to minus infinity, and zeros if there are none. As in PyTorch,
// a sum that is NaN makes the whole row NaN, and so does 0 / 0.
void normalize_rows(const MatrixRef& masked, Normalization how, const OpenCells& open, Index first,
                    MatrixOut weights, std::optional<float> sink = std::nullopt);

// dropped = weights * noise, elementwise.
void drop(const MatrixRef& weights, const MatrixRef& noise, MatrixOut dropped);

// The contribution of one head to the output: its columns of concat times the corresponding rows of W_o,
// without the bias. The parts of all heads and the bias sum to the output. If w is null there is no output
// projection, and the part is the head's columns of concat, with zeros elsewhere. concat: T x H d_v; w: H d_v
// x d_out or transposed, by `layout`; part: T x d_out, resized here.
void head_part(const Matrix& concat, const Matrix* w, WeightLayout layout, Index head, Index d_v,
               Matrix& part);

// context = dropped v. dropped: rows x Tk; v: Tk x d_v; context: rows x d_v. band: outside of it the mask
// makes the weights zero, and those products are skipped. The rows are those of the queries from `first` on.
void weighted_sum(const MatrixRef& dropped, const MatrixRef& v, const KeyBand& band, Index first,
                  MatrixOut context, Workspace& workspace);

}  // namespace headlight
