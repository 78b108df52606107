// Items that the inspector lists if no cell is chosen: heads that stand out, strong pairs, and the effects of
// the last change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/layer/layer.h"
#include "engine/views/query.h"

namespace headlight {

using HeadTiles = std::vector<std::shared_ptr<const Tile>>;  // of the weights, by head

struct HighlightItem {
  std::string section;                   // the heading, equal for consecutive items
  std::string label, number;             // "head 1", "2.31 bits"
  std::string detail = {};               // below the label where both do not fit beside each other
  std::optional<Index> head;             // a click shows this head alone ...
  std::optional<CellAddress> cell = {};  // ... or selects this cell
};

// "to (7) → Ann (1), head 3".
std::string whole_label(const HighlightItem& item);

// Whether the weights of all heads are few enough to search for the strongest pairs and changes.
bool weights_are_few(const Layer& layer);
// The request for all weights of a head. Precondition: weights_are_few.
TileRequest whole_weights(const Layer& layer, Index sequence, Index head);

// The heads with the lowest and the highest entropy. entropies: in bits, by head; nullopt: unknown, or the
// head is off.
std::vector<HighlightItem> heads_by_entropy(const std::vector<std::optional<float>>& entropies,
                                            Counting counting);
// The largest weights except those on the first key and on the query's own token. Cost: O(H Tq Tk).
std::vector<HighlightItem> strongest_pairs(const Layer& layer, Index sequence, const HeadTiles& tiles,
                                           std::size_t most, Counting counting, bool percent = false);
// The weights that moved most; none if the shapes differ. Cost: O(H Tq Tk).
std::vector<HighlightItem> largest_changes(const Layer& layer, Index sequence, const HeadTiles& before,
                                           const HeadTiles& after, std::size_t most, Counting counting,
                                           bool percent = false);

// The origin of weights: only if equal are two states an earlier and a later one of the same weights.
struct WeightsOf {
  std::uint64_t layer = 0;  // UiContext::opened_layer
  Index sequence = 0;
  std::vector<std::string> tokens, key_tokens;
  bool operator==(const WeightsOf&) const = default;
};
WeightsOf weights_of(const Layer& model, std::uint64_t layer, Index sequence);

// The weights before and after the last change; changes less than a second apart count as one.
class LastChange {
 public:
  // Takes the current weights of all heads, their origin and revision; `now` in seconds.
  void follow(WeightsOf of, std::uint64_t revision, HeadTiles tiles, double now);
  void forget() { *this = {}; }
  // Whether the weights are of this sequence, and of this revision or a later one.
  bool holds(Index sequence, std::uint64_t first) const {
    return revision_ >= first && of_.sequence == sequence;
  }
  const HeadTiles& before() const { return before_; }  // empty: no change yet
  const HeadTiles& after() const { return after_; }

 private:
  WeightsOf of_;
  std::uint64_t revision_ = 0;
  double changed_seconds_ = 0;
  HeadTiles before_, after_;
};

}  // namespace headlight
