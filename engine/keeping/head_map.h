// One head of a sequence so long that not even its scores can be kept: of T x T numbers there stay the
// maximum and the sum of each row, and a map, blocks of 16 x 16 cells pooled to what a picture needs. Any
// cell is made again from its query and key.
//
// A strip of queries goes through the keys block by block, with maxima and sums that follow, as in Milakov
// and Gimelshein, "Online normalizer calculation for softmax" (2018), and Dao et al., "FlashAttention"
// (2022).
#pragma once

#include <vector>

#include "engine/keeping/head_panels.h"
#include "engine/keeping/strip_rules.h"
#include "engine/views/head_summary.h"
#include "engine/views/query.h"
#include "engine/views/row_source.h"
#include "engine/views/span.h"

namespace headlight {

class HeadMap {
 public:
  static constexpr Index kBlock = 16;  // cells of a side of what is pooled
  // A band of strips is surveyed in one piece: it fills whole rows of blocks, and what a query needs of the
  // keys is fetched from memory once for all of them.
  static Index band_rows();

  void reshape(Index tokens, Index d_k, Index d_v);
  HeadPanels& panels() { return panels_; }
  Index bands() const { return (panels_.key_count() + band_rows() - 1) / band_rows(); }

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
  // What a summary is made of, over all queries. Precondition: all bands are surveyed. Cost: O(T^2 d_k).
  HeadSums sums(const Matrix& q, const StripRules& rules) const;

 private:
  struct Grid {  // by block of queries and block of keys
    Matrix low, high, sum;
  };
  struct BandRange {            // of what a band's rows of the map hold
    float low, high;            // of raw scores, those of `all_`
    float open_low, open_high;  // of those that may be attended to
    float least_weight, largest_weight;
    Index masked;  // cells that the model's own mask closes
  };
  struct Pooled;  // of a strip's queries one by one, block of keys by block
  struct Survey;  // of a strip, while it goes through the keys
  Index open_from(Index line, const StripRules& rules) const;
  void begin_survey(Index strip, const Matrix& q, const StripRules& rules, Survey& survey) const;
  void survey_keys(Span keys, const StripRules& rules, Survey& survey);
  struct OpenKeys {  // which of some keys a strip's queries may attend to
    Index open = 0;  // so many, whole blocks, all of them; of the others the bias tells
    const float* bias = nullptr;
  };
  // The bias is in `own`, where the thread keeps it, or lives as long as the program.
  OpenKeys open_keys(Index strip, Span keys, const StripRules& rules, std::vector<float>& own) const;
  void add_sums(Index strip, const Matrix& q, const StripRules& rules, HeadSums& sums) const;
  struct ScoredKeys;  // the scores of a strip's queries with some keys
  void pool_keys(const ScoredKeys& keys, float factor, Survey& survey);
  // Gives the least weight of a cell that may be attended to.
  float end_survey(const StripRules& rules, Survey& survey, MatrixOut context);
  // The strip's queries join those of the rows of blocks that they are in.
  void enter(Index strip, const Pooled& pooled, Span blocks, Grid& grid) const;
  Span band_lines(Index band) const;  // its rows of blocks
  void clear_band(Index band);
  void note_scores(Index band);                         // the range of all of them
  void note_open(Index band, const StripRules& rules);  // of the cells that may be attended to

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
  // Raw scores; those that may be attended to, from open_from() of each row of blocks on, before which they
  // are all of them; weights, without `low`.
  Grid all_, open_, weights_;
  std::vector<char> surveyed_;     // by band; what is not has no rows of the map
  std::vector<BandRange> ranges_;  // by band
};

}  // namespace headlight
