// The numbers of a heatmap: the requested tile or, until it arrives, the best tiles available.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/figure/color/color_scale.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// The tiles that a picture is made of.
struct TileChoice {
  std::shared_ptr<const Tile> fine;    // the requested one or, before it arrives, the finest one
  std::shared_ptr<const Tile> coarse;  // for cells that `fine` does not cover; null: it covers all
  TileRequest wanted;                  // the request, with its ends filled in
  bool as_it_is = false;  // `fine` is the request's tile, or of another shape: it is drawn unchanged
  bool operator==(const TileChoice&) const = default;
};

// `shape` is the shape of the whole matrix; `earlier` is the tile drawn in the last frame, or null. Returns
// no fine tile if there is no tile at all yet.
TileChoice choose_tile(const UiContext& ui, const TileRequest& request, MapShape shape,
                       const std::shared_ptr<const Tile>& earlier);

// The requested part as one tile, assembled from tiles of other parts and sizes.
struct StitchedTile {
  Tile tile;
  std::vector<bool> rough;  // row-major: the cell has the number of a neighbour or of several pooled cells
};
StitchedTile stitched_tile(const TileChoice& choice, MapShape shape);

// The tile of a matrix in the newest view result; null if there is none. `stale` is set if there is none or
// it belongs to an earlier revision.
std::shared_ptr<const Tile> find_tile(const UiContext& ui, Stage stage, Index head, bool& stale,
                                      TileContent content = TileContent::Stage);

// The number of a cell in the newest view result; nullopt if its tile is pooled or missing.
std::optional<float> find_number(const UiContext& ui, TileContent content, const CellAddress& cell);

// The numbers that determine the colour range of a stage, or of its gradients: of all heads, or of one.
ValueStatistics shown_numbers(const UiContext& ui, Stage stage, std::optional<Index> only_head,
                              const StageColors& colors, TileContent content = TileContent::Stage);

// Caches shown_numbers() for one frame. Owner: the cache of the pictures.
class NumbersOfFrame {
 public:
  const ValueStatistics& of(const UiContext& ui, Stage stage, std::optional<Index> only_head,
                            const StageColors& colors, TileContent content = TileContent::Stage);

 private:
  struct Entry {
    TileRequest asked;  // stage, content, head and spread only
    bool all_heads = false;
    ValueStatistics numbers;
  };
  std::vector<Entry> entries_;
  int frame_ = -1;
};

}  // namespace headlight
