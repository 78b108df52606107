#include "app/figure/plan/flow_plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/figure/plan/label_text.h"
#include "app/figure/plan/share_text.h"

namespace headlight {
namespace {

constexpr double kWidestSpan = 560, kHighestPitch = 68, kLowestPitch = 17, kNameGap = 8;
constexpr double kThinnest = 0.75, kThickest = 10, kDash = 7;
constexpr double kFaintest = 0.004;  // share of the strongest; weaker weights have no line
constexpr double kMostOfRow = 0.8;   // that the ends of a token's lines take
constexpr std::size_t kMostLines = 3000;
constexpr std::size_t kMostColumns = 4;  // of numbers beside a token; of more heads their mean

double title_height(const FigureStyle& style) {
  return line_height(style.label_size_px) + scaled_px(style, 4);
}

bool drawn(const FlowHead& head, Index row, Index column) {
  const std::size_t at = static_cast<std::size_t>(row * head.weights.cols() + column);
  return head.marks[at] == CellMark::None && std::isfinite(head.weights(row, column));
}

class FlowPlanner {
 public:
  FlowPlanner(const FlowFigure& figure, const FigureStyle& style, const MeasureText& measure)
      : figure_(figure), style_(style), measure_(measure) {}

  FlowPlan plan(double width, double height) {
    plan_.drawing.width = width;
    plan_.drawing.height = height;
    plan_.query_count = static_cast<Index>(figure_.queries.size());
    plan_.key_count = static_cast<Index>(figure_.keys.size());
    const Index rows = std::max(plan_.query_count, plan_.key_count);
    if (rows == 0) return std::move(plan_);
    const double line = line_height(style_.label_size_px), room = height - title_height(style_);
    // If labels are higher than their rows, the first and the last extend half a line beyond.
    const bool dense = room < line * static_cast<double>(rows);
    top_ = title_height(style_) + (dense ? line / 2 : 0);
    plan_.pitch = std::min(scaled_px(style_, kHighestPitch),
                           std::max(1e-3, room - (dense ? line : 0)) / static_cast<double>(rows));
    place_columns(width);
    add_titles();
    add_bands();
    collect_lines();
    set_widths();
    stack_ends(true);
    stack_ends(false);
    const double opacity = strength_opacity();
    for (const FlowPlan::Line& line : plan_.lines)
      add_line(line, opacity);
    query_labels_ = labels_with_room(true);
    key_labels_ = labels_with_room(false);
    add_labels(figure_.queries, query_labels_, plan_.queries.right(), Anchor::End);
    add_labels(figure_.keys, key_labels_, plan_.keys.x, Anchor::Start);
    if (figure_.query >= 0 && figure_.key < 0) add_numbers(true);
    if (figure_.key >= 0 && figure_.query < 0) add_numbers(false);
    return std::move(plan_);
  }

 private:
  std::size_t columns_requested() const {
    return figure_.heads.size() > kMostColumns ? 1 : figure_.heads.size();
  }
  bool shows_mean() const { return number_columns_ == 1 && figure_.heads.size() > 1; }
  int decimals() const { return number_columns_ == 1 ? 4 : number_columns_ == 2 ? 3 : 2; }
  double number_width() const {
    return measure_(figure_.percent ? share_text(0.0001) : number_text(-0.1, decimals()),
                    style_.number_size_px, FontFace::Number)
               .width +
           scaled_px(style_, 6);
  }
  double middle_of(Index row) const {
    return plan_.between.y + plan_.pitch * (static_cast<double>(row) + 0.5);
  }
  bool one_line() const { return figure_.query >= 0 && figure_.key >= 0; }

  double widest(const std::vector<std::string>& labels, double most) const {
    double width = 0;
    for (const std::string& label : labels)
      width = std::max(width, measure_(spoken_label(label), style_.label_size_px, FontFace::Text).width);
    return std::min(std::ceil(width), most);
  }

  // Both columns are as wide as the wider one, so that the lines are in the middle.
  void place_columns(double width) {
    const double gap = scaled_px(style_, kNameGap);
    for (const std::size_t columns : {columns_requested(), std::size_t{1}, std::size_t{0}}) {
      number_columns_ = columns;
      numbers_ = number_width() * static_cast<double>(columns);
      if (2 * numbers_ <= width * 0.4) break;
    }
    labels_ = std::max({widest(figure_.queries, width * 0.22), widest(figure_.keys, width * 0.22),
                        widest({"query"}, width * 0.22)});
    const double side = numbers_ + labels_;
    const double span = std::clamp(width - 2 * side - 2 * gap, 1.0, scaled_px(style_, kWidestSpan));
    const double left = std::floor(std::max(0.0, (width - span - 2 * side - 2 * gap) / 2));
    const double top = top_;
    const double query_height = plan_.pitch * static_cast<double>(plan_.query_count);
    const double key_height = plan_.pitch * static_cast<double>(plan_.key_count);
    plan_.queries = {left, top, side, query_height};
    plan_.between = {left + side + gap, top, span, std::max(query_height, key_height)};
    plan_.keys = {plan_.between.right() + gap, top, side, key_height};
  }

  PlannedText text(const std::string& what, double x, double y, Anchor anchor, Color color) const {
    return planned_label(style_, what, x, y, anchor, color);
  }

  void add_titles() {
    const double y = line_height(style_.label_size_px) / 2;
    plan_.drawing.texts.push_back(text("query", plan_.queries.right(), y, Anchor::End, style_.quiet_text));
    plan_.drawing.texts.push_back(text("key", plan_.keys.x, y, Anchor::Start, style_.quiet_text));
  }

  void add_bands() {
    const Color color = with_opacity(style_.accent, 0.22);
    const double line = line_height(style_.label_size_px);
    const double height = std::clamp(plan_.pitch, line, line + scaled_px(style_, 4));
    const double beside = scaled_px(style_, kNameGap) / 2;  // on the side of the lines
    if (figure_.query >= 0 && figure_.query < plan_.query_count)
      plan_.drawing.fills.push_back(
          {{plan_.queries.x, middle_of(figure_.query) - height / 2, plan_.queries.width + beside, height},
           color});
    if (figure_.key >= 0 && figure_.key < plan_.key_count)
      plan_.drawing.fills.push_back(
          {{plan_.keys.x - beside, middle_of(figure_.key) - height / 2, plan_.keys.width + beside, height},
           color});
  }

  double width_of(const FlowPlan::Line& line) const {
    return flow_line_width(line.strength, plan_.thickest, style_);
  }

  // Lines of tokens close to one another are thin enough to be distinguishable, and those of each query have
  // room beside one another: so a width means the same weight at all queries.
  void set_widths() {
    plan_.thickest = std::min(scaled_px(style_, kThickest), std::max(plan_.pitch, scaled_px(style_, 2)));
    std::vector<double> of_query(static_cast<std::size_t>(plan_.query_count));
    double most = 0;
    for (const FlowPlan::Line& line : plan_.lines)
      most = std::max(most, of_query[static_cast<std::size_t>(line.query)] += width_of(line));
    const double room = kMostOfRow * plan_.pitch;
    if (most > room) plan_.thickest *= room / most;
    for (FlowPlan::Line& line : plan_.lines)
      line.width = width_of(line);
  }

  // Puts the ends of a token's lines side by side, in the order of the heads and of their other ends, so that
  // none crosses another at the token. Where they are together wider than its row, they share the row.
  void stack_ends(bool at_queries) {
    const Index count = at_queries ? plan_.query_count : plan_.key_count;
    std::vector<std::vector<FlowPlan::Line*>> ends(static_cast<std::size_t>(count));
    for (FlowPlan::Line& line : plan_.lines)
      ends[static_cast<std::size_t>(at_queries ? line.query : line.key)].push_back(&line);
    for (Index token = 0; token < count; ++token) {
      std::vector<FlowPlan::Line*>& lines = ends[static_cast<std::size_t>(token)];
      std::sort(lines.begin(), lines.end(), [at_queries](const auto* a, const auto* b) {
        const Index of_a = at_queries ? a->key : a->query, of_b = at_queries ? b->key : b->query;
        return std::pair(a->head, of_a) < std::pair(b->head, of_b);
      });
      double all = 0;
      for (const FlowPlan::Line* line : lines)
        all += line->width;
      const double squeezed = all > 0 ? std::min(1.0, kMostOfRow * plan_.pitch / all) : 1;
      double y = middle_of(token) - all * squeezed / 2;
      for (FlowPlan::Line* line : lines) {
        const double width = line->width * squeezed;
        (at_queries ? line->y1 : line->y2) = y + width / 2;
        (at_queries ? line->width : line->to_width) = width;
        y += width;
      }
    }
  }

  // The key with the largest absolute weight of a query, of those that can have a line; -1: none.
  Index strongest_key(const FlowHead& head, Index row) const {
    Index best = -1;
    for (Index column = 0; column < head.weights.cols(); ++column)
      if (drawn(head, row, column) &&
          (best < 0 || std::abs(head.weights(row, column)) > std::abs(head.weights(row, best))))
        best = column;
    return best;
  }

  bool strong_enough(const FlowHead& head, Index row, Index column, Index strongest) const {
    const bool isolated = !one_line() && (row == figure_.query || column == figure_.key);
    return isolated || column == strongest ||
           std::abs(static_cast<double>(head.weights(row, column))) >= figure_.least;
  }

  void collect_lines() {
    for (std::size_t h = 0; h < figure_.heads.size(); ++h) {
      const FlowHead& head = figure_.heads[h];
      for (Index row = 0; row < head.weights.rows(); ++row) {
        const Index strongest = figure_.least > 0 ? strongest_key(head, row) : Index{-1};
        for (Index column = 0; column < head.weights.cols(); ++column) {
          if (!drawn(head, row, column) || !strong_enough(head, row, column, strongest)) continue;
          const double strength =
              std::min(1.0, std::abs(static_cast<double>(head.weights(row, column))) / figure_.strongest);
          if (!(strength >= kFaintest)) continue;
          plan_.lines.push_back({h, row, column, plan_.between.x, middle_of(row), plan_.between.right(),
                                 middle_of(column), strength});
        }
      }
    }
    std::stable_sort(
        plan_.lines.begin(), plan_.lines.end(),
        [](const FlowPlan::Line& a, const FlowPlan::Line& b) { return a.strength < b.strength; });
    if (plan_.lines.size() <= kMostLines) return;
    plan_.lines_hidden = plan_.lines.size() - kMostLines;
    plan_.lines.erase(plan_.lines.begin(),
                      plan_.lines.begin() + static_cast<std::ptrdiff_t>(plan_.lines_hidden));
  }

  bool stands_out(const FlowPlan::Line& line) const {
    if (one_line())
      return line.query == figure_.query && line.key == figure_.key && line.head == figure_.head;
    return line.query == figure_.query || line.key == figure_.key;
  }

  // Lower for many lines: hundreds of weak ones that cross would add up to a grey field.
  double faintest_opacity() const {
    return std::clamp(12.0 / static_cast<double>(plan_.lines.size()), 0.02, 0.2);
  }

  // Of a line's strength. Lower where the rows spread their weight over many keys alike: none of their lines
  // stands out, and at full strength they would be one dense weave.
  double strength_opacity() const {
    constexpr double kUsual = 0.75, kLowest = 0.3, kFewStrong = 2;  // the latter: strong lines of a row
    std::set<std::pair<std::size_t, Index>> rows;
    double strengths = 0;
    for (const FlowPlan::Line& line : plan_.lines) {
      rows.emplace(line.head, line.query);
      strengths += line.strength;
    }
    const double strong_of_row = strengths / static_cast<double>(std::max<std::size_t>(1, rows.size()));
    return std::clamp(kUsual * kFewStrong / std::max(strong_of_row, kFewStrong), kLowest, kUsual);
  }

  void add_line(const FlowPlan::Line& line, double strength_opacity) {
    const bool isolated = !one_line() && (figure_.query >= 0 || figure_.key >= 0);
    const bool out = stands_out(line);
    double width = line.width, to_width = line.to_width;
    double opacity = faintest_opacity() + strength_opacity * line.strength;
    Color color = color_of(figure_.heads[line.head], style_);
    if (one_line() && out) {
      color = style_.accent;
      width = std::max(width, scaled_px(style_, 2));
      to_width = std::max(to_width, scaled_px(style_, 2));
      opacity = 1;
    } else if (isolated) {
      opacity = out ? 0.3 + 0.7 * line.strength : opacity * 0.12;
    }
    color = with_opacity(color, opacity);
    // Negative weights, which normalising by the sum can give, are dashed.
    if (figure_.heads[line.head].weights(line.query, line.key) < 0)
      plan_.drawing.curves.push_back(
          {line.path(), std::min(width, to_width), color, scaled_px(style_, kDash)});
    else
      plan_.drawing.bands.push_back({line.path(), width, to_width, color});
  }

  // The tokens of one side that have a label, so that none touches another. Order of priority: the
  // highlighted token, tokens of highlighted lines, of other lines, each by strength, then the rest.
  std::vector<bool> labels_with_room(bool of_queries) const {
    const Index count = of_queries ? plan_.query_count : plan_.key_count;
    const double line = line_height(style_.label_size_px);
    const auto apart = static_cast<Index>(std::ceil(line / plan_.pitch - 1e-6));
    if (apart <= 1) return std::vector<bool>(static_cast<std::size_t>(count), true);
    std::vector<bool> shown(static_cast<std::size_t>(count), false);
    const auto show = [&](Index token) {
      for (Index near = std::max<Index>(0, token - apart + 1); near < std::min(count, token + apart); ++near)
        if (shown[static_cast<std::size_t>(near)]) return;
      shown[static_cast<std::size_t>(token)] = true;
    };
    const Index chosen = of_queries ? figure_.query : figure_.key;
    if (chosen >= 0 && chosen < count) show(chosen);
    const bool isolated = figure_.query >= 0 || figure_.key >= 0;
    for (const bool out : {true, false})
      for (std::size_t i = plan_.lines.size(); i-- > 0;)
        if ((!isolated || stands_out(plan_.lines[i])) == out)
          show(of_queries ? plan_.lines[i].query : plan_.lines[i].key);
    for (Index token = 0; token < count; ++token)
      show(token);
    return shown;
  }

  void add_labels(const std::vector<std::string>& labels, const std::vector<bool>& shown, double x,
                  Anchor anchor) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (!shown[i]) continue;
      const std::string fitted = shortened(spoken_label(labels[i]), labels_, style_.label_size_px, measure_);
      if (fitted.empty()) continue;
      plan_.drawing.texts.push_back(text(fitted, x, middle_of(static_cast<Index>(i)), anchor, style_.text));
    }
  }

  // The weights of the highlighted query beside the keys, or of the highlighted key beside the queries.
  void add_numbers(bool of_query) {
    if (numbers_ <= 0) return;
    const Index count = of_query ? plan_.key_count : plan_.query_count;
    if (shows_mean())
      plan_.drawing.texts.push_back(text(
          "mean", of_query ? plan_.keys.right() : plan_.queries.x + number_width() - scaled_px(style_, 6),
          line_height(style_.label_size_px) / 2, Anchor::End, style_.quiet_text));
    for (Index i = 0; i < count; ++i) {
      const Index row = of_query ? figure_.query : i, column = of_query ? i : figure_.key;
      if (row >= plan_.query_count || column >= plan_.key_count) continue;
      if (!(of_query ? key_labels_ : query_labels_)[static_cast<std::size_t>(i)]) continue;
      for (std::size_t c = 0; c < number_columns_; ++c) {
        const double right = of_query ? plan_.keys.right() - numbers_ : plan_.queries.x;
        PlannedText number =
            text(number_at(c, row, column),
                 right + number_width() * static_cast<double>(c + 1) - (of_query ? 0 : scaled_px(style_, 6)),
                 middle_of(i), Anchor::End, number_color(c));
        number.size_px = style_.number_size_px;
        number.face = FontFace::Number;
        if (!number.text.empty()) plan_.drawing.texts.push_back(std::move(number));
      }
    }
  }

  Color number_color(std::size_t column) const {
    return number_columns_ > 1 ? color_of(figure_.heads[column], style_) : style_.text;
  }

  std::string number_of(double weight) const {
    return figure_.percent ? share_text(weight) : number_text(weight, decimals());
  }

  std::string number_at(std::size_t column, Index row, Index key) const {
    if (!shows_mean()) {
      const FlowHead& head = figure_.heads[column];
      const std::size_t at = static_cast<std::size_t>(row * head.weights.cols() + key);
      return head.marks[at] == CellMark::None ? number_of(double{head.weights(row, key)}) : "";
    }
    double sum = 0;
    bool any = false;
    for (const FlowHead& head : figure_.heads) {
      sum += static_cast<double>(head.weights(row, key));
      any |= head.marks[static_cast<std::size_t>(row * head.weights.cols() + key)] == CellMark::None;
    }
    return !any ? "" : number_of(sum / static_cast<double>(figure_.heads.size()));
  }

  const FlowFigure& figure_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  double top_ = 0;                   // y of the first row of tokens
  double labels_ = 0, numbers_ = 0;  // widths within a column of tokens
  std::size_t number_columns_ = 1;
  std::vector<bool> query_labels_, key_labels_;  // which tokens have a label
  FlowPlan plan_;
};

// The index of the token under a point in a column of tokens; -1: none.
Index token_at(const Rect& column, Index count, double x, double y) {
  if (count == 0 || x < column.x || x >= column.right() || y < column.y || y >= column.bottom()) return -1;
  return std::min(count - 1, static_cast<Index>((y - column.y) / column.height * static_cast<double>(count)));
}

bool holds(const Rect& rect, double x, double y) {
  return x >= rect.x && x <= rect.right() && y >= rect.y && y <= rect.bottom();
}

}  // namespace

Index FlowPlan::line_at(double x, double y, double reach) const {
  Index nearest = -1;
  double least = reach;
  // From the strongest line: of equally near ones it is the one drawn on top.
  for (std::size_t i = lines.size(); i-- > 0;) {
    const Curve path = lines[i].path();
    if (!holds(outset(bounds(path), least), x, y)) continue;
    const double away = distance(path, {x, y});
    if (away >= least) continue;
    least = away;
    nearest = static_cast<Index>(i);
  }
  return nearest;
}

Index FlowPlan::query_at(double x, double y) const {
  return token_at(queries, query_count, x, y);
}

Index FlowPlan::key_at(double x, double y) const {
  return token_at(keys, key_count, x, y);
}

Index flow_capacity(double height, const FigureStyle& style) {
  const double room = height - title_height(style);
  return std::max<Index>(1, static_cast<Index>(room / scaled_px(style, kLowestPitch)));
}

double flow_line_width(double strength, double thickest, const FigureStyle& style) {
  return std::max(std::min(scaled_px(style, kThinnest), thickest), strength * thickest);
}

bool is_tangle(const Layer& layer) {
  constexpr Index kManyTokens = 16, kManyHeads = 4;
  return std::max(layer.token_count(), layer.key_count()) >= kManyTokens || layer.head_count() >= kManyHeads;
}

Color color_of(const FlowHead& head, const FigureStyle& style) {
  return head.off ? style.quiet_text : style.series[head.series];
}

FlowPlan plan_flow(const FlowFigure& figure, const FigureStyle& style, double width, double height,
                   const MeasureText& measure) {
  return FlowPlanner(figure, style, measure).plan(width, height);
}

}  // namespace headlight
