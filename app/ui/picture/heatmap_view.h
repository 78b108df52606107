// One live heatmap: asks the engine for its tile, lays it out as a figure and draws it; hovering and clicking
// its cells moves the window's gaze.
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
#include "app/ui/picture/tile_source.h"

namespace headlight {

struct HeatmapSpot {  // which matrix, and how much may be drawn around its cells
  Stage stage = Stage::Weights;
  Index head = 0;
  bool labels = false, colorbar = false;
  bool row_labels = true, column_labels = true;  // where there are labels: which
  bool from_all_heads = true;                    // one colour range for all heads side by side
  std::string name;                              // for the probe
  TileContent content = TileContent::Stage;
  Index draws = 0;                     // of the mean of many draws: how many are wished for
  std::optional<StageColors> colors;   // instead of those chosen for the stage
  std::optional<ColorRange> range;     // instead of the one that the colours lead to
  const Model* labelled_by = nullptr;  // instead of the present one
  bool points = true;                  // its cells can be pointed at and selected
  bool moves_focus = true;             // a click makes the stage the one that is drawn large
  // Shows the part of the matrix that is in sight, which the wheel and drags change; else all of it.
  bool zooms = false;
  ImVec2 most_cells{};             // pixels that the cells may take together; 0: all there is room for
  std::optional<LinkedCells> lit;  // outlined beside what belongs to the cell under the pointer; of its tile
  float overhang = 0;              // pixels at the right that labels may reach into, and cells not
  // The layout of a picture beside this one, relative to it: its cells have the same size and height, and as
  // much is written around them. Without cells: free.
  struct Like {
    Rect cells;
    PlanDetail detail;
    bool operator==(const Like&) const = default;
  };
  Like like;
};

// A matrix that was drawn large in this frame.
struct LargePicture {
  Stage stage = Stage::Weights;
  Index head = 0;
  Rect cells;  // on the screen
  double cell_width = 0, cell_height = 0;
  Rect room;  // that its cells had, on the screen: without labels and bar
  Index row_labels = 0, column_labels = 0;
  bool numbers = false;
};

// Laid-out figures. Key: the spot's name; an entry holds while its tile, size and looks are the same.
// Owner: the stages panel.
class HeatmapCache {
 public:
  static constexpr Index kNoLimit = 1024;
  struct Entry {
    TileChoice source;                 // what the tile is made of
    std::shared_ptr<const Tile> tile;  // as it is drawn
    ImVec2 size{};
    ThemeKind theme = ThemeKind::Dark;
    ColorRange range;
    ColormapKind map = ColormapKind::Viridis;
    int decimals = 4;
    Index selected_row = -1, selected_column = -1;  // whose labels are never left out
    std::uint64_t labels = 0;                       // version of the tokens: a renamed token is a new figure
    HeatmapSpot spot;
    HeatmapPlan plan;
    ChangeGlow glow;
    Index most_rows = kNoLimit, most_columns = kNoLimit;  // more would be smaller than a pixel
    double waits_since = -1;  // for its own tile, on ImGui's clock; -1: it is here
    // Document::model_revision and UiContext::opened_layer when it was laid out: of an earlier model the tile
    // is no part of a new picture, and of another layer it is not drawn at all.
    std::uint64_t model_revision = 0, layer = 0;
    std::uint64_t version = 0;
  };
  Entry& entry(const std::string& name) { return entries_[name]; }
  std::uint64_t next_version() { return ++version_; }
  // Grows when the labels are others than at the last call; those of a kept state are told apart.
  std::uint64_t labels_version(const Model& model, Counting counting, bool kept);
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
  bool held = false;  // the left button went down on it and is still down
  CellBlock pointed;  // what the cell under the pointer stands for
  Index head = 0;     // of the picture
  // Where the cells lie in the rectangle drawn into, empty before the first tile came, and what is around
  // them.
  HeatmapSpot::Like laid;
};

// Of a colour bar with its numbers, and of a number in a cell with its sign and all its decimals, in pixels.
float colorbar_width(const UiContext& ui);
float number_width(const UiContext& ui);

// Draws into the rectangle at the cursor.
HeatmapResult heatmap_view(UiContext& ui, HeatmapCache& cache, const HeatmapSpot& spot, ImVec2 size);

}  // namespace headlight
