// Requests of views to the evaluator, and results, which contain a whole T x T stage only if it is small.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/layer/stage.h"

namespace headlight {

enum class Pooling { Mean, Max, AbsMax };  // how cells are combined; AbsMax keeps the sign

// The content of a tile. Noise, MeanDropped: for `dropped`, the multipliers, 0 or 1/(1-p), and the mean of
// many draws. Reference, Difference: for any stage, the stage of the baseline, and the current stage minus
// that. HeadPart: for `output`, the contribution of one head, see head_part in kernels.h. Gradient: for any
// stage, how fast the loss of the goal changes with its numbers. HeadMean, HeadMaximum: for any stage with
// heads, each cell's mean over all of them, or its largest number; a cell is marked if it is in every head.
// ValueWeighted: for `weights` and `dropped`, each weight times the length of what its key's value adds to
// the output, see Evaluator::value_weighted; of the present state, of the baseline, and their difference.
// WithoutFirst: for `weights`, what each row gives to the keys behind the first one, summing to 1 again; the
// first key is marked as masked. See Evaluator::without_first.
enum class TileContent : std::uint8_t {
  Stage,
  Noise,
  MeanDropped,
  Reference,
  Difference,
  HeadPart,
  Gradient,
  HeadMean,
  HeadMaximum,
  ValueWeighted,
  ValueWeightedReference,
  ValueWeightedDifference,
  WithoutFirst
};
constexpr bool is_by_value(TileContent content) {
  return content == TileContent::ValueWeighted || content == TileContent::ValueWeightedReference ||
         content == TileContent::ValueWeightedDifference;
}
constexpr bool is_of_baseline(TileContent content) {
  return content == TileContent::Reference || content == TileContent::ValueWeightedReference;
}
constexpr bool is_difference(TileContent content) {
  return content == TileContent::Difference || content == TileContent::ValueWeightedDifference;
}

// Heads side by side, or put together cell by cell.
enum class HeadPool : std::uint8_t { Each, Mean, Maximum };
constexpr TileContent content_of(HeadPool pool) {
  return pool == HeadPool::Mean      ? TileContent::HeadMean
         : pool == HeadPool::Maximum ? TileContent::HeadMaximum
                                     : TileContent::Stage;
}

struct TileRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0;
  Index head = 0;                    // 0 for stages without heads, except for HeadPart
  Index row_begin = 0, row_end = 0;  // half open; end 0: to the end
  Index column_begin = 0, column_end = 0;
  Index max_rows = 256, max_columns = 256;  // limits on the size of the result
  Pooling pooling = Pooling::AbsMax;
  TileContent content = TileContent::Stage;
  Index draws = 0;         // of MeanDropped: the requested number of draws
  bool spread = false;     // whether to compute Tile::spread
  Index spread_begin = 0;  // first column included in it: 1 excludes the first token
  bool operator==(const TileRequest&) const = default;
};

// A pooled cell is marked if all its cells are. Appeared and Vanished occur only in differences: masked
// before and not now, and the reverse. Empty: there can be no number, in tables of analyses only.
enum class CellMark : std::uint8_t { None, Masked, Dropped, Appeared, Vanished, Empty };
inline constexpr std::size_t kCellMarkCount = 6;

struct ValueRange {  // over finite, unmasked cells; empty() if there are none
  float low = 0, high = 0;
  Index finite = 0, nan = 0, infinite = 0, masked = 0, dropped = 0;  // cells of each kind
  Index appeared = 0, vanished = 0;                                  // of a difference
  bool empty() const { return finite == 0; }
};

// The distribution of the finite cells without a mark; see value_spread.h.
struct ValueSpread {
  float low = 0, high = 0;
  float percentile_2 = 0, percentile_98 = 0;
  float least_positive = 0;  // 0 if no number is positive
  Index count = 0;           // number of cells; 0 also if the spread was not requested
};

struct Tile {
  TileRequest request;                      // with its ends resolved
  Index total_rows = 0, total_columns = 0;  // shape of the whole matrix
  Matrix values;                // at most max_rows x max_columns; masked cells of `masked` are -infinity
  std::vector<CellMark> marks;  // row-major, like values
  ValueRange range;             // of the whole matrix, not only of the tile
  ValueSpread spread;           // of the whole matrix, if requested
  // Of stored weights beside a sink: what it takes of each row, the most where rows are pooled; else empty.
  std::vector<float> sink_weights;
  bool pooled = false;
  Index draws = 0;  // of MeanDropped: draws included, at most those requested
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

// The computation of one cell, with all operands.
struct CellTrace {
  CellAddress cell;
  float value = 0;
  CellMark mark = CellMark::None;

  // Queries, Keys, Values, Output: x . w + bias. Scores: q . k. Context: sum over keys of dropped x value.
  // Empty if the value is copied (embeddings, concat, projection None).
  std::vector<Term> terms;
  bool has_bias = false;
  float bias = 0;

  // For any T x T stage: the whole chain of stages at this query and key.
  struct Chain {
    float score = 0, scale = 1, scaled = 0;
    std::optional<float> capped;        // if there is a softcap
    std::optional<float> bias, biased;  // what is added, and the sum; if there is a bias
    float logit = 0;                    // the last of scaled, capped and biased: what the mask selects from
    bool allowed = true;
    float row_max = 0;      // softmax subtracts it; 0 for the other normalisations
    float exponential = 0;  // exp(logit - row_max); the logit itself for Sum
    float row_sum = 0;
    std::optional<float>
        sink;  // exp(sink - row_max), the part of row_sum that is no key's; if there is a sink
    std::vector<float> row_terms;  // the terms of row_sum by key, for at most kMostTracedKeys keys
    float weight = 0;
    float noise = 1;  // 0 or 1/(1-p)
    float dropped = 0;
  };
  bool has_chain = false;  // of given weights, the chain starts at them
  Chain chain;
  // RotatedQueries, RotatedKeys: the pair before the rotation; none for numbers that are not rotated.
  struct Turn {
    Index first_column = 0, second_column = 0;
    float first = 0, second = 0;  // becomes first cos - second sin, second cos + first sin
    Index position = 0;
    double angle = 0;      // in radians
    double magnitude = 1;  // cos and sin are multiplied by it
  };
  std::optional<Turn> turn;
  // Concat and Output: the head and column of `context` that a concat column is copied from.
  Index source_head = 0, source_column = 0;
  // Output: the contribution of each head; with the bias they sum to the value, within rounding.
  std::vector<float> head_parts;
};

struct RowRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0, head = 0, row = 0;
  Index max_values = 256;
  bool by_value = false;  // as TileContent::ValueWeighted
  bool operator==(const RowRequest&) const = default;
};

// The summary of one head's weights; see head_summary.h.
struct HeadRequest {
  Index sequence = 0, head = 0;
  bool operator==(const HeadRequest&) const = default;
};

// The measures of one head's weights; see head_measures.h. PictureKind is the matrix for
// HeadMeasure::LikePicture: the weights of a head of the current state, of a head of the baseline, or of the
// same head of the baseline; or the model's custom mask, whether it is in use or not.
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

// The cells of one matrix that differ most between the baseline and the current state; see difference.h.
inline constexpr Index kMostChanges = 64;
struct ChangesRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0, head = 0;
  Index count = 10;       // at most kMostChanges
  bool by_value = false;  // as TileContent::ValueWeightedDifference
  bool operator==(const ChangesRequest&) const = default;
};
struct CellChange {
  Index row = 0, column = 0;
  float before = 0, after = 0;
  CellMark mark = CellMark::None;  // Appeared or Vanished if it is masked in one state only
  float difference() const { return after - before; }
};
struct ChangeList {
  ChangesRequest request;
  std::vector<CellChange> largest;   // finite ones, the largest first; ties by row and column
  Index changed = 0;                 // cells with a finite difference other than zero
  Index appeared = 0, vanished = 0;  // cells masked in one state only
  Index not_finite = 0;              // cells that are NaN or infinite in one of the states
};

// One row of a stage, summarized as a distribution.
struct RowSummary {
  RowRequest request;
  Index total = 0;
  std::vector<float> values;  // pooled by maximum if total exceeds max_values
  std::vector<CellMark> marks;
  float sum = 0;           // over all finite cells
  float entropy_bits = 0;  // of rows that are distributions (weights), else 0; NaN if a weight is NaN
  Index largest = -1;      // column of the largest finite value; -1 if there is none
};

}  // namespace headlight
