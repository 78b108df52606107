#include "engine/learning/least_change.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "engine/core/error.h"
#include "engine/learning/goal_loss.h"
#include "engine/learning/gradients.h"

namespace headlight {
namespace {

// The steps whose curvature is remembered.
constexpr std::size_t kMostPairs = 12;
// Of the start's length: the farther a step leads from where its gradient was computed, the less it is one
// towards the least change.
constexpr double kLongestStep = 0.1;
// The share of the decrease that the gradient promises with which a step is taken (Armijo).
constexpr double kSufficient = 1e-4;
// So often the step that reaches the goal is halved to find where it does.
constexpr int kHalvings = 4;
// A relative decrease that float32 cannot tell from rounding.
constexpr double kRounding = 1e-7;

double dot(const ParameterVector& a, const ParameterVector& b) {
  return static_cast<double>((a * b).sum());
}

TrainedLayout layout_of(const Layer& layer, const LeastChangeRequest& request) {
  TrainingSettings settings;
  settings.parameters = request.parameters;
  validate_training(layer, settings);
  return {layer, trained_parts(layer, settings)};
}

// Of a point: what is minimised, and its gradient.
struct Height {
  double loss = 0, value = std::numeric_limits<double>::infinity();
  ParameterVector gradient;
};

// The product of the inverse of the curvature and a gradient, from the last steps and what they changed the
// gradient by (the two-loop recursion).
class InverseCurvature {
 public:
  void add(ParameterVector step, ParameterVector change) {
    const double product = dot(step, change);
    if (!(product > 1e-10 * std::sqrt(dot(step, step) * dot(change, change)))) return;
    pairs_.push_back({std::move(step), std::move(change), product});
    if (pairs_.size() > kMostPairs) pairs_.pop_front();
  }
  void forget() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

  ParameterVector times(ParameterVector gradient) const {
    std::vector<double> shares(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      shares[i] = dot(pairs_[i].step, gradient) / pairs_[i].product;
      gradient -= static_cast<float>(shares[i]) * pairs_[i].change;
    }
    const Pair& last = pairs_.back();
    gradient *= static_cast<float>(last.product / dot(last.change, last.change));
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double back = dot(pairs_[i].change, gradient) / pairs_[i].product;
      gradient += static_cast<float>(shares[i] - back) * pairs_[i].step;
    }
    return gradient;
  }

 private:
  struct Pair {
    ParameterVector step, change;
    double product = 0;
  };
  std::deque<Pair> pairs_;
};

class Search {
 public:
  Search(const Layer& start, Layer& layer, const Goal& goal, const LeastChangeRequest& request)
      : layer_(layer),
        request_(request),
        layout_(layout_of(layer, request)),
        pass_(layer, goal),
        least_(least_loss(layer, goal)) {
    layout_.read(start, start_);
    layout_.read(layer, at_);
    const double square = dot(start_, start_);
    length_ = square > 0 ? std::sqrt(square) : 1;
    pull_ = request.distance_weight / (length_ * length_);
  }

  LeastChange run() {
    here_ = height(at_);
    while (!reached() && passes_ < request_.passes && !settled_)
      settled_ = !descend();
    layout_.write(at_, layer_);
    return {here_.loss, here_.loss - least_, reached(), settled_, passes_, movements(layout_, start_, at_)};
  }

 private:
  bool reached() const { return here_.loss - least_ <= request_.tolerance; }

  Height height(const ParameterVector& at) {
    ++passes_;
    Height result;
    if (!finite_numbers(at)) return result;
    layout_.write(at, layer_);
    try {
      pass_.forward();
      pass_.backward(layout_.request(), gradients_);
    } catch (const Error&) {  // a weight without a logarithm: the step leads too far
      return result;
    }
    layout_.read(gradients_, result.gradient);
    const ParameterVector away = at - start_;
    result.gradient += static_cast<float>(pull_) * away;
    if (!std::isfinite(gradients_.loss) || !finite_numbers(result.gradient)) return result;
    result.loss = gradients_.loss;
    result.value = gradients_.loss + 0.5 * pull_ * dot(away, away);
    return result;
  }

  // Down the gradient so far as would reach the least loss if the loss were linear.
  ParameterVector first_step() const {
    return static_cast<float>(-(here_.loss - least_) / dot(here_.gradient, here_.gradient)) * here_.gradient;
  }

  // Takes one step; false if none lowers the value.
  bool descend() {
    if (!std::isfinite(here_.value) || !(dot(here_.gradient, here_.gradient) > 0)) return false;
    ParameterVector step =
        curvature_.empty() ? first_step() : ParameterVector(-curvature_.times(here_.gradient));
    if (!(dot(step, here_.gradient) < 0)) {
      curvature_.forget();
      step = first_step();
    }
    const double longest = kLongestStep * length_ / std::sqrt(dot(step, step));
    if (longest < 1) step *= static_cast<float>(longest);
    const double slope = dot(step, here_.gradient);
    for (double length = 1; passes_ < request_.passes; length /= 2) {
      if (-length * slope <= kRounding * std::abs(here_.value)) return forget_curvature();
      const ParameterVector at = at_ + static_cast<float>(length) * step;
      Height there = height(at);
      if (!(there.value <= here_.value + kSufficient * length * slope)) continue;
      curvature_.add(at - at_, there.gradient - here_.gradient);
      const ParameterVector from = std::exchange(at_, at);
      here_ = std::move(there);
      if (reached()) shorten(from);
      break;
    }
    return true;
  }

  // Ends the last step, which reached the goal, where it just does.
  void shorten(const ParameterVector& from) {
    const ParameterVector step = at_ - from;
    double below = 0, above = 1;  // lengths that do not reach it and that do
    for (int halving = 0; halving < kHalvings && passes_ < request_.passes; ++halving) {
      const double length = (below + above) / 2;
      const ParameterVector at = from + static_cast<float>(length) * step;
      Height there = height(at);
      const bool reaches = std::isfinite(there.value) && there.loss - least_ <= request_.tolerance;
      (reaches ? above : below) = length;
      if (!reaches) continue;
      at_ = at;
      here_ = std::move(there);
    }
  }

  // Whether a step down the gradient is left to be tried.
  bool forget_curvature() {
    const bool tried = curvature_.empty();
    curvature_.forget();
    return !tried;
  }

  Layer& layer_;
  const LeastChangeRequest& request_;
  TrainedLayout layout_;
  LayerPass pass_;
  Gradients gradients_;
  double least_, length_ = 1, pull_ = 0;  // length_: that of the start
  ParameterVector start_, at_;
  Height here_;
  InverseCurvature curvature_;
  int passes_ = 0;
  bool settled_ = false;
};

}  // namespace

LeastChange change_least(const Layer& start, Layer& layer, const Goal& goal,
                         const LeastChangeRequest& request) {
  return Search(start, layer, goal, request).run();
}

}  // namespace headlight
