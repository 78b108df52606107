// The layers of a model, of which one of two sides has three kinds: its encoder's, its decoder's, and the
// decoder's attention to what the encoder leaves. A model of one side has its own layers only.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "engine/architecture/network_config.h"
#include "engine/core/counting.h"

namespace headlight {

// Own: of the only side, or of the decoder, which predicts. Cross: the decoder's attention to the encoder's
// output.
enum class Side { Encoder, Own, Cross };

struct LayerPlace {
  Side side = Side::Own;
  Index layer = 0;

  LayerPlace() = default;
  LayerPlace(Index own_layer) : layer(own_layer) {}  // implicit: a layer of the model's own
  LayerPlace(Side of, Index at) : side(of), layer(at) {}
  // The check takes the 0 that the comparison is made of for a null pointer.
  auto operator<=>(const LayerPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Of the side that computes the layer.
const NetworkConfig& config_of(const NetworkConfig& model, Side side);
bool has_side(const NetworkConfig& model, Side side);
// All layers: of the encoder, of the model itself, of cross-attention.
std::vector<LayerPlace> layer_places(const NetworkConfig& model);
// The heads of the side with most.
Index most_heads(const NetworkConfig& model);
// The index of a place in layer_places(). Precondition: the model has the layer.
Index row_of(const NetworkConfig& model, LayerPlace place);

// Names of layers for the user. The sides are named where there are several.
struct LayerNames {
  Counting counting;
  bool sides = false;

  LayerNames(Counting count = {}) : counting(count) {}  // implicit: of a model of one side
  LayerNames(const NetworkConfig& model, Counting count) : counting(count), sides(model.cross) {}
  // "layer 3"; "encoder layer 3", "decoder layer 3", "cross layer 3".
  std::string text(LayerPlace place) const;
  // "L3"; "E3", "D3", "X3".
  std::string brief(LayerPlace place) const;
};

// "encoder", "decoder", "cross": in files, and on screen.
const char* side_name(Side side);

}  // namespace headlight
