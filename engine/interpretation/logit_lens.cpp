#include "engine/interpretation/logit_lens.h"

namespace headlight {

std::vector<std::vector<Prediction>> logit_lens(NetworkPass& pass, Index position, Index count) {
  const NetworkConfig& config = pass.network().config();
  Matrix streams(config.layers + 1, config.width);
  for (Index layer = 0; layer <= config.layers; ++layer)
    streams.row(layer) = pass.residual_row(layer, position);
  const Matrix logits = pass.logits_of(streams);  // in one product, which reads the unembedding once
  std::vector<std::vector<Prediction>> lens;
  for (Index layer = 0; layer <= config.layers; ++layer)
    lens.push_back(likeliest(logits.row(layer), count));
  return lens;
}

}  // namespace headlight
