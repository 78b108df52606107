#include "engine/analysis/stream_norms.h"

#include "engine/core/stopping.h"

namespace headlight {

StreamNorms stream_norms(NetworkPass& pass) {
  const Index layers = pass.network().config().layers, tokens = pass.token_count();
  StreamNorms norms{Matrix(layers + 1, tokens), Matrix(layers, tokens), Matrix(layers, tokens)};
  for (Index layer = 0; layer <= layers; ++layer) {
    throw_if_stopped();
    norms.stream.row(layer) = pass.residual(layer).rowwise().norm().transpose();
    if (layer == layers) break;
    norms.attention.row(layer) = pass.attention_added(layer, 0, tokens).rowwise().norm().transpose();
    norms.mlps.row(layer) = pass.mlp_added(layer, 0, tokens).rowwise().norm().transpose();
  }
  return norms;
}

Matrix weighted_value_norms(NetworkPass& pass, Index layer, Index head) {
  const Index width = pass.network().config().head_width;
  const Index group = pass.layer_frame(layer).kv_head_of(head);
  const Matrix output = widened(pass.layer_weights(layer).output).middleRows(head * width, width);
  const Eigen::RowVectorXf sizes =
      (pass.values(layer).middleCols(group * width, width) * output).rowwise().norm().transpose();
  return pass.attention_weights(layer, head).array().rowwise() * sizes.array();
}

}  // namespace headlight
