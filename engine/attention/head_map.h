// One head of a sequence so long that not even its scores can be kept: of T x T numbers there stay the
// maximum and the sum of each row, and a map, blocks of 16 x 16 cells pooled to what a picture needs. Any
// cell is made again from its query and key.
//
// A strip of queries goes through the keys block by block, with maxima and sums that follow, as in Milakov
// and Gimelshein, "Online normalizer calculation for softmax" (2018), and Dao et al., "FlashAttention"
// (2022).
#pragma once

#include <vector>

#include "engine/attention/head_panels.h"
#include "engine/attention/query.h"
#include "engine/attention/row_source.h"
#include "engine/attention/span.h"
#include "engine/attention/strip_rules.h"

namespace headlight {

class HeadMap {
 public:
  static constexpr Index kBlock = 16;  // cells of a side of what is pooled
  // A band of strips is surveyed in one piece: it fills whole rows of blocks.
  static Index band_rows();

  void reshape(Index tokens, Index d_k);
  HeadPanels& panels() { return panels_; }
  Index bands() const { return (panels_.tokens() + band_rows() - 1) / band_rows(); }

  // Row maxima, sums and context of the band's queries, and its part of the map. May run on several threads
  // for different bands.
  void survey(Index band, const Matrix& q, const StripRules& rules, MatrixOut context);
  // With a causal mask, `scores` and `scaled` have cells that nothing else needs: their part of the map.
  void survey_future(Index band, const Matrix& q);
  bool surveyed(Index band) const { return surveyed_[static_cast<std::size_t>(band)] != 0; }

  // A tile of a T x T stage. Pooled from the map where a cell of the tile is at least as large as a block:
  // its edges then lie on those of blocks. Else cell by cell. Throws Error when the part lies outside. Bands
  // that were not surveyed yet look like the nearest one that was. q must live, and nothing change, while the
  // rows are read.
  Tile tile(const TileRequest& request, const Matrix& q, const StripRules& rules) const;
  // Some columns of a stage. Precondition: the bands whose rows are read are surveyed.
  RowSource rows(Stage stage, Span columns, const Matrix& q, const StripRules& rules) const;

 private:
  struct Grid {  // by block of queries and block of keys; or, of a strip, by block of keys and query
    Grid() = default;
    Grid(Index rows, Index columns);
    Matrix low, high, sum;
  };
  struct Keys;    // some keys of a strip
  struct Survey;  // of a strip, while it goes through the keys
  void survey_strip(Index strip, const Matrix& q, const StripRules& rules, MatrixOut context);
  Index open_from(Index line, const StripRules& rules) const;
  void survey_keys(const Keys& keys, Survey& survey) const;
  void weigh_blocks(Index strip, const StripRules& rules, const Matrix& references, Survey& survey);
  // Blocks of keys of a strip's queries join those of the rows of blocks that the queries are in. The first
  // row of `pooled` stands for `first_block`.
  void enter(Index strip, const Grid& pooled, Index first_block, Span blocks, Grid& grid) const;

  // In head_map_tile.cpp.
  ValueRange range_of(Stage stage, const StripRules& rules) const;
  void read(Stage stage, Index strip, Span columns, const Matrix& q, const StripRules& rules,
            MatrixOut rows) const;
  Tile map_tile(const TileRequest& request, Span rows, Span columns, const StripRules& rules) const;
  std::vector<Index> surveyed_rows(Span rows) const;
  double open_cells(Index line, Span blocks, const StripRules& rules) const;

  HeadPanels panels_;
  Eigen::ArrayXf maxima_, sums_, least_weights_;  // by query
  // Raw scores; those that may be attended to, from open_from() of each row of blocks on, before which they
  // are all of them; weights, without `low`.
  Grid all_, open_, weights_;
  std::vector<char> surveyed_;  // by band
};

}  // namespace headlight
