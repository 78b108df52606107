#include "app/ui/pipeline/pipeline_plan.h"

#include <algorithm>
#include <cmath>

#include "app/ui/picture/shown_heads.h"
#include "app/ui/widgets/area.h"

namespace headlight {
namespace {

// All in planned pixels.
constexpr double kGap = 12, kSlotGap = 4;
constexpr double kChipWidth = 44, kChipHeight = 24, kIdle = 24, kIdleColumn = 48;
constexpr double kValueWidth = 56;                  // width of matrices with a row for each token
constexpr double kInputWidth = 80;                  // width of the embeddings
constexpr double kLeastPair = 34, kMostPair = 120;  // width of T x T stages with one head
constexpr double kMostPairOfHeads = 208;            // and with several heads
constexpr double kLeastHeight = 104, kLeastOfOneRow = 56, kMostNodeHeight = 120;
constexpr double kJoin = 16;
constexpr double kHeadGap = 4;  // as in the grid of heads

struct SlotWidth {
  PipelineSetting setting;
  Stage into;
  double width;
};
constexpr SlotWidth kSlots[] = {{PipelineSetting::Scale, Stage::Scaled, 72},
                                {PipelineSetting::Mask, Stage::Masked, 84},
                                {PipelineSetting::Normalization, Stage::Weights, 92},
                                {PipelineSetting::Dropout, Stage::Dropped, 56}};

const SlotWidth* slot_into(const Model& model, Stage stage) {
  // Given weights have no earlier stages.
  if (model.attention.projection == Projection::Weights && stage != Stage::Dropped) return nullptr;
  const auto* found = std::find_if(std::begin(kSlots), std::end(kSlots),
                                   [&](const SlotWidth& slot) { return slot.into == stage; });
  return found == std::end(kSlots) ? nullptr : found;
}

// Wide enough for the chosen value.
double slot_width(const Model& model, const SlotWidth& slot) {
  const AttentionSettings& attention = model.attention;
  switch (slot.setting) {
    case PipelineSetting::Scale:
      return attention.scale.kind == ScaleKind::Number ? 92 : slot.width;
    case PipelineSetting::Mask:
      return attention.mask == MaskKind::Custom ? 104 : slot.width;
    case PipelineSetting::Normalization:
      return attention.normalization == Normalization::NaiveSoftmax ? 132 : slot.width;
    case PipelineSetting::Dropout:
      break;
  }
  return slot.width;
}

// Lays columns out from left to right.
class PipelineLayout {
 public:
  PipelineLayout(const Model& model, const PipelineArea& room) : model_(model), room_(room) {
    row_ = room.height / 3;
    main_ = in_one_row(model) ? room.height / 2 : room.height / 3;
  }

  // Lays out the plan with pictures of T x T stages `pair` pixels wide and returns its width. plan: null to
  // compute only the width.
  double lay(double pair, double gap, PipelinePlan* plan) {
    plan_ = plan;
    pair_ = pair;
    gap_ = gap;
    x_ = 0;
    columns_ = 0;
    ways_.clear();
    inputs();
    projections();
    turned();
    main_row();
    return x_;
  }
  int pairs() const { return pairs_; }
  int columns() const { return columns_; }

 private:
  double px(double planned) const { return planned * room_.scale; }
  bool has(Stage stage) const { return stage_exists(model_, stage); }
  double row_y(int row) const { return (row + 0.5) * row_ - room_.caption_height / 2; }
  double main_y() const { return main_ - room_.caption_height / 2; }

  // Starts a column to the right of the last one.
  void column(double width, double gap_before) {
    if (columns_ > 0) x_ += gap_before;
    ++columns_;
    at_ = x_;
    x_ += width;
  }

  struct Size {
    double width = 0, height = 0;
  };

  // The size that the heads of a T x T stage take in `room`, side by side or below each other.
  Size pictures_of_pairs(Stage stage, Size room) const {
    const int count = room_.heads > 0 ? room_.heads : static_cast<int>(stage_heads(model_, stage));
    const double gap = px(kHeadGap), aspect = picture_aspect(model_, stage);
    const int columns = best_columns(count, static_cast<float>(room.width), static_cast<float>(room.height),
                                     static_cast<float>(gap), static_cast<float>(aspect));
    const int rows = (count + columns - 1) / columns;
    const double most_width = (room.width - gap * (columns - 1)) / columns;
    const double most_height = (room.height - gap * (rows - 1)) / rows;
    const double width = std::min(most_width, most_height * aspect);
    return {columns * width + gap * (columns - 1), rows * width / aspect + gap * (rows - 1)};
  }

  void node(Stage stage, double width, double height, double y) {
    if (!plan_) return;
    PipelineNode node;
    node.stage = stage;
    node.idle = is_idle(model_, stage);
    const Size size = node.idle        ? Size{px(kIdle), px(kIdle)}
                      : is_pair(stage) ? pictures_of_pairs(stage, {width, height})
                                       : Size{width, height};
    const double w = size.width, h = size.height;
    const double middle = at_ + (node.idle ? px(kIdleColumn) : width) / 2;
    node.place = {std::floor(middle - w / 2), std::floor(y - h / 2), std::floor(w), std::floor(h)};
    const double caption = (node.idle ? px(kIdleColumn) : std::max(width, px(kIdleColumn))) +
                           px(stage == Stage::Embeddings ? 0 : 4);
    node.caption = {middle - caption / 2, node.place.bottom() + px(2), caption, room_.caption_height};
    plan_->nodes.push_back(node);
  }

  void chip(Parameter parameter, double y) {
    if (!plan_) return;
    PipelineNode node;
    node.parameter = parameter;
    node.place = {at_, std::floor(y - px(kChipHeight) / 2), px(kChipWidth), px(kChipHeight)};
    plan_->nodes.push_back(node);
  }

  // Pictures can be narrower than their columns: a line starts and ends behind them, so that there is no gap.
  static double behind(double left, double right) { return (left + right) / 2; }

  void wire(Point from, Point to, Stage leads_to, bool joins = false) {
    if (plan_) plan_->wires.push_back({from, to, leads_to, joins});
  }

  // The point that a row has reached, from left to right.
  struct Way {
    int row;
    Point at;
  };

  double value_height() const { return std::min(row_ - room_.caption_height - px(6), px(kMostNodeHeight)); }
  double main_height() const {
    const double room = in_one_row(model_) ? room_.height - room_.caption_height - px(6) : 2 * value_height();
    return std::min(room, px(kMostNodeHeight));
  }

  bool two_inputs() const { return has(Stage::Embeddings) && !model_.self_attention(); }

  // The height at which the row's input starts.
  double input_y(int row) const { return !two_inputs() ? row_y(1) : row == 0 ? row_y(0) : row_y(2); }

  void inputs() {
    if (!has(Stage::Embeddings)) return;
    const double width = px(kInputWidth);
    column(width, 0);
    const double height = two_inputs() ? value_height() : std::min(main_height(), 1.4 * value_height());
    node(Stage::Embeddings, width, height, input_y(0));
    if (!two_inputs() || !plan_) return;
    PipelineNode others;
    others.place = {at_, std::floor(input_y(1) - px(kChipHeight) / 2), width, px(kChipHeight)};
    plan_->nodes.push_back(others);
  }

  void projections() {
    const bool first = columns_ == 0;
    const double inputs_end = first ? x_ : behind(at_, x_);
    const Stage made[] = {Stage::Queries, Stage::Keys, Stage::Values};
    const Parameter by[] = {Parameter::Query, Parameter::Key, Parameter::Value};
    const bool linear = model_.attention.projection == Projection::Linear;
    if (!has(Stage::Queries) && !has(Stage::Values)) return;
    double chips = x_;
    if (linear) {
      column(px(kChipWidth), px(28));
      chips = at_;
      for (int i = 0; i < 3; ++i)
        chip(by[i], row_y(i));
    }
    const double chips_end = x_;
    column(px(kValueWidth), linear ? gap_ : px(28));
    for (int i = 0; i < 3; ++i) {
      if (!has(made[i])) continue;
      node(made[i], px(kValueWidth), value_height(), row_y(i));
      const Point from = {inputs_end, input_y(i)};
      if (linear && !first) wire(from, {chips, row_y(i)}, made[i]);
      if (!first) wire(linear ? Point{chips_end, row_y(i)} : from, {at_, row_y(i)}, made[i]);
      ways_.push_back({i, {behind(at_, x_), row_y(i)}});
    }
  }

  void turned() {
    if (!has(Stage::RotatedQueries)) return;
    column(px(kValueWidth), gap_);
    const Stage made[] = {Stage::RotatedQueries, Stage::RotatedKeys};
    for (int i = 0; i < 2; ++i) {
      node(made[i], px(kValueWidth), value_height(), row_y(i));
      wire(ways_[static_cast<std::size_t>(i)].at, {at_, row_y(i)}, made[i]);
      ways_[static_cast<std::size_t>(i)].at.x = behind(at_, x_);
    }
  }

  // A mark where lines meet.
  Point join(const std::string& operation, Stage makes) {
    column(px(kJoin), px(20));
    const Point at = {at_ + px(kJoin) / 2, main_y()};
    if (plan_) plan_->joins.push_back({at, operation, makes});
    return at;
  }

  void pair_stages() {
    pairs_ = 0;
    double end = x_;
    bool first = columns_ == 0;
    for (const Stage stage : stages_in_use(model_)) {
      if (!is_pair(stage)) continue;
      const SlotWidth* slot = first ? nullptr : slot_into(model_, stage);
      const double control = slot ? px(slot_width(model_, *slot)) : 0;
      const double before = slot ? control + 2 * px(kSlotGap) : gap_;
      const bool idle = is_idle(model_, stage);
      column(idle ? px(kIdleColumn) : pair_, before);
      if (!idle) ++pairs_;
      node(stage, pair_, main_height(), main_y());
      const double inset = idle ? (px(kIdleColumn) - px(kIdle)) / 2 : 0;
      if (!first) wire({end, main_y()}, {idle ? at_ + inset : behind(at_, x_), main_y()}, stage);
      if (slot && plan_)
        plan_->slots.push_back({slot->setting,
                                {at_ - before + px(kSlotGap), std::floor(main_y() - room_.control_height / 2),
                                 control, room_.control_height}});
      end = idle ? x_ - inset : behind(at_, x_);
      first = false;
    }
    end_ = {end, main_y()};
  }

  void main_row() {
    const auto way_of = [&](int row) {
      return std::find_if(ways_.begin(), ways_.end(), [row](const Way& way) { return way.row == row; });
    };
    if (has(Stage::Scores) && way_of(0) != ways_.end() && way_of(1) != ways_.end()) {
      const Point at = join("Q Kᵀ", Stage::Scores);
      wire(way_of(0)->at, at, Stage::Scores, true);
      wire(way_of(1)->at, at, Stage::Scores, true);
    }
    pair_stages();
    if (!has(Stage::Context)) return;
    if (way_of(2) != ways_.end()) {
      const Point at = join("α V", Stage::Context);
      wire(end_, at, Stage::Context, true);
      wire(way_of(2)->at, at, Stage::Context, true);
      end_ = at;
    }
    behind_context();
  }

  void behind_context() {
    for (const Stage stage : {Stage::Context, Stage::Concat, Stage::Output}) {
      if (!has(stage)) continue;
      if (stage == Stage::Output && model_.attention.output_projection) {
        column(px(kChipWidth), gap_);
        chip(Parameter::Output, main_y());
        wire(end_, {at_, main_y()}, stage);
        end_ = {x_, main_y()};
      }
      const bool idle = is_idle(model_, stage);
      column(px(idle ? kIdleColumn : kValueWidth), gap_);
      node(stage, px(kValueWidth), std::min(main_height(), 1.4 * value_height()), main_y());
      const double inset = idle ? px(kIdleColumn - kIdle) / 2 : 0;
      wire(end_, {at_ + inset, main_y()}, stage);
      end_ = {idle ? x_ - inset : behind(at_, x_), main_y()};
    }
  }

  const Model& model_;
  const PipelineArea& room_;
  PipelinePlan* plan_ = nullptr;
  double row_ = 0, main_ = 0;  // height of one of three rows; y of the main row
  double pair_ = 0, gap_ = 0, x_ = 0, at_ = 0;
  int columns_ = 0, pairs_ = 0;
  std::vector<Way> ways_;
  Point end_;  // of the main row so far
};

}  // namespace

bool in_one_row(const Model& model) {
  return !stage_exists(model, Stage::Queries) && !stage_exists(model, Stage::Values);
}

bool is_idle(const Model& model, Stage stage) {
  const AttentionSettings& settings = model.attention;
  switch (stage) {
    case Stage::Scaled:
      return settings.scale.kind == ScaleKind::None;
    case Stage::Masked:
      return settings.mask == MaskKind::None;
    case Stage::Dropped:
      return !settings.dropout.active();
    case Stage::Concat:
      return model.head_count() == 1;
    case Stage::Output:
      return !settings.output_projection;
    default:
      return false;
  }
}

PipelinePlan plan_pipeline(const Model& model, const PipelineArea& room) {
  PipelinePlan plan;
  const double u = room.scale;
  PipelineLayout layout(model, room);
  const double bare = layout.lay(0, kGap * u, nullptr);
  const int pairs = std::max(layout.pairs(), 1);
  const double most = (model.head_count() > 1 ? kMostPairOfHeads : kMostPair) * u;
  const double pair = std::min(std::floor((room.width - bare) / pairs), most);
  if (pair < kLeastPair * u || room.height < (in_one_row(model) ? kLeastOfOneRow : kLeastHeight) * u) {
    plan.names_only = true;
    return plan;
  }
  // The remaining width lengthens the lines between the nodes, up to a limit so that they still read as one
  // diagram.
  const double left = room.width - bare - pair * pairs;
  const double gap = kGap * u + std::clamp(left / std::max(layout.columns() - 1, 1), 0.0, 72 * u);
  PipelineLayout(model, room).lay(pair, std::floor(gap), &plan);
  return plan;
}

}  // namespace headlight
