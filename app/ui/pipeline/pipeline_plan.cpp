#include "app/ui/pipeline/pipeline_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/curve.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/widgets/area.h"

namespace headlight {
namespace {

// All in planned pixels.
constexpr double kGap = 16, kBend = 28, kNamesGap = 10, kNamesBend = 18, kChipGap = 5, kSlotGap = 4,
                 kCaptionGap = 2;
constexpr double kChipWidth = 36, kIdle = 24, kDot = 9, kMore = 24;
constexpr double kLeastValue = 56, kMostValue = 120;  // width of matrices with a row for each token
constexpr double kInputWidth = 80;                    // width of the embeddings
constexpr double kLeastPair = 34;                     // width of T x T stages
constexpr double kLeastHeight = 24, kMostHeight = 240, kLeastValueHeight = 14;
constexpr double kHeadGap = 4;     // as in the grid of heads
constexpr double kJoinSpread = 6;  // between the ends of two lines that lead to one picture

// The stages that a narrow diagram of names is left with.
constexpr StageSet kEssential = stage_bit(Stage::Embeddings) | stage_bit(Stage::Queries) |
                                stage_bit(Stage::Keys) | stage_bit(Stage::Values) | stage_bit(Stage::Scores) |
                                stage_bit(Stage::Weights) | stage_bit(Stage::Context) |
                                stage_bit(Stage::Output);

struct Size {
  double width = 0, height = 0;
};

struct SlotWidth {
  PipelineSetting setting;
  StripPart part;
  Stage into;
  double width;
};
constexpr SlotWidth kSlots[] = {
    {PipelineSetting::Scale, StripPart::Scale, Stage::Scaled, 72},
    {PipelineSetting::Mask, StripPart::Mask, Stage::Masked, 84},
    {PipelineSetting::Normalization, StripPart::Normalization, Stage::Weights, 92},
    {PipelineSetting::Dropout, StripPart::Dropout, Stage::Dropped, 56}};

const SlotWidth* slot_above(const Layer& layer, const StripContent& content, Stage stage) {
  // Given weights have no earlier stages.
  if (layer.attention.projection == Projection::Weights && stage != Stage::Dropped) return nullptr;
  const auto* found = std::find_if(std::begin(kSlots), std::end(kSlots), [&](const SlotWidth& slot) {
    return slot.into == stage && content.shows(slot.part);
  });
  return found == std::end(kSlots) ? nullptr : found;
}

// Wide enough for the chosen value.
double slot_width(const Layer& layer, const SlotWidth& slot) {
  const AttentionSettings& attention = layer.attention;
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

// The operation that makes a stage of the main row, where no setting says it.
std::string operation_of(const Layer& layer, const StripContent& content, Stage stage) {
  const bool projected = content.shows(Stage::Queries);
  switch (stage) {
    case Stage::Scores:
      return projected ? "Q Kᵀ" : "X Xᵀ";
    case Stage::Weights:
      return layer.attention.projection == Projection::Weights ? "" : "softmax";
    case Stage::Context:
      return content.shows(Stage::Values) ? "α V" : "α X";
    case Stage::Embeddings:
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Dropped:
    case Stage::Concat:
    case Stage::Output:
      break;
  }
  return "";
}

// Lays columns out from left to right.
class PipelineLayout {
 public:
  PipelineLayout(const Layer& layer, const StripContent& content, const PipelineArea& room, PipelineForm form)
      : layer_(layer), content_(content), room_(room), form_(form) {
    plan_.form = form;
    rows_ = content.shows(Stage::Queries) || content.shows(Stage::Values);
    for (const Stage stage : stages_in_use(layer))
      if (content.shows(stage)) shown_.push_back(stage);
    goes_round_ =
        content.shows(Stage::Context) && shown_sources(layer, content.stages, Stage::Context).size() > 1;
    heights();
  }

  bool has_height() const {
    return form_ == PipelineForm::Names ||
           (main_height_ >= px(kLeastHeight) && (!rows_ || value_height_ >= px(kLeastValueHeight)));
  }

  // The width that the diagram needs with pictures of T x T stages up to `pair` wide.
  double width(double pair) {
    pair_ = pair;
    gather();
    double total = 0;
    for (const Column& column : columns_)
      total += column.gap + column.width;
    return total;
  }

  // Precondition: width(pair) <= room.width.
  PipelinePlan lay(double pair) {
    const double left = room_.width - width(pair);
    const double share = left / std::max<double>(1, static_cast<double>(columns_.size()) - 1);
    double x = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      if (i > 0) x += column.gap + share;
      column.x = x;
      column.before = i > 0 ? column.gap + share : 0;
      x += column.width;
    }
    place_nodes();
    place_above();
    for (const Stage stage : shown_)
      wires_to(stage);
    finish();
    return std::move(plan_);
  }

 private:
  struct Item {
    std::optional<Stage> stage;  // none: the other sequence's embeddings
    Size size;
    double y = 0;  // of its middle
  };
  struct Column {
    std::vector<Item> items;
    double gap = 0, width = 0;  // gap: the least one before it
    double x = 0, before = 0;   // before: the gap as it is
    double above = 0;           // width of the setting or the operation above it
    bool more = false;
  };

  double px(double planned) const { return planned * room_.scale; }
  bool pictures() const { return form_ == PipelineForm::Pictures; }
  double gap() const { return px(pictures() ? kGap : kNamesGap); }
  double bend() const { return px(pictures() ? kBend : kNamesBend); }
  double text(const std::string& name) const { return std::ceil(room_.text_width(name)); }
  bool linear() const { return layer_.attention.projection == Projection::Linear; }
  bool two_inputs() const { return content_.shows(Stage::Embeddings) && !layer_.self_attention(); }
  double chip_height() const { return room_.caption_height + px(3); }
  double caption_room() const { return room_.caption_height + px(kCaptionGap); }

  bool has_control() const {
    for (const Stage stage : shown_)
      if (slot_above(layer_, content_, stage)) return true;
    return false;
  }

  // The heights of the rows and of the main row.
  void heights() {
    if (!pictures()) return heights_of_names();
    const double top = (has_control() ? room_.control_height : chip_height()) + px(kSlotGap);
    row_ = room_.height / 3;
    const double above = linear() ? chip_height() + px(2) : 0, free = row_ - caption_room() - px(2);
    value_height_ = std::min({free, 2 * (free - above), px(kMostHeight)});
    first_row_ = std::max(value_height_ / 2, above);
    const double bottom = !goes_round_ ? room_.height : rows_ ? row_y(2) - px(4) : room_.height - px(8);
    main_height_ = std::min(bottom - caption_room() - px(2) - top, px(kMostHeight));
    main_ = top + main_height_ / 2;
    round_ = rows_ ? row_y(2) : room_.height - px(4);
    if (!rows_) value_height_ = 0.7 * main_height_;
  }

  void heights_of_names() {
    const double line = px(kDot) + caption_room();
    row_ = line + px(4);
    first_row_ = px(kDot) / 2;
    main_ = rows_ && content_.shows(Stage::Scores) ? (row_y(0) + row_y(1)) / 2 : row_y(0);
    round_ = rows_ ? row_y(2) : line + px(4);
    main_height_ = value_height_ = px(kDot);
  }

  double row_y(int row) const { return row * row_ + first_row_; }
  double inputs_y() const { return !rows_ ? main_ : pictures() ? row_y(1) : main_; }

  // The size of the pictures of a stage's heads in `most`, side by side or below each other.
  Size pictures_in(Stage stage, Size most) const {
    const int count = room_.heads > 0 ? 1 : static_cast<int>(stage_heads(layer_, stage));
    const double gap = px(kHeadGap), aspect = picture_aspect(layer_, stage);
    const int columns = best_columns(count, static_cast<float>(most.width), static_cast<float>(most.height),
                                     static_cast<float>(gap), static_cast<float>(aspect));
    const int rows = (count + columns - 1) / columns;
    const Size cells = cells_in(
        stage, {(most.width - gap * (columns - 1)) / columns, (most.height - gap * (rows - 1)) / rows});
    return {columns * cells.width + gap * (columns - 1), rows * cells.height + gap * (rows - 1)};
  }

  // The size of one picture, whose cells are square, or up to half as long again as they are high.
  Size cells_in(Stage stage, Size most) const {
    const auto rows = static_cast<double>(std::max<Index>(1, stage_rows(layer_, stage)));
    const auto columns = static_cast<double>(std::max<Index>(1, stage_columns(layer_, stage)));
    const auto whole = [](double cell) { return cell >= 1 ? std::floor(cell) : cell; };
    // A heatmap leaves the last pixel of its area free.
    const double across = std::min((most.width - 1) / columns, px(64)),
                 down = std::min((most.height - 1) / rows, px(64));
    const double smaller = whole(std::min(across, down));
    const double larger = is_pair(stage) ? smaller : std::max(1.5 * smaller, px(24));
    const auto side = [&](double cell, double count) {
      return std::max(2.0, std::floor(whole(std::min(cell, larger)) * count + 1 + 1e-6));
    };
    return {side(across, columns), side(down, rows)};
  }

  Size size_of(Stage stage) const {
    if (!pictures()) return {px(kDot), px(kDot)};
    if (is_idle(layer_, stage)) return {px(kIdle), px(kIdle)};
    if (is_pair(stage)) return pictures_in(stage, {pair_, main_height_});
    const double wide = std::clamp(1.7 * value_height_, px(kLeastValue), px(kMostValue)),
                 most = std::min(main_height_, 1.4 * value_height_);
    if (stage == Stage::Embeddings)
      return pictures_in(stage, {std::max(px(kInputWidth), wide), two_inputs() ? value_height_ : most});
    if (stage < Stage::Scores) return pictures_in(stage, {wide, value_height_});
    return pictures_in(stage, {wide, most});
  }

  // The width of what stands above the stage.
  double above_width(Stage stage) const {
    if (!pictures() || stage < Stage::Scores) return 0;
    if (const SlotWidth* slot = slot_above(layer_, content_, stage)) return px(slot_width(layer_, *slot));
    if (stage == Stage::Output && layer_.attention.output_projection) return px(kChipWidth);
    const std::string operation = operation_of(layer_, content_, stage);
    return operation.empty() ? 0 : text(operation);
  }

  void add(Column& column, Stage stage, double y) {
    if (!content_.shows(stage)) return;
    const Size size = size_of(stage);
    column.items.push_back({stage, size, y});
    column.above = std::max(column.above, above_width(stage));
    column.width = std::max({column.width, size.width, text(content_.name(stage)), column.above});
  }

  // Appends a column, unless it is empty.
  void append(Column column, double gap) {
    if (column.items.empty() && !column.more) return;
    column.gap = columns_.empty() ? 0 : gap;
    columns_.push_back(std::move(column));
  }

  void gather() {
    columns_.clear();
    gather_inputs();
    Column projected;
    const Stage made[] = {Stage::Queries, Stage::Keys, Stage::Values};
    for (int i = 0; i < 3; ++i)
      add(projected, made[i], row_y(i));
    append(projected, bend() + (pictures() && linear() ? px(kChipWidth + 2 * kChipGap) : 0));
    Column turned;
    add(turned, Stage::RotatedQueries, row_y(0));
    add(turned, Stage::RotatedKeys, row_y(1));
    append(turned, gap());
    for (const Stage stage : shown_) {
      if (stage < Stage::Scores) continue;
      Column column;
      add(column, stage, main_);
      const bool bends = stage == Stage::Scores || stage == Stage::Context ||
                         (!columns_.empty() && columns_.back().items.size() > 1);
      append(column, bends ? bend() : gap());
    }
    if (content_.more.empty()) return;
    Column more;
    more.more = true;
    more.width = px(kMore);
    append(more, gap());
  }

  void gather_inputs() {
    Column inputs;
    const bool two = two_inputs();
    add(inputs, Stage::Embeddings, two ? row_y(0) : inputs_y());
    if (two && !inputs.items.empty()) {
      Item others;
      const double name = text("X_k") + px(8);
      others.size =
          pictures() ? Size{std::max(name, px(kChipWidth)), chip_height()} : Size{name, chip_height()};
      others.y = pictures() ? (row_y(1) + row_y(2)) / 2 : row_y(2);
      inputs.width = std::max(inputs.width, others.size.width);
      inputs.items.push_back(others);
    }
    append(inputs, 0);
  }

  void place_nodes() {
    for (const Column& column : columns_) {
      const double middle = column.x + column.width / 2;
      for (const Item& item : column.items) {
        PipelineNode node;
        node.stage = item.stage;
        node.idle = item.stage && is_idle(layer_, *item.stage);
        node.place = {std::floor(middle - item.size.width / 2), std::floor(item.y - item.size.height / 2),
                      item.size.width, item.size.height};
        if (item.stage) {
          const double name = text(content_.name(*item.stage));
          node.caption = {middle - name / 2, node.place.bottom() + px(kCaptionGap), name,
                          room_.caption_height};
        }
        plan_.nodes.push_back(node);
      }
      if (column.more) {
        const double side = std::min(px(kMore), pictures() ? px(kMore) : 2 * main_);
        plan_.more = {middle - side / 2, main_ - side / 2, side, side};
      }
    }
  }

  const PipelineNode* node_of(const StripSource& source) const {
    const auto found = std::find_if(plan_.nodes.begin(), plan_.nodes.end(), [&](const PipelineNode& node) {
      return !node.parameter && node.stage == source;
    });
    return found == plan_.nodes.end() ? nullptr : &*found;
  }

  const Column& column_of(const StripSource& source) const {
    return *std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
      return std::any_of(column.items.begin(), column.items.end(),
                         [&](const Item& item) { return item.stage == source; });
    });
  }

  // The settings, operations and matrices above the pictures. Those of the main row stand at one height.
  void place_above() {
    if (!pictures()) return;
    double highest = main_ - px(kIdle) / 2;
    for (const Stage stage : shown_)
      if (stage >= Stage::Scores) highest = std::min(highest, node_of(stage)->place.y);
    const double bottom = highest - px(kSlotGap);
    for (const Stage stage : shown_) {
      const Column& column = column_of(stage);
      const double middle = column.x + column.width / 2;
      if (stage < Stage::Scores) {
        if (linear() && stage != Stage::Embeddings && stage < Stage::RotatedQueries)
          chip(*parameter_of(layer_, stage),
               {column.x - column.before + px(kBend + kChipGap),
                node_of(stage)->place.y + node_of(stage)->place.height / 2 - px(2) - chip_height(),
                column.before - px(kBend + 2 * kChipGap), chip_height()});
        continue;
      }
      const double width = above_width(stage);
      if (width <= 0) continue;
      const double left = std::floor(middle - width / 2);
      if (const SlotWidth* slot = slot_above(layer_, content_, stage))
        plan_.slots.push_back({slot->setting,
                               {left, std::floor(bottom - room_.control_height), width, room_.control_height},
                               stage});
      else if (stage == Stage::Output)
        chip(Parameter::Output, {left, bottom - chip_height(), width, chip_height()});
      else
        plan_.labels.push_back({{left, bottom - room_.caption_height, width, room_.caption_height},
                                operation_of(layer_, content_, stage),
                                stage});
    }
  }

  // A chip in the middle of `room`.
  void chip(Parameter parameter, const Rect& room) {
    PipelineNode node;
    node.parameter = parameter;
    const double width = std::min(px(kChipWidth), room.width);
    node.place = {std::floor(room.x + (room.width - width) / 2), std::floor(room.y), width, room.height};
    plan_.nodes.push_back(node);
  }

  static double middle_of(const Rect& rect) { return rect.y + rect.height / 2; }

  // The lines to a stage from all its sources.
  void wires_to(Stage stage) {
    const std::vector<StripSource> sources = shown_sources(layer_, content_.stages, stage);
    const PipelineNode* to = node_of(stage);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const PipelineNode* from = node_of(sources[i]);
      const double count = static_cast<double>(sources.size()),
                   spread = std::min(px(kJoinSpread), to->place.height / 5);
      // Two lines end apart; of the context's, that from the weights stays level.
      double end = middle_of(to->place);
      if (stage == Stage::Context)
        end += i > 0 ? 2 * spread : 0;
      else if (sources.size() > 1)
        end += (static_cast<double>(i) - (count - 1) / 2) * 2 * spread;
      double begin = middle_of(from->place);
      const bool twice = i > 0 && sources[i] == sources[i - 1];
      if (twice || (i + 1 < sources.size() && sources[i] == sources[i + 1])) begin = end;
      wire(sources[i], from, begin, stage, to, end, stage == Stage::Context && i > 0);
    }
  }

  void wire(const StripSource& source, const PipelineNode* from, double begin, Stage stage,
            const PipelineNode* to, double end, bool round) {
    const Column &first = column_of(source), &last = column_of(stage);
    const double leave = std::max(first.x + first.width, from->place.right()),
                 arrive = std::min(last.x, to->place.x);
    std::vector<Point> path = {{from->place.right(), begin}};
    const auto go = [&](double x, double y) { path.push_back({x, y}); };
    if (round && std::abs(round_ - begin) >= 1) {
      // The embeddings leave downwards, below all names.
      const double lower = from->place.bottom() - std::min(px(kJoinSpread), from->place.height / 5);
      path.front().y = lower;
      go(leave, lower);
      go(leave + std::min(bend(), after(first)), round_);
      begin = round_;
    }
    const bool early = !round && stage < Stage::Scores;
    if (std::abs(begin - end) >= 1) {
      go(early ? leave : arrive - std::min(bend(), last.before), begin);
      go(early ? leave + std::min(bend(), last.before) : arrive, end);
    }
    if (path.back().x < to->place.x) go(to->place.x, end);
    plan_.wires.push_back({source, stage, std::move(path)});
  }

  // The gap behind a column.
  double after(const Column& column) const {
    const auto next = &column - columns_.data() + 1;
    return static_cast<std::size_t>(next) < columns_.size() ? columns_[static_cast<std::size_t>(next)].before
                                                            : 0;
  }

  void finish() {
    for (const PipelineNode& node : plan_.nodes) {
      plan_.width = std::max({plan_.width, node.place.right(), node.caption.right()});
      plan_.height = std::max({plan_.height, node.place.bottom(), node.caption.bottom()});
    }
    if (plan_.more) {
      plan_.width = std::max(plan_.width, plan_.more->right());
      plan_.height = std::max(plan_.height, plan_.more->bottom());
    }
    if (goes_round_) plan_.height = std::max(plan_.height, round_ + px(2));
  }

  const Layer& layer_;
  const StripContent& content_;
  const PipelineArea& room_;
  PipelineForm form_;
  PipelinePlan plan_;
  std::vector<Stage> shown_;
  std::vector<Column> columns_;
  bool rows_ = false;                                      // queries, keys and values have a row each
  bool goes_round_ = false;                                // a line leads round the weights to the context
  double row_ = 0, first_row_ = 0, main_ = 0, round_ = 0;  // heights: between rows, of the first, ...
  double main_height_ = 0, value_height_ = 0, pair_ = 0;
};

}  // namespace

std::vector<Point> wire_points(const PipelineWire& wire) {
  constexpr int kSteps = 16;
  std::vector<Point> points;
  for (std::size_t i = 0; i < wire.path.size(); ++i) {
    const Point& to = wire.path[i];
    if (i > 0 && std::abs(to.y - wire.path[i - 1].y) >= 1) {
      const Curve curve = level_curve(wire.path[i - 1], to);
      for (int step = 1; step < kSteps; ++step)
        points.push_back(point_on(curve, static_cast<double>(step) / kSteps));
    }
    points.push_back(to);
  }
  return points;
}

bool in_one_row(const Layer& layer) {
  return !stage_exists(layer, Stage::Queries) && !stage_exists(layer, Stage::Values);
}

PipelinePlan plan_names(const Layer& layer, const StripContent& content, const PipelineArea& room) {
  PipelineLayout all(layer, content, room, PipelineForm::Names);
  if (all.width(0) <= room.width) return all.lay(0);
  StripContent fewer = content;
  fewer.stages &= kEssential | content.kept;
  PipelineLayout essential(layer, fewer, room, PipelineForm::Names);
  return essential.width(0) <= room.width ? essential.lay(0) : PipelinePlan{};
}

PipelinePlan plan_pipeline(const Layer& layer, const StripContent& content, const PipelineArea& room) {
  PipelineLayout layout(layer, content, room, PipelineForm::Pictures);
  const double least = std::ceil(kLeastPair * room.scale);
  if (!layout.has_height() || layout.width(least) > room.width) return plan_names(layer, content, room);
  // The widest pictures that fit.
  double low = least, high = std::ceil(3 * std::max(room.height, least));
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (layout.width(middle) <= room.width ? low : high) = middle;
  }
  return layout.lay(low);
}

}  // namespace headlight
