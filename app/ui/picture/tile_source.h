// The numbers that a heatmap shows: those that were asked for or, until they are here, what there is of them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/figure/color/color_scale.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// The tiles that a picture is made of.
struct TileChoice {
  std::shared_ptr<const Tile> fine;    // the one asked for or, before it is here, the finest one there is
  std::shared_ptr<const Tile> coarse;  // for what `fine` does not reach; null: it reaches everything
  TileRequest wanted;                  // with its ends filled in
  bool as_it_is = false;  // `fine` is what was asked for, or of a matrix of another shape: it is not cut
  bool operator==(const TileChoice&) const = default;
};

// `shape` is that of the whole matrix; `earlier` was drawn in the last frame, or null. No fine tile: there is
// nothing at all yet.
TileChoice choose_tile(const UiContext& ui, const TileRequest& request, MapShape shape,
                       const std::shared_ptr<const Tile>& earlier);

// A picture of the part that is wanted, from tiles of other parts and sizes.
struct StitchedTile {
  Tile tile;
  std::vector<bool> rough;  // row by row: the cell shows a neighbour's number or one of several cells
};
StitchedTile stitched_tile(const TileChoice& choice, MapShape shape);

// The tile of a matrix in the newest answer; null before it came. `stale` tells that it belongs to an earlier
// revision or another request.
std::shared_ptr<const Tile> find_tile(const UiContext& ui, Stage stage, Index head, bool& stale,
                                      TileContent content = TileContent::Stage);

// The number of a cell in the newest answer; none where several cells are pooled into one, or it has not
// come.
std::optional<float> find_number(const UiContext& ui, TileContent content, const CellAddress& cell);

// The numbers that decide the colours of a stage: of all its heads, or of one.
ShownNumbers shown_numbers(const UiContext& ui, Stage stage, std::optional<Index> only_head,
                           const StageColors& colors);

// The same, worked out once a frame however many pictures ask. Owner: the cache of the pictures.
class NumbersOfFrame {
 public:
  const ShownNumbers& of(const UiContext& ui, Stage stage, std::optional<Index> only_head,
                         const StageColors& colors);

 private:
  struct Entry {
    TileRequest asked;  // stage, head and spread
    bool all_heads = false;
    ShownNumbers numbers;
  };
  std::vector<Entry> entries_;
  int frame_ = -1;
};

}  // namespace headlight
