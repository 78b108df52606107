#include "engine/layer/interpolation.h"

#include "engine/layer/layer_difference.h"

namespace headlight {
namespace {

// Puts numbers in the place of those of the target layer. What has another shape there is left as it is, so
// that it differs from the layer that the way begins at.
class Between {
 public:
  explicit Between(double t) : t_(t) {}

  template <class Number>
  Number number(Number a, Number b) const {
    if (t_ <= 0) return a;
    if (t_ >= 1 || a == b) return b;  // equal infinities would give NaN
    return static_cast<Number>((1 - t_) * static_cast<double>(a) + t_ * static_cast<double>(b));
  }

  void move(const Matrix& a, Matrix& b) const {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return;
    b = a.binaryExpr(b, [this](float from, float to) { return number(from, to); }).eval();
  }

  void move(const std::vector<Matrix>& a, std::vector<Matrix>& b) const {
    if (a.size() != b.size()) return;
    for (std::size_t i = 0; i < a.size(); ++i)
      move(a[i], b[i]);
  }

  void move(const PairArray& a, PairArray& b) const {
    if (a.sequences == b.sequences && a.heads == b.heads) move(a.matrices, b.matrices);
  }

  void move(const std::vector<double>& a, std::vector<double>& b) const {
    if (a.size() != b.size()) return;
    for (std::size_t i = 0; i < a.size(); ++i)
      b[i] = number(a[i], b[i]);
  }

  void move(const std::vector<Overwritten>& a, std::vector<Overwritten>& b) const {
    if (a.size() != b.size()) return;
    for (std::size_t i = 0; i < a.size(); ++i)
      move(a[i].values, b[i].values);
  }

  // Dividing by the square root of d_k is a number too, which lies between others.
  void move_scale(const Layer& a, Layer& b) const {
    if (t_ >= 1 || a.attention.scale == b.attention.scale) return;
    const double from = a.scale_factor(), to = b.scale_factor();
    b.attention.scale = t_ > 0 ? Scale{ScaleKind::Number, number(from, to)} : a.attention.scale;
  }

  void move_settings(const AttentionSettings& a, AttentionSettings& b) const {
    // A softcap of 0 is none, which no softcap above it comes close to.
    if (a.softcap > 0 && b.softcap > 0) b.softcap = number(a.softcap, b.softcap);
    move(a.sinks, b.sinks);
    b.dropout.probability = number(a.dropout.probability, b.dropout.probability);
    b.position.theta = number(a.position.theta, b.position.theta);
    move(a.position.slopes, b.position.slopes);
  }

 private:
  double t_;
};

// Whether the noise of dropout continues the stream that the weights were drawn from.
bool drawn_after_weights(const Layer& layer) {
  return layer.attention.dropout.active() && !layer.attention.dropout.seed;
}

}  // namespace

Layer layer_between(const Layer& a, const Layer& b, double t) {
  const Between between(t);
  Layer layer = b;
  between.move(a.embeddings, layer.embeddings);
  between.move(a.key_embeddings, layer.key_embeddings);
  for (std::size_t i = 0; i < a.given.size(); ++i)
    between.move(a.given[i], layer.given[i]);
  between.move(a.given_weights, layer.given_weights);
  between.move(a.score_bias, layer.score_bias);
  for (const Parameter parameter : kParameters) {
    between.move(a.weights.matrix(parameter), layer.weights.matrix(parameter));
    between.move(a.weights.bias(parameter), layer.weights.bias(parameter));
  }
  between.move(a.overwritten, layer.overwritten);
  between.move_scale(a, layer);
  between.move_settings(a.attention, layer.attention);
  if (t < 1) layer.weights.edited = true;
  return layer;
}

std::vector<std::string> interpolation_obstacles(const Layer& a, const Layer& b) {
  // The numbers of `a` with everything else of `b`: what still differs is no number.
  Layer mixed = layer_between(a, b, 0);
  if (mixed.tokens.size() == a.tokens.size()) mixed.tokens = a.tokens;
  if (mixed.key_tokens.size() == a.key_tokens.size()) mixed.key_tokens = a.key_tokens;
  std::vector<std::string> lines = layer_differences(a, mixed);
  if (a.weights.layout != b.weights.layout) lines.emplace_back("the layout of the weights");
  if ((drawn_after_weights(a) || drawn_after_weights(b)) && a.weights.recipe != b.weights.recipe)
    lines.emplace_back("the seed, from which the noise of dropout continues");
  return lines;
}

}  // namespace headlight
