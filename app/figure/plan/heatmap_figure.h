// HeatmapFigure: the contents of one heatmap before layout. Screen and export start from the same figure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figure/color/color_scale.h"
#include "app/figure/plan/names.h"
#include "engine/views/query.h"

namespace headlight {

enum class GridLines { WhereRoom, Always, Never };  // WhereRoom: between large cells

// The labels of a layer's queries and keys. Both vectors must outlive this object.
struct TokenLabels {
  const std::vector<std::string>& queries;
  const std::vector<std::string>& keys;

  TokenLabels() : TokenLabels(no_labels()) {}
  TokenLabels(const Layer& layer) : queries(layer.tokens), keys(layer.key_labels()) {}
  TokenLabels(const std::vector<std::string>& of_both) : queries(of_both), keys(of_both) {}
  const std::vector<std::string>& rows(Stage stage) const {
    return stage_info(stage).rows == StageRows::Keys ? keys : queries;
  }

 private:
  static const std::vector<std::string>& no_labels() {
    static const std::vector<std::string> kNone;
    return kNone;
  }
};

struct HeatmapFigure {
  std::shared_ptr<const Tile> tile;  // values, marks and the range of the whole matrix
  std::string title, subtitle;
  std::vector<std::string> row_labels;     // one per row of the whole matrix, may be empty
  std::vector<std::string> column_labels;  // one per column of the whole matrix, may be empty
  std::string row_axis, column_axis;       // "query", "key"; may be empty
  ColormapKind colormap = ColormapKind::Viridis;
  ColorRange range;
  int decimals = 4;      // of the numbers in the cells, when they fit; -1 shows none
  bool percent = false;  // the numbers are shares of a whole and are written as per cent
  bool show_colorbar = true;
  std::string bar_title;  // what the colours show, beside the bar where there is room; may be empty
  // Of a head that is switched off: the cells, and the bar if no other head shares it, in greys as light as
  // the colours.
  bool without_color = false, bar_without_color = false;
  bool least_strongest = false;  // of ranks: the least number has the colour of the largest, and so on
  GridLines grid_lines = GridLines::WhereRoom;
  bool columns_below = false;  // column labels and axis name are below the cells instead of above
  Index selected_row = -1, selected_column = -1;  // of the whole matrix; their labels are never left out
  std::vector<Index> kept_rows;  // of the whole matrix: their labels are left out last, the first one of all
  // Row-major: words that stand in the cells in the place of numbers, shortened to their width; empty: none.
  std::vector<std::string> cell_texts;
  bool beside_words = false;  // its cells have the size of those with words, in a sheet with such a heatmap
  std::vector<bool> rough;    // row-major: cells with a provisional value, which show no number; empty: none
};

// The figure of one stage of one head, with the labels, axes, colours and title that window and command line
// share. Without token labels the columns have no labels either. The range is that of this head alone.
HeatmapFigure stage_figure(std::shared_ptr<const Tile> tile, const TokenLabels& tokens, Index head_count,
                           const std::string& session_title, const StageColors& colors = {},
                           Counting counting = {});
HeatmapFigure stage_figure(Tile tile, const TokenLabels& tokens, Index head_count,
                           const std::string& session_title, const StageColors& colors = {},
                           Counting counting = {});

// Whether pictures of that content show shares of attention: weights, and dropped ones without dropout.
bool is_share(const Layer& layer, Stage stage, TileContent content);
// What the numbers of such a picture are: "share of attention", "score: q · k".
std::string bar_title(const TileRequest& request);

// Whether the stage is of one head that is switched off.
bool is_head_off(const Layer& layer, Stage stage, Index head);

// "0.1082", "−0.0713", "−∞", "NaN", with a true minus sign, so that columns of numbers line up. A number that
// rounds to zero has no sign; from a million on the form is "1.2346e+06".
std::string number_text(double value, int decimals);

// The first row or column of the whole matrix that row or column `shown` of the tile stands for.
Index first_row(const Tile& tile, Index shown);
Index first_column(const Tile& tile, Index shown);

}  // namespace headlight
