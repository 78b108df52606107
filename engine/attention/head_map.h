// One head of a sequence too long to store even its scores. Of the T x T numbers it stores the maximum and
// the sum of each row, and a map: blocks of 16 x 16 cells pooled to what a picture needs. Any cell can be
// recomputed from its query and key.
//
// A strip of queries visits the keys block by block with running maxima and sums, as in Milakov and
// Gimelshein, "Online normalizer calculation for softmax" (2018), and Dao et al., "FlashAttention" (2022).
#pragma once

#include <vector>

#include "engine/attention/head_panels.h"
#include "engine/attention/strip_rules.h"
#include "engine/views/head_summary.h"
#include "engine/views/query.h"
#include "engine/views/row_source.h"
#include "engine/views/span.h"

namespace headlight {

class HeadMap {
 public:
  static constexpr Index kBlock = 16;  // side of a pooled block, in cells
  // A band of strips is surveyed together: it fills whole rows of blocks, and each block of keys is fetched
  // from memory once for all of its queries.
  static Index band_rows();

  explicit HeadMap(Workspace& workspace) : panels_(workspace) {}

  void reshape(Index tokens, Index d_k, Index d_v);
  HeadPanels& panels() { return panels_; }
  Index bands() const { return (panels_.key_count() + band_rows() - 1) / band_rows(); }

  // Computes row maxima, sums and context of the band's queries, and the band's part of the map. May run on
  // several threads for different bands.
  void survey(Index band, const Matrix& q, const StripRules& rules, MatrixOut context);
  // With a causal mask, `scores` and `scaled` have cells that no other stage needs: adds them to the map.
  void survey_future(Index band, const Matrix& q);
  bool surveyed(Index band) const { return surveyed_[static_cast<std::size_t>(band)] != 0; }

  // A tile of a T x T stage. Pooled from the map if a tile cell is at least as large as a block: tile edges
  // are then rounded to block edges. Otherwise computed cell by cell. Throws Error if the requested part lies
  // outside the matrix. A band that is not surveyed yet shows the nearest surveyed band.
  Tile tile(const TileRequest& request, const Matrix& q, const StripRules& rules) const;
  // The given columns of a stage. q must outlive the result, and nothing may change while rows are read.
  // Precondition: the bands whose rows are read are surveyed.
  RowSource rows(Stage stage, Span columns, const Matrix& q, const StripRules& rules) const;
  // The sums for a head summary, over all queries. Precondition: all bands are surveyed. Cost: O(T^2 d_k).
  HeadSums sums(const Matrix& q, const StripRules& rules) const;

 private:
  struct Grid {  // rows: blocks of queries; columns: blocks of keys
    Matrix low, high, sum;
  };
  struct BandRange {            // ranges over a band's rows of the map
    float low, high;            // raw scores of all cells, as in `all_`
    float open_low, open_high;  // raw scores of the cells that may be attended to
    float least_weight, largest_weight;
    Index masked;  // cells that the model's own mask closes
  };
  struct Pooled;  // per query of a strip, per block of keys
  struct Survey;  // state of a strip while it visits the keys
  Index open_from(Index line, const StripRules& rules) const;
  void begin_survey(Index strip, const Matrix& q, const StripRules& rules, Survey& survey) const;
  void survey_keys(Span keys, const StripRules& rules, Survey& survey);
  struct OpenKeys {  // which of a range of keys the queries of a strip may attend to
    // The first `open` keys (whole blocks) are open to all queries; `bias` decides for the rest.
    Index open = 0;
    const float* bias = nullptr;
  };
  // The bias points into `own`, or has static lifetime.
  OpenKeys open_keys(Index strip, Span keys, const StripRules& rules, Scratch& own) const;
  void add_sums(Index strip, const Matrix& q, const StripRules& rules, HeadSums& sums) const;
  struct ScoredKeys;  // the scores of a strip's queries with a range of keys
  void pool_keys(const ScoredKeys& keys, float factor, Survey& survey);
  // Returns the smallest weight of a cell that may be attended to.
  float end_survey(const StripRules& rules, Survey& survey, MatrixOut context);
  // Folds the values of the strip's queries into the rows of blocks that they belong to.
  void enter(Index strip, const Pooled& pooled, Span blocks, Grid& grid) const;
  Span band_lines(Index band) const;  // the band's rows of blocks
  void clear_band(Index band);
  void note_scores(Index band);                         // the range of all scores
  void note_open(Index band, const StripRules& rules);  // the range of the cells that may be attended to

  // In head_map_tile.cpp.
  ValueRange range_of(Stage stage, const StripRules& rules) const;
  void read(Stage stage, Index strip, Span columns, const Matrix& q, const StripRules& rules,
            MatrixOut rows) const;
  struct Line;
  Line joined_lines(const std::vector<Index>& lines, Stage stage, const StripRules& rules) const;
  void fill_tile_row(Index i, Span rows, Span columns, const StripRules& rules, Tile& tile) const;
  Tile map_tile(const TileRequest& request, Span rows, Span columns, const StripRules& rules) const;
  std::vector<Index> surveyed_rows(Span rows) const;
  double open_cells(Index line, Span blocks, const StripRules& rules) const;

  HeadPanels panels_;
  Eigen::ArrayXf maxima_, sums_;  // by query
  // all_: raw scores of all cells. open_: raw scores of the open cells, valid from column open_from() of each
  // row of blocks on; before it all cells are open and all_ holds them. weights_: weights, `low` unused.
  Grid all_, open_, weights_;
  std::vector<char> surveyed_;     // by band; the map rows of a band that is not surveyed are invalid
  std::vector<BandRange> ranges_;  // by band
};

}  // namespace headlight
