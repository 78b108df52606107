#include "engine/learning/pair_backward.h"

#include "engine/layer/overwriting.h"
#include "engine/learning/backward_kernels.h"
#include "engine/learning/goal_loss.h"
#include "engine/learning/pair_block.h"

namespace headlight {
namespace {

bool contains(StageSet stages, Stage stage) {
  return (stages & stage_bit(stage)) != 0;
}

// The stages whose numbers the backward rules and the loss read.
StageSet separate_stages(const PairPass& pass) {
  StageSet stages = stage_bit(Stage::Capped) | stage_bit(pass.goal.stage);
  if (!pass.noise.empty()) stages |= stage_bit(Stage::Dropped);
  if (pass.goal.loss == Loss::CrossEntropy || pass.layer.attention.normalization == Normalization::Sum)
    stages |= stage_bit(Stage::Masked);
  return stages;
}

class HeadBackward {
 public:
  HeadBackward(const PairPass& pass, const PairHead& head, Gradients& stored, MatrixOut queries,
               MatrixOut keys, MatrixOut values)
      : pass_(pass),
        head_(head),
        stored_(stored),
        queries_(queries),
        keys_(keys),
        values_(values),
        block_(pass.layer, pass.existing, separate_stages(pass), pass.workspace),
        gradient_(pass.workspace),
        packed_keys_(pass.workspace),
        packed_values_(pass.workspace) {
    if (contains(pass.existing, Stage::Scores)) packed_keys_.take({head.keys});
    if (from_context()) packed_values_.take({head.values, true});
    if (!pass.noise.empty()) noise_ = &pass.noise[static_cast<std::size_t>(matrix())];
  }

  double run() {
    const Index tokens = pass_.layer.token_count();
    double loss = 0;
    for (first_ = 0; first_ < tokens; first_ += kBlockRows) {
      count_ = std::min(kBlockRows, tokens - first_);
      columns_ = columns();
      if (columns_ > 0) loss += rows();
    }
    return loss;
  }

 private:
  bool from_context() const { return pass_.goal.stage > Stage::Dropped; }
  Index matrix() const { return head_.sequence * pass_.layer.head_count() + head_.head; }

  // Closed pairs have gradients only as weights and as dropped weights, and before the mask only from a goal
  // there.
  Index columns() const {
    constexpr StageSet kOpenAndClosed = stage_bit(Stage::Weights) | stage_bit(Stage::Dropped);
    if (!from_context() || (pass_.stored & kOpenAndClosed) != 0) return pass_.layer.key_count();
    return open_columns(pass_.layer, head_.sequence, head_.head, first_, count_);
  }

  double rows() {
    const Stage last = from_context() ? Stage::Dropped : pass_.goal.stage;
    block_.compute({head_.sequence, head_.head, head_.queries, head_.keys, noise_}, first_, count_, columns_,
                   last);
    gradient_.resize(count_ * columns_);
    Eigen::Map<Matrix> gradient(gradient_.data(), count_, columns_);
    if (from_context()) {
      const auto context = head_.context_gradient.middleRows(first_, count_);
      packed_values_.multiply_by(context, gradient);
      add_product({block_.rows(Stage::Dropped), true}, {context}, values_.topRows(columns_), pass_.workspace);
    }
    double loss = 0;
    for (auto info = stage_table().rbegin(); info != stage_table().rend(); ++info) {
      const Stage stage = info->stage;
      if (!is_pair(stage) || stage > last || !contains(pass_.existing, stage)) continue;
      if (stage == pass_.goal.stage) loss = take_goal(gradient);
      if (pass_.loss_only) return loss;
      store(stage, gradient);
      pass_back(stage, gradient);
    }
    return loss;
  }

  bool entropy() const { return pass_.goal.loss == Loss::CrossEntropy; }

  double take_goal(MatrixOut gradient) {
    const GoalRows at = {pass_.layer, pass_.goal, pass_.count, head_.sequence, head_.head, first_};
    if (!entropy()) return squared_loss(at, block_.rows(pass_.goal.stage), gradient);
    // With a sink the weights are not the softmax of the scores alone.
    const bool scored = contains(pass_.existing, Stage::Masked) && pass_.layer.attention.sinks.empty();
    return cross_entropy_loss(at, block_.rows(Stage::Weights),
                              scored ? Matrix(block_.rows(Stage::Masked)) : Matrix(), gradient);
  }

  // With CrossEntropy `gradient` holds the shares of the target.
  void store(Stage stage, const MatrixRef& gradient) {
    if (!contains(pass_.stored, stage)) return;
    auto to = stored_.of(stage)[static_cast<std::size_t>(matrix())].block(first_, 0, count_, columns_);
    if (stage == Stage::Weights && entropy())
      to = weight_gradient(gradient);
    else
      to = gradient;
  }

  // dL/d(weight) = -share / weight, from the shares of the target.
  Matrix weight_gradient(const MatrixRef& shares) {
    const auto weights = block_.rows(Stage::Weights).array();
    return (shares.array() == 0.0f).select(0.0f, -shares.array() / weights).matrix();
  }

  void clear_overwritten(MatrixOut gradient) const {
    for (const Overwritten& block : pass_.layer.overwritten) {
      if (!is_of(block, Stage::Weights, head_.sequence, head_.head)) continue;
      const Index begin = std::max(block.row, first_),
                  end = std::min(block.row + block.values.rows(), first_ + count_);
      if (begin < end)
        gradient.block(begin - first_, block.column, end - begin, block.values.cols()).setZero();
    }
  }

  void pass_back_weights(MatrixOut gradient) {
    if (pass_.through_weights)
      pass_.through_weights(head_.head, first_, gradient);
    else
      clear_overwritten(gradient);
    if (pass_.layer.attention.projection == Projection::Weights) return;
    if (pass_.layer.attention.normalization == Normalization::Sum) {
      if (entropy()) gradient = weight_gradient(gradient);
      sum_backward(block_.rows(Stage::Masked), block_.normalized(), gradient);
    } else if (entropy()) {
      softmax_entropy_backward(block_.normalized(), gradient);
    } else {
      softmax_backward(block_.normalized(), gradient);
    }
  }

  // Replaces the gradient of a stage by that of the stage before it.
  void pass_back(Stage stage, MatrixOut gradient) {
    switch (stage) {
      case Stage::Dropped:
        if (noise_) gradient.array() *= noise_->block(first_, 0, count_, columns_).array();
        return;
      case Stage::Weights:
        return pass_back_weights(gradient);
      case Stage::Capped:
        return cap_backward(block_.rows(Stage::Capped), pass_.layer.attention.softcap, gradient);
      case Stage::Scaled:
        gradient *= pass_.layer.scale_factor();
        return;
      case Stage::Scores:
        packed_keys_.add_multiplied_by(gradient, queries_.middleRows(first_, count_));
        add_product({gradient, true}, {head_.queries.middleRows(first_, count_)}, keys_.topRows(columns_),
                    pass_.workspace);
        return;
      case Stage::Biased:  // is added
      case Stage::Masked:  // what it closes has a weight of zero and so a gradient of zero
      case Stage::Embeddings:
      case Stage::Queries:
      case Stage::Keys:
      case Stage::Values:
      case Stage::RotatedQueries:
      case Stage::RotatedKeys:
      case Stage::Context:
      case Stage::Concat:
      case Stage::Output:
        return;
    }
  }

  const PairPass& pass_;
  const PairHead& head_;
  Gradients& stored_;
  MatrixOut queries_, keys_, values_;
  PairBlock block_;
  Scratch gradient_;
  PackedFactor packed_keys_, packed_values_;  // K, and V transposed
  const Matrix* noise_ = nullptr;
  Index first_ = 0, count_ = 0, columns_ = 0;  // of the block
};

}  // namespace

double pair_backward(const PairPass& pass, const PairHead& head, Gradients& stored, MatrixOut queries,
                     MatrixOut keys, MatrixOut values) {
  return HeadBackward(pass, head, stored, queries, keys, values).run();
}

}  // namespace headlight
