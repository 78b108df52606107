#include "app/export/motion_of.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/figure/motion/joining_motion.h"
#include "app/figure/motion/mixing_motion.h"
#include "app/figure/motion/product_motion.h"
#include "app/figure/motion/row_motion.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/label_text.h"
#include "app/figure/plan/names.h"
#include "engine/layer/edit.h"
#include "engine/views/matrix_tile.h"

namespace headlight {
namespace {

constexpr Index kMostSide = 40;         // rows and columns of a matrix drawn small
constexpr Index kMostJoined = 64;       // heads that are put side by side
constexpr Index kMostDimensions = 128;  // numbers of a row of values

class MotionBuilder {
 public:
  MotionBuilder(MotionNumbers& numbers, const CellAddress& cell, const MotionRoom& room)
      : numbers_(numbers), layer_(numbers.layer()), cell_(cell), room_(room) {}

  MotionPlan plan() {
    trace_ = numbers_.trace(cell_);
    switch (cell_.stage) {
      case Stage::Scaled:
      case Stage::Capped:
      case Stage::Biased:
      case Stage::Masked:
      case Stage::Weights:
      case Stage::Dropped:
        return row_motion();
      case Stage::Context:
        return mixing();
      case Stage::Concat:
        return joining();
      case Stage::Embeddings:
      case Stage::Queries:
      case Stage::Keys:
      case Stage::Values:
      case Stage::RotatedQueries:
      case Stage::RotatedKeys:
      case Stage::Scores:
      case Stage::Output:
        break;
    }
    return product();
  }

 private:
  std::string row_name() const {
    return token_name(row_labels(layer_, cell_.stage), cell_.row, numbers_.counting());
  }
  std::string query() const { return "“" + row_name() + "”"; }
  std::string key(Index at) const { return token_name(layer_.key_labels(), at, numbers_.counting()); }
  // By the stage that made the numbers: one that passes them on unchanged is not spoken of.
  std::string name_of(Stage stage) const {
    const AttentionSettings& settings = layer_.attention;
    if (stage == Stage::Dropped && !settings.dropout.active()) stage = Stage::Weights;
    if (stage == Stage::Masked && settings.mask == MaskKind::None) stage = Stage::Scaled;
    if (stage == Stage::Scaled && settings.scale.kind == ScaleKind::None) stage = Stage::Scores;
    return std::string(stage_info(stage).name);
  }

  std::shared_ptr<const RowSummary> row_of(Stage stage, Index head, Index row, Index most) {
    return numbers_.row({stage, cell_.sequence, head, row, most});
  }

  // The stage's matrix, small.
  std::shared_ptr<const Tile> tile_of(Stage stage, Index head, Index side = kMostSide) {
    const StageColors colors = numbers_.colors(stage);
    TileRequest request;
    request.stage = stage;
    request.sequence = cell_.sequence;
    request.head = head;
    request.max_rows = request.max_columns = side;
    request.pooling = pooling_of(colors, stage);
    request_spread(request, colors);
    const std::shared_ptr<const Tile> found = numbers_.tile(request);
    return found && found->values.size() > 0 ? found : nullptr;
  }

  // As the large picture colours it.
  CellColors colors_of(Stage stage, Index head) {
    const StageColors chosen = numbers_.colors(stage);
    const ValueStatistics numbers =
        numbers_.statistics(stage, cell_.sequence, chosen.shared ? std::nullopt : std::optional<Index>(head));
    const StageColors colors = picture_colors(chosen, stage, numbers.range);
    return {Colormap::of(colormap_of(colors, stage), room_.style.neutral),
            color_range(numbers, colors, stage)};
  }

  static MotionMatrix matrix_of(const std::string& name, const Tile& tile, const CellColors& colors,
                                bool turned = false) {
    MotionMatrix matrix{name, tile.values.rows(), tile.values.cols(), {}};
    if (turned) std::swap(matrix.rows, matrix.columns);
    for (Index r = 0; r < matrix.rows; ++r)
      for (Index c = 0; c < matrix.columns; ++c) {
        const Index row = turned ? c : r, column = turned ? r : c;
        const bool empty = tile.mark(row, column) != CellMark::None;
        matrix.colors.push_back(empty ? Color{0, 0, 0, 0} : colors.of(tile.values(row, column)));
      }
    return matrix;
  }
  // Where row or column `at` of the whole matrix is drawn.
  static Index drawn_row(const Tile& tile, Index at) { return at * tile.values.rows() / tile.total_rows; }
  static Index drawn_column(const Tile& tile, Index at) {
    return at * tile.values.cols() / tile.total_columns;
  }

  struct Side {
    std::shared_ptr<const Tile> tile;
    CellColors colors;
    std::string name, line;  // of the matrix, and of its row or column
    bool turned = false;
    Index at = 0;  // the row or column, as it is drawn
  };

  // A matrix of numbers that are given.
  Side given_side(const Matrix& matrix) const {
    Side side;
    side.tile = std::make_shared<const Tile>(matrix_tile(matrix, kMostSide, kMostSide));
    const StageColors colors = picture_colors({}, Stage::Embeddings, side.tile->range);
    side.colors = {Colormap::of(colormap_of(colors, Stage::Embeddings), room_.style.neutral),
                   color_range({side.tile->range, {}}, colors, Stage::Embeddings)};
    return side;
  }

  Side stage_side(Stage stage, Index head) {
    Side side;
    side.tile = tile_of(stage, head);
    if (side.tile) side.colors = colors_of(stage, head);
    side.name = name_of(stage);
    return side;
  }

  Side left_side(const std::optional<Parameter>& parameter) {
    Side side;
    if (!parameter) {
      const bool rotated = stage_exists(layer_, Stage::RotatedQueries);
      side = stage_side(rotated ? Stage::RotatedQueries : Stage::Queries, cell_.head);
      side.line = "query of " + row_name();
    } else if (*parameter == Parameter::Output) {
      side = stage_side(Stage::Concat, 0);
      side.line = "concat of " + row_name();
    } else {
      side = given_side(layer_.projection_input(*parameter, cell_.sequence));
      side.name = "embeddings";
      side.line = "embedding of " + row_name();
    }
    if (side.tile) side.at = drawn_row(*side.tile, cell_.row);
    return side;
  }

  Side right_side(const std::optional<Parameter>& parameter) {
    Side side;
    if (!parameter) {
      const bool rotated = stage_exists(layer_, Stage::RotatedKeys);
      const Stage stage = rotated ? Stage::RotatedKeys : Stage::Keys;
      side = stage_side(stage, stage_head(layer_, stage, cell_.head));
      side.name += "ᵀ";
      side.line = "key of " + key(cell_.column);
      side.turned = true;
      if (side.tile) side.at = drawn_row(*side.tile, cell_.column);
      return side;
    }
    const InputId weight{InputKind::Weight, 0, *parameter};
    const Matrix& stored = input_matrix(layer_, weight);
    side = given_side(stored);
    side.turned = layer_.weights.layout == WeightLayout::OutIn;
    const Index column = cell_.head * stage_columns(layer_, cell_.stage) + cell_.column;
    side.at = side.turned ? drawn_row(*side.tile, column) : drawn_column(*side.tile, column);
    side.name = std::string("W_") + parameter_name(*parameter) + (side.turned ? "ᵀ" : "");
    side.line = side.name + ", column " + numbers_.counting().number(column);
    return side;
  }

  MotionPlan product() {
    const auto parameter = parameter_of(layer_, cell_.stage);
    const Side left = left_side(parameter), right = right_side(parameter);
    const Side result = stage_side(cell_.stage, cell_.head);
    if (!trace_ || !left.tile || !right.tile || !result.tile) return {};
    ProductMotion motion;
    motion.left = matrix_of(left.name, *left.tile, left.colors);
    motion.right = matrix_of(right.name, *right.tile, right.colors, right.turned);
    motion.result = matrix_of(result.name, *result.tile, result.colors);
    motion.left_row = left.at;
    motion.right_column = right.at;
    motion.row = drawn_row(*result.tile, cell_.row);
    motion.column = drawn_column(*result.tile, cell_.column);
    motion.terms = trace_->terms;
    if (trace_->has_bias) motion.bias = trace_->bias;
    motion.value = trace_->value;
    motion.left_colors = left.colors;
    motion.right_colors = right.colors;
    motion.result_colors = result.colors;
    motion.left_name = left.line;
    motion.right_name = right.line;
    motion.result_name = motion_title(layer_, cell_, numbers_.counting());
    motion.decimals = numbers_.decimals();
    return plan_product(motion, room_);
  }

  // As many places as bars can be told apart in.
  Index most_places() const {
    constexpr double kLeastPlace = 5;  // planned pixels
    const auto fitting = static_cast<Index>(room_.width * 0.72 / scaled_px(room_.style, kLeastPlace));
    return std::clamp<Index>(fitting / 16 * 16, 16, 256);
  }

  MotionPlan row_motion() {
    const Stage from = stage_before(layer_, cell_.stage);
    const auto before = row_of(from, cell_.head, cell_.row, most_places());
    const auto after = row_of(cell_.stage, cell_.head, cell_.row, most_places());
    const Side old_side = stage_side(from, cell_.head), new_side = stage_side(cell_.stage, cell_.head);
    if (!trace_ || !before || !after || !old_side.tile || !new_side.tile ||
        before->values.size() != after->values.size())
      return {};
    RowMotion motion;
    motion.before = matrix_of(old_side.name, *old_side.tile, old_side.colors);
    motion.after = matrix_of(new_side.name, *new_side.tile, new_side.colors);
    motion.row = drawn_row(*new_side.tile, cell_.row);
    motion.from = before->values;
    motion.to = after->values;
    motion.marks = after->marks;
    motion.from_colors = old_side.colors;
    motion.to_colors = new_side.colors;
    motion.total = after->total;
    motion.query = query();
    motion.decimals = numbers_.decimals();
    if (motion.total == static_cast<Index>(motion.from.size()))
      for (Index i = 0; i < motion.total; ++i)
        motion.labels.push_back(spoken_label(layer_.key_labels()[static_cast<std::size_t>(i)]));
    tell(motion);
    return plan_row_motion(motion, room_);
  }

  // What the stage does to the row.
  void tell(RowMotion& motion) const {
    const CellTrace::Chain& chain = trace_->chain;
    if (cell_.stage == Stage::Masked) {
      motion.operation = RowOperation::Mask;
      const OpenCells open = layer_.open_cells(cell_.sequence, cell_.head);
      for (Index i = 0; i < motion.total; ++i)
        motion.allowed += open.contains(cell_.row, i) ? 1 : 0;
    } else if (cell_.stage == Stage::Weights) {
      tell_softmax(motion);
    } else if (cell_.stage == Stage::Dropped) {
      motion.operation = RowOperation::Dropout;
      motion.factor = static_cast<float>(1 / (1 - layer_.attention.dropout.probability));
    } else if (cell_.stage == Stage::Capped) {
      const std::string cap = number_text(layer_.attention.softcap, 1);
      motion.how = cap + " × tanh(x / " + cap + ")";
      motion.why = "Large scores are bent below " + cap;
    } else if (cell_.stage == Stage::Biased) {
      motion.how = "+ bias";
      motion.why = "To every score a number of this query and key is added";
    } else {
      motion.how = "× " + number_text(chain.scale, motion.decimals);
      const bool usual = layer_.attention.scale.kind == ScaleKind::InverseSqrtDk;
      motion.why = "Every score is multiplied by " + number_text(chain.scale, motion.decimals) +
                   (usual ? ", which is 1/√dₖ" : "");
    }
  }

  void tell_softmax(RowMotion& motion) const {
    const CellTrace::Chain& chain = trace_->chain;
    motion.operation = RowOperation::Softmax;
    motion.exponentials = layer_.attention.normalization != Normalization::Sum;
    motion.sum = chain.row_sum;
    motion.raised_known = chain.row_terms.size() == motion.from.size();
    if (motion.raised_known) {
      motion.raised = chain.row_terms;
      return;
    }
    for (const float logit : motion.from)
      motion.raised.push_back(motion.exponentials ? std::exp(logit - chain.row_max) : logit);
  }

  MotionPlan mixing() {
    const Stage stage = stage_exists(layer_, Stage::Dropped) ? Stage::Dropped : Stage::Weights;
    const Index shared = stage_head(layer_, Stage::Values, cell_.head);
    const auto weights = row_of(stage, cell_.head, cell_.row, layer_.key_count());
    const auto result = row_of(Stage::Context, cell_.head, cell_.row, kMostDimensions);
    const Side left = stage_side(stage, cell_.head), middle = stage_side(Stage::Values, shared);
    const Side right = stage_side(Stage::Context, cell_.head);
    if (!weights || !result || !left.tile || !middle.tile || !right.tile) return {};
    MixingMotion motion;
    motion.weights = matrix_of(left.name, *left.tile, left.colors);
    motion.values = matrix_of(middle.name, *middle.tile, middle.colors);
    motion.context = matrix_of(right.name, *right.tile, right.colors);
    motion.row = drawn_row(*left.tile, cell_.row);
    motion.result = result->values;
    motion.weight_colors = left.colors;
    motion.value_colors = middle.colors;
    motion.context_colors = right.colors;
    motion.query = query();
    motion.decimals = numbers_.decimals();
    for (const Index at : heaviest(*weights, motion)) {
      const auto value = row_of(Stage::Values, shared, at, kMostDimensions);
      if (!value) continue;
      motion.parts.push_back({drawn_row(*middle.tile, at), drawn_column(*left.tile, at),
                              weights->values[static_cast<std::size_t>(at)], value->values, key(at)});
    }
    if (motion.parts.size() < parts_) return {};
    return plan_mixing(motion, room_);
  }

  // The keys with the largest weights, as many as have room, in the order of the tokens.
  std::vector<Index> heaviest(const RowSummary& weights, MixingMotion& motion) {
    const auto size_of = [&](Index at) { return std::abs(weights.values[static_cast<std::size_t>(at)]); };
    std::vector<Index> keys;
    for (Index at = 0; at < static_cast<Index>(weights.values.size()); ++at)
      if (size_of(at) > 0) keys.push_back(at);
    if (keys.empty()) keys.push_back(0);
    const std::size_t most = std::min(fitting_parts(room_), keys.size());
    std::stable_sort(keys.begin(), keys.end(), [&](Index a, Index b) { return size_of(a) > size_of(b); });
    double rest = 0;
    for (std::size_t i = most; i < keys.size(); ++i)
      rest += static_cast<double>(weights.values[static_cast<std::size_t>(keys[i])]);
    motion.others = static_cast<Index>(keys.size() - most);
    motion.others_weight = static_cast<float>(rest);
    keys.resize(most);
    std::sort(keys.begin(), keys.end());
    parts_ = keys.size();
    return keys;
  }

  MotionPlan joining() {
    const Index heads = layer_.head_count();
    const Side joined = stage_side(Stage::Concat, 0);
    JoiningMotion motion;
    bool known = joined.tile != nullptr;
    for (Index head = 0; head < heads; ++head) {
      const auto tile = tile_of(Stage::Context, head, std::max<Index>(4, kMostSide / heads));
      const auto row = row_of(Stage::Context, head, cell_.row, std::max<Index>(1, kMostDimensions / heads));
      known = known && tile && row;
      if (!tile || !row) continue;
      const CellColors colors = colors_of(Stage::Context, head);
      motion.heads.push_back(matrix_of(head_name(head, numbers_.counting()), *tile, colors));
      motion.head_row = drawn_row(*tile, cell_.row);
      motion.rows.push_back(row->values);
      motion.off.push_back(!layer_.attention.head_enabled(head));
      if (motion.off.back()) std::fill(motion.rows.back().begin(), motion.rows.back().end(), 0.0F);
      motion.colors.push_back(colors);
      const auto& series = room_.style.series;
      motion.marks.push_back(motion.off.back() ? room_.style.quiet_text
                                               : series[static_cast<std::size_t>(head) % series.size()]);
      motion.names.push_back(head_name(head, numbers_.counting()) + (motion.off.back() ? ", off" : ""));
    }
    if (!known) return {};
    motion.joined = matrix_of(joined.name, *joined.tile, joined.colors);
    motion.row = drawn_row(*joined.tile, cell_.row);
    motion.joined_colors = joined.colors;
    motion.query = query();
    motion.decimals = numbers_.decimals();
    return plan_joining(motion, room_);
  }

  MotionNumbers& numbers_;
  const Layer& layer_;
  CellAddress cell_;
  const MotionRoom& room_;
  std::shared_ptr<const CellTrace> trace_;
  std::size_t parts_ = 0;  // of a mixture
};

}  // namespace

bool has_motion(const Layer& layer, Stage stage) {
  if (!stage_exists(layer, stage)) return false;
  switch (stage) {
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values:
    case Stage::Output:
      return parameter_of(layer, stage).has_value();
    case Stage::Masked:
      return layer.attention.mask != MaskKind::None;
    case Stage::Weights:
      return stage_exists(layer, Stage::Masked);
    case Stage::Dropped:
      return layer.attention.dropout.active() && layer.attention.dropout.probability < 1;
    case Stage::Concat:
      return layer.head_count() > 1 && layer.head_count() <= kMostJoined;
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Context:
      return true;
    case Stage::Embeddings:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      break;
  }
  return false;
}

std::string motion_title(const Layer& layer, const CellAddress& cell, Counting counting) {
  const std::string column = is_pair(cell.stage) ? token_name(layer.key_labels(), cell.column, counting)
                                                 : counting.number(cell.column);
  return std::string(stage_info(cell.stage).name) + "[" +
         token_name(row_labels(layer, cell.stage), cell.row, counting) + ", " + column + "]";
}

MotionPlan motion_of(MotionNumbers& numbers, const CellAddress& cell, const MotionRoom& room) {
  return MotionBuilder(numbers, cell, room).plan();
}

}  // namespace headlight
