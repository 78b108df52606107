#include "engine/interpretation/stage_values.h"

namespace headlight {

Matrix stage_values(NetworkPass& whole, const PatchPlace& place) {
  NetworkPass& pass = whole.of_side(place.side);
  const Index width = pass.network().config().head_width, tokens = pass.token_count();
  const auto of_head = [&](const MatrixRef& heads) -> Matrix {
    return heads.middleCols(place.head * width, width);
  };
  switch (place.stage) {
    case PatchStage::Residual:
      return pass.residual(place.layer);
    case PatchStage::Input:
      return pass.attention_input(place.layer);
    case PatchStage::Queries:
      return of_head(pass.queries(place.layer));
    case PatchStage::Keys:
      return of_head(pass.keys(place.layer));
    case PatchStage::Values:
      return of_head(pass.values(place.layer));
    case PatchStage::Weights:
      return pass.attention_weights(place.layer, place.head);
    case PatchStage::Context:
      return of_head(pass.concat(place.layer));
    case PatchStage::AttentionAdded:
      return pass.attention_added(place.layer, 0, tokens);
    case PatchStage::MlpAdded:
      return pass.mlp_added(place.layer, 0, tokens);
  }
  return {};
}

}  // namespace headlight
