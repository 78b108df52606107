// What a view may ask of the evaluator, and what it gets: never a whole T x T stage unless it is small.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/model/stage.h"

namespace headlight {

enum class Pooling { Mean, Max, AbsMax };  // how several cells become one; AbsMax keeps the sign

// What a tile shows beside the stage's own numbers. Of `dropped`: the multipliers, 0 or 1/(1-p), and the mean
// of many draws. Of any stage: the same one of the state that is kept to compare with, and how far the
// present one has moved from it. Of `output`: the part that one head has in it, see head_part in kernels.h.
enum class TileContent : std::uint8_t { Stage, Noise, MeanDropped, Reference, Difference, HeadPart };

struct TileRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0;
  Index head = 0;                    // 0 for stages without heads, except of a HeadPart
  Index row_begin = 0, row_end = 0;  // half open; end 0 means to the end
  Index column_begin = 0, column_end = 0;
  Index max_rows = 256, max_columns = 256;  // at most so many values come back
  Pooling pooling = Pooling::AbsMax;
  TileContent content = TileContent::Stage;
  Index draws = 0;         // of MeanDropped: how many are requested for
  bool spread = false;     // whether Tile::spread is requested for
  Index spread_begin = 0;  // the first column that counts in it: 1 leaves the first token out
  bool operator==(const TileRequest&) const = default;
};

// A pooled cell is marked if all its cells are. Appeared and vanished only of a difference: masked before and
// not now, and the other way round.
enum class CellMark : std::uint8_t { None, Masked, Dropped, Appeared, Vanished };
inline constexpr std::size_t kCellMarkCount = 5;

struct ValueRange {  // over finite, unmasked cells; low > high when there are none
  float low = 0, high = 0;
  Index finite = 0, nan = 0, infinite = 0, masked = 0, dropped = 0;  // cells of each kind
  Index appeared = 0, vanished = 0;                                  // of a difference
  bool empty() const { return finite == 0; }
};

// How the finite cells without a mark are spread; see value_spread.h.
struct ValueSpread {
  float low = 0, high = 0;
  float percentile_2 = 0, percentile_98 = 0;
  float least_positive = 0;  // 0 when no number is positive
  Index count = 0;           // how many there are; 0 as well when the spread was not asked for
};

struct Tile {
  TileRequest request;                      // with its ends filled in
  Index total_rows = 0, total_columns = 0;  // shape of the whole matrix
  Matrix values;                // at most max_rows x max_columns; masked cells of `masked` hold -infinity
  std::vector<CellMark> marks;  // row-major, as values
  ValueRange range;             // of the whole matrix, not only of the tile
  ValueSpread spread;           // likewise, when it was asked for
  bool pooled = false;
  Index draws = 0;  // of MeanDropped: how many are in it, at most those requested for
  CellMark mark(Index row, Index column) const {
    return marks[static_cast<std::size_t>(row * values.cols() + column)];
  }
};

// One product of a sum of products.
struct Term {
  float left = 0, right = 0;
  float product() const { return left * right; }
};

inline constexpr Index kMostTracedKeys = 64;

// How one cell came about, with the real numbers.
struct CellTrace {
  CellAddress cell;
  float value = 0;
  CellMark mark = CellMark::None;

  // Queries, Keys, Values, Output: x . w + bias. Scores: q . k. Context: sum over keys of dropped x value.
  // Empty when the value is copied (embeddings, concat, projection None).
  std::vector<Term> terms;
  bool has_bias = false;
  float bias = 0;

  // For the T x T stages: the whole chain at this query and key, whichever of the stages was asked for.
  struct Chain {
    float score = 0, scale = 1, scaled = 0;
    std::optional<float> capped;        // where there is a softcap
    std::optional<float> bias, biased;  // what is added, and the sum; where anything is
    float logit = 0;                    // the last of scaled, capped and biased: what the mask selects from
    bool allowed = true;
    float row_max = 0;      // softmax subtracts it; 0 for the other normalisations
    float exponential = 0;  // exp(logit - row_max); the logit itself for Sum
    float row_sum = 0;
    std::vector<float>
        row_terms;  // what row_sum adds up, key by key; of rows of at most kMostTracedKeys keys
    float weight = 0;
    float noise = 1;  // 0 or 1/(1-p)
    float dropped = 0;
  };
  bool has_chain = false;  // of weights that are given, the chain begins with them
  Chain chain;
  // RotatedQueries, RotatedKeys: the pair of queries or keys that the number was turned from. Of a number
  // behind those that are turned, none.
  struct Turn {
    Index first_column = 0, second_column = 0;
    float first = 0, second = 0;  // turns into first cos - second sin, second cos + first sin
    Index position = 0;
    double angle = 0;      // in radians
    double magnitude = 1;  // cos and sin are multiplied by it
  };
  std::optional<Turn> turn;
  // Concat and Output: which head and column of `context` a concat column is.
  Index source_head = 0, source_column = 0;
  // Output: what each head adds; with the bias they sum to the value, within rounding.
  std::vector<float> head_parts;
};

struct RowRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0, head = 0, row = 0;
  Index max_values = 256;
  bool operator==(const RowRequest&) const = default;
};

// The summary of one head's weights; see head_summary.h.
struct HeadRequest {
  Index sequence = 0, head = 0;
  bool operator==(const HeadRequest&) const = default;
};

// The measures of one head's weights; see head_measures.h. What they are compared with for
// HeadMeasure::LikePicture: the weights of a head of the present state, of one of the state that is kept, or
// of the same head of that, or the model's own mask as it is painted, whether it is in force or not.
enum class PictureKind : std::uint8_t { None, Head, BaselineHead, SameBaselineHead, Mask };
struct HeadPicture {
  PictureKind kind = PictureKind::None;
  Index head = 0;  // of Head and BaselineHead
  bool operator==(const HeadPicture&) const = default;
  bool of_baseline() const {
    return kind == PictureKind::BaselineHead || kind == PictureKind::SameBaselineHead;
  }
};
struct MeasuresRequest {
  Index sequence = 0, head = 0;
  HeadPicture picture;
  bool operator==(const MeasuresRequest&) const = default;
};

// The cells of one matrix that moved most from the state that is kept to the present one; see difference.h.
inline constexpr Index kMostChanges = 64;
struct ChangesRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0, head = 0;
  Index count = 10;  // at most kMostChanges
  bool operator==(const ChangesRequest&) const = default;
};
struct CellChange {
  Index row = 0, column = 0;
  float before = 0, after = 0;
  CellMark mark = CellMark::None;  // appeared or vanished where it is masked in one of the two
  float difference() const { return after - before; }
};
struct ChangeList {
  ChangesRequest request;
  std::vector<CellChange> largest;   // finite ones, the largest first; equal ones by row and column
  Index changed = 0;                 // how many numbers moved by something finite
  Index appeared = 0, vanished = 0;  // cells that are masked in one of the two
  Index not_finite = 0;              // how many cannot be subtracted: NaN or infinite in one of the two
};

// One query's row as a distribution.
struct RowSummary {
  RowRequest request;
  Index total = 0;
  std::vector<float> values;  // pooled by maximum when total exceeds max_values
  std::vector<CellMark> marks;
  float sum = 0;  // over all finite cells
  float entropy_bits =
      0;               // of rows that are distributions (weights), else 0; NaN where one of the weights is
  Index largest = -1;  // column of the largest finite value, -1 when there is none
};

}  // namespace headlight
