// One live heatmap: requests its tile from the engine, lays it out as a figure and draws it. Hovering and
// clicking its cells sets the view's hovered and selected cell.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/picture/change_glow.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/picture/mask_sweep.h"
#include "app/ui/picture/tile_source.h"

namespace headlight {

struct HeatmapSpot {  // which matrix is drawn, and what is drawn around its cells
  Stage stage = Stage::Weights;
  Index head = 0;
  bool labels = false, colorbar = false;
  bool row_labels = true, column_labels = true;  // which labels, if `labels`
  bool from_all_heads = true;                    // one colour range for all heads side by side
  std::string name;                              // for the probe
  TileContent content = TileContent::Stage;
  Index draws = 0;                     // of the mean of many draws: the requested number of draws
  std::optional<StageColors> colors;   // instead of the stage's colours
  std::optional<ColorRange> range;     // instead of the range that the colours determine
  const Layer* labelled_by = nullptr;  // the model with the labels; null: the present one
  bool points = true;                  // its cells can be hovered and selected
  bool moves_focus = true;             // a click makes the stage the large one
  // Shows the visible region of the matrix, which the wheel and drags change; else all of it.
  bool zooms = false;
  ImVec2 most_cells{};             // limit of all cells together in pixels; 0: the available room
  bool off = false;                // of a head that is switched off: without colour
  std::optional<LinkedCells> lit;  // also outlined, in the tile's rows and columns
  float overhang = 0;              // pixels at the right for labels, not for cells
  // A neighbouring picture's layout that this one copies: the rectangle of all its cells, of which the size
  // and the y are used, and what is drawn around them. Without cells: no constraint.
  struct Like {
    Rect cells;
    PlanDetail detail;
    bool operator==(const Like&) const = default;
  };
  Like like;
};

// Whether pictures of the stage can show each weight times the length of what its value adds to the output,
// and whether they do.
bool can_weigh_by_value(const UiContext& ui, Stage stage);
bool shows_by_value(const UiContext& ui, Stage stage);
// Whether heatmaps of the stage can be, and are, without the first key, each row summing to 1 again.
bool can_leave_first_out(const UiContext& ui, Stage stage);
bool shows_without_first(const UiContext& ui, Stage stage);
// What its pictures show: the stage itself, its gradient, or weights by value.
TileContent shown_content(const UiContext& ui, Stage stage);

// A matrix that was drawn at large in this frame.
struct LargePicture {
  std::string name;  // of its spot
  Stage stage = Stage::Weights;
  Index head = 0;
  Rect cells;  // on the screen
  double cell_width = 0, cell_height = 0;
  Rect room;  // the room for its cells on the screen, without labels and bar
  Index row_labels = 0, column_labels = 0;
  bool numbers = false;
};

// Laid-out figures. Key: the spot's name; an entry is valid while its tile, size and look do not change.
// Owner: the stages panel.
class HeatmapCache {
 public:
  static constexpr Index kNoLimit = 1024;
  struct Entry {
    TileChoice source;                 // the tiles that `tile` is made of
    bool exact = false;                // `tile` was laid out from one tile as it is
    std::shared_ptr<const Tile> tile;  // as drawn
    ImVec2 size{};
    ThemeKind theme = ThemeKind::Dark;
    ColorRange range;
    std::optional<ColorRange> ghost;  // where a held range would be now
    ColormapKind map = ColormapKind::Viridis;
    int decimals = 4;
    bool percent = false;
    Index selected_row = -1, selected_column = -1;  // their labels are never omitted
    std::uint64_t labels = 0;                       // version of the labels; a new one needs a new plan
    HeatmapSpot spot;
    HeatmapPlan plan;
    ChangeGlow glow;
    MaskSweep sweep;
    ImVec2 origin{};                                      // where the window shows it
    Index most_rows = kNoLimit, most_columns = kNoLimit;  // with more, cells are smaller than a pixel
    double missing_since = -1;  // ImGui time since which its own tile is missing; -1: it is not
    // Document::layer_revision and UiContext::opened_layer at layout: a tile of an earlier model is not used
    // in a new picture, and one of another layer is not drawn at all.
    std::uint64_t layer_revision = 0, layer = 0;
    std::uint64_t version = 0;
  };
  Entry& entry(const std::string& name) { return entries_[name]; }
  std::uint64_t next_version() { return ++version_; }
  // Changes when the labels differ from those of the last call; `kept` selects those of a state other than
  // the present one.
  std::uint64_t labels_version(const Layer& model, Counting counting, bool kept);
  std::vector<LargePicture>& pictures() { return pictures_; }
  MapGesture& gesture() { return gesture_; }
  NumbersOfFrame& numbers() { return numbers_; }

 private:
  struct Labels {
    std::vector<std::string> tokens, key_tokens;
    Counting counting;
    std::uint64_t version = 0;
  };
  std::unordered_map<std::string, Entry> entries_;
  std::vector<LargePicture> pictures_;
  std::array<Labels, 2> labels_;
  MapGesture gesture_;
  NumbersOfFrame numbers_;
  std::uint64_t version_ = 0;
};

struct HeatmapResult {
  bool double_clicked = false;
  bool held = false;  // the left button was pressed on it and is still down
  CellBlock pointed;  // the matrix cells that the cell under the pointer stands for
  Index head = 0;     // the picture's head
  // The rectangle of the cells within the drawn rectangle, empty before the first tile arrives, and what is
  // drawn around them.
  HeatmapSpot::Like laid;
};

// Widths in pixels: of a colour bar with its numbers, and of a cell's number with sign and all decimals.
// The title of a bar stands beside a picture that is alone.
float colorbar_width(const UiContext& ui, bool titled = true);
float number_width(const UiContext& ui);

// Draws into the rectangle of `size` at the cursor.
HeatmapResult heatmap_view(UiContext& ui, HeatmapCache& cache, const HeatmapSpot& spot, ImVec2 size);

}  // namespace headlight
