#include "engine/network/layer_place.h"

#include <algorithm>
#include <array>

namespace headlight {

const NetworkConfig& config_of(const NetworkConfig& model, Side side) {
  return side == Side::Encoder ? *model.encoder : model;
}

bool has_side(const NetworkConfig& model, Side side) {
  return side == Side::Own || model.cross;
}

std::vector<LayerPlace> layer_places(const NetworkConfig& model) {
  std::vector<LayerPlace> places;
  for (const Side side : {Side::Encoder, Side::Own, Side::Cross})
    for (Index layer = 0; has_side(model, side) && layer < config_of(model, side).layers; ++layer)
      places.emplace_back(side, layer);
  return places;
}

Index most_heads(const NetworkConfig& model) {
  return model.encoder ? std::max(model.heads, model.encoder->heads) : model.heads;
}

Index row_of(const NetworkConfig& model, LayerPlace place) {
  const Index before_own = model.cross ? model.encoder->layers : 0;
  if (place.side == Side::Encoder) return place.layer;
  return place.layer + before_own + (place.side == Side::Cross ? model.layers : 0);
}

const char* side_name(Side side) {
  return std::array{"encoder", "decoder", "cross"}[static_cast<std::size_t>(side)];
}

std::string LayerNames::text(LayerPlace place) const {
  return (sides ? side_name(place.side) + std::string(" ") : "") + "layer " + counting.number(place.layer);
}

std::string LayerNames::brief(LayerPlace place) const {
  const char* const letter = std::array{"E", "D", "X"}[static_cast<std::size_t>(place.side)];
  return (sides ? letter : "L") + counting.number(place.layer);
}

}  // namespace headlight
