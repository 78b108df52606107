#include "app/ui/context/input_gradient.h"

namespace headlight {
namespace {

const Matrix* found(const Gradients& gradients, const InputId& input) {
  const auto of_sequence = [&](const std::vector<Matrix>& all) {
    const auto at = static_cast<std::size_t>(input.sequence);
    return at < all.size() ? &all[at] : nullptr;
  };
  switch (input.kind) {
    case InputKind::Embeddings:
      return of_sequence(gradients.of(Stage::Embeddings));
    case InputKind::KeyEmbeddings:
      return of_sequence(gradients.key_embeddings);
    case InputKind::Weight:
      return &gradients.matrix(input.parameter);
    case InputKind::Bias:
      return &gradients.bias(input.parameter);
    case InputKind::Mask:
    case InputKind::Given:
    case InputKind::GivenWeights:
    case InputKind::ScoreBias:
      break;
  }
  return nullptr;
}

}  // namespace

const Matrix* input_gradient(const UiContext& ui, const InputId& input) {
  if (!ui.shows_gradients() || !ui.answer || !ui.answer->gradients) return nullptr;
  const Matrix* const gradient = found(ui.answer->gradients->gradients, input);
  const Matrix& own = input_matrix(ui.layer(), input);
  // The newest gradients may be of an earlier state, of another shape.
  const bool fits = gradient && gradient->rows() == own.rows() && gradient->cols() == own.cols();
  return fits ? gradient : nullptr;
}

}  // namespace headlight
