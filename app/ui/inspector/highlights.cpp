#include "app/ui/inspector/highlights.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/ui/inspector/derivation.h"

namespace headlight {
namespace {

constexpr Index kMostWeights = Index{1} << 17;  // of all heads; more would slow down each edit
constexpr double kPauseSeconds = 1;             // between two changes; faster ones count as one

struct Found {
  float rank = 0;
  CellAddress cell;
  std::string number;
};

// Holds the `most` items of highest rank; items of equal rank in the order of their cells.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) {}
  bool takes(float rank) const { return most_ > 0 && (found_.size() < most_ || rank > found_.back().rank); }
  void add(Found found) {
    const auto place = std::find_if(found_.begin(), found_.end(),
                                    [&](const Found& other) { return found.rank > other.rank; });
    found_.insert(place, std::move(found));
    if (found_.size() > most_) found_.pop_back();
  }
  const std::vector<Found>& found() const { return found_; }

 private:
  std::size_t most_;
  std::vector<Found> found_;
};

std::string pair_label(const Layer& layer, const CellAddress& cell, Counting counting) {
  return token_name(layer.tokens, cell.row, counting) + " → " +
         token_name(layer.key_labels(), cell.column, counting);
}

std::vector<HighlightItem> pair_items(const Layer& layer, const Best& best, const std::string& section,
                                      Counting counting) {
  std::vector<HighlightItem> items;
  for (const Found& found : best.found())
    items.push_back({section,
                     pair_label(layer, found.cell, counting),
                     found.number,
                     layer.head_count() > 1 ? head_name(found.cell.head, counting) : "",
                     {},
                     found.cell});
  return items;
}

std::string weight_text(float weight, bool percent) {
  return percent ? share_text(double{weight}) : number_text(weight, 2);
}

bool is_whole(const std::shared_ptr<const Tile>& tile) {
  return tile && !tile->pooled && tile->values.rows() == tile->total_rows &&
         tile->values.cols() == tile->total_columns;
}

// Whether the key is the query's own token; false if queries and keys are different texts.
bool is_own(const Layer& layer, Index sequence, Index query, Index key) {
  return layer.queries_among_keys() && query + layer.query_offset(sequence) == key;
}

bool comparable(const std::shared_ptr<const Tile>& a, const std::shared_ptr<const Tile>& b) {
  return is_whole(a) && is_whole(b) && a->request == b->request && a->values.rows() == b->values.rows() &&
         a->values.cols() == b->values.cols();
}

bool differ(const HeadTiles& before, const HeadTiles& after) {
  if (before.size() != after.size()) return true;
  for (std::size_t head = 0; head < after.size(); ++head)
    if (before[head] != after[head] &&
        (!comparable(before[head], after[head]) || before[head]->values != after[head]->values))
      return true;
  return false;
}

}  // namespace

std::string whole_label(const HighlightItem& item) {
  return item.label + (item.detail.empty() ? "" : ", " + item.detail);
}

bool weights_are_few(const Layer& layer) {
  return layer.head_count() * layer.token_count() <= kMostWeights / std::max<Index>(1, layer.key_count());
}

TileRequest whole_weights(const Layer& layer, Index sequence, Index head) {
  TileRequest request;
  request.stage = Stage::Weights;
  request.sequence = sequence;
  request.head = head;
  request.max_rows = layer.token_count();
  request.max_columns = layer.key_count();
  return request;
}

std::vector<HighlightItem> heads_by_entropy(const std::vector<std::optional<float>>& entropies,
                                            Counting counting) {
  std::vector<Index> heads;
  for (std::size_t head = 0; head < entropies.size(); ++head)
    if (entropies[head]) heads.push_back(static_cast<Index>(head));
  if (heads.size() < 2) return {};
  std::stable_sort(heads.begin(), heads.end(), [&](Index a, Index b) {
    return *entropies[static_cast<std::size_t>(a)] < *entropies[static_cast<std::size_t>(b)];
  });
  const std::size_t each = heads.size() >= 5 ? 2 : 1;
  std::vector<HighlightItem> items;
  const auto add = [&](Index head, const char* what) {
    items.push_back({"heads by the entropy of their weights", head_name(head, counting) + what,
                     number_text(*entropies[static_cast<std::size_t>(head)], 2) + " bits", "", head});
  };
  for (std::size_t i = 0; i < each; ++i)
    add(heads[i], i == 0 ? ", lowest" : "");
  for (std::size_t i = each; i-- > 0;)
    add(heads[heads.size() - 1 - i], i == 0 ? ", highest" : "");
  return items;
}

std::vector<HighlightItem> strongest_pairs(const Layer& layer, Index sequence, const HeadTiles& tiles,
                                           std::size_t most, Counting counting, bool percent) {
  Best best(most);
  for (std::size_t head = 0; head < tiles.size(); ++head) {
    if (!is_whole(tiles[head]) || !layer.attention.head_enabled(static_cast<Index>(head))) continue;
    const Matrix& weights = tiles[head]->values;
    for (Index row = 0; row < weights.rows(); ++row)
      for (Index column = 1; column < weights.cols(); ++column) {
        const float weight = weights(row, column);
        if (!(weight > 0) || !best.takes(weight) || is_own(layer, sequence, row, column)) continue;
        best.add({weight,
                  {Stage::Weights, sequence, static_cast<Index>(head), row, column},
                  percent ? share_text(double{weight}) : derivation_number(weight)});
      }
  }
  return pair_items(layer, best,
                    layer.queries_among_keys() ? "strongest pairs, without first and own token"
                                               : "strongest pairs, without the first key",
                    counting);
}

std::vector<HighlightItem> largest_changes(const Layer& layer, Index sequence, const HeadTiles& before,
                                           const HeadTiles& after, std::size_t most, Counting counting,
                                           bool percent) {
  Best best(most);
  if (before.size() != after.size()) return {};
  for (std::size_t head = 0; head < after.size(); ++head) {
    if (!comparable(before[head], after[head])) return {};
    const Matrix &was = before[head]->values, &is = after[head]->values;
    for (Index row = 0; row < is.rows(); ++row)
      for (Index column = 0; column < is.cols(); ++column) {
        const float moved = std::abs(is(row, column) - was(row, column));
        if (!(moved > 0) || !best.takes(moved)) continue;
        best.add({moved,
                  {Stage::Weights, sequence, static_cast<Index>(head), row, column},
                  weight_text(was(row, column), percent) + " → " + weight_text(is(row, column), percent)});
      }
  }
  return pair_items(layer, best, "moved most by the last change", counting);
}

WeightsOf weights_of(const Layer& model, std::uint64_t layer, Index sequence) {
  return {layer, sequence, model.tokens, model.key_tokens};
}

void LastChange::follow(WeightsOf of, std::uint64_t revision, HeadTiles tiles, double now) {
  const bool another = of != of_;
  if (!another && revision == revision_) return;
  if (another) before_.clear();
  const bool changed = !another && !after_.empty() && differ(after_, tiles);
  if (!changed) {
    before_.clear();  // the last change has moved no weight
  } else {
    if (before_.empty() || now - changed_seconds_ > kPauseSeconds) before_ = std::move(after_);
    changed_seconds_ = now;
  }
  of_ = std::move(of);
  revision_ = revision;
  after_ = std::move(tiles);
}

}  // namespace headlight
