// Overview of all heads of a model: a small picture of each head's weights, and its measures.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/interpretation/attribution.h"
#include "engine/views/head_measures.h"
#include "engine/views/query.h"

namespace headlight {

struct HeadOverview {
  Tile picture;  // of its weights
  HeadMeasures measures;
};

// A row for each layer, in the order of layer_places(): of a model of one side the row is the layer.
struct HeadsOverview {
  Index layers = 0, heads = 0;    // rows, and heads of the row with most
  std::vector<HeadOverview> all;  // row * heads + head; empty where the row has no such head
  std::vector<LayerPlace> places = {};
  std::vector<Index> counts = {};  // heads of each row
  const HeadOverview& of(Index row, Index head) const {
    return all[static_cast<std::size_t>(row * heads + head)];
  }
  LayerPlace place(Index row) const {
    return places.empty() ? LayerPlace(row) : places[static_cast<std::size_t>(row)];
  }
  Index head_count(Index row) const { return counts.empty() ? heads : counts[static_cast<std::size_t>(row)]; }
};

// side: largest side of a picture. `seen`: called with the number of layers that are done, and of all. Throws
// Stopped.
HeadsOverview overview_of_heads(NetworkPass& pass, Index side,
                                const std::function<void(Index done, Index all)>& seen);

}  // namespace headlight
