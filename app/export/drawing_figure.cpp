#include "app/export/drawing_figure.h"

#include <algorithm>
#include <cmath>

#include "app/export/figure_titles.h"
#include "app/figure/plan/flow_plan.h"
#include "app/figure/plan/label_text.h"
#include "app/figure/plan/row_plan.h"
#include "app/figure/plan/share_text.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kPadding = 16, kWidth = 640, kFlowPitch = 28, kLowFlowPitch = 18, kHighestFlow = 1000,
                 kRowHeight = 560;
constexpr double kBarPitch = 56, kWidestRow = 1200, kNarrowestBar = 3, kLeastDrawing = 60;
constexpr Index kRoomyTokens = 24;

// A page with its title; the contents begin at `top`.
struct Page {
  FigureGrid figure;
  double top = 0, padding = 0;
};

Page begin_page(const std::string& title, const std::string& subtitle, double width, const FigureStyle& style,
                const FigureOptions& options, const MeasureText& measure) {
  GridLimits limits;
  limits.padding_px = scaled_px(style, kPadding);
  limits.gap_px = scaled_px(style, 16);
  limits.max_width = width;
  Page page;
  page.padding = limits.padding_px;
  page.figure =
      arrange({}, options.title.value_or(title), options.subtitle.value_or(subtitle), style, limits, measure);
  page.figure.title = options.title && !options.title->empty() ? *options.title : title;
  page.top = page.figure.texts.empty() ? page.padding : page.figure.height - page.padding;
  page.figure.width = width;
  return page;
}

// ", from 20 % on and the strongest of each query": which lines are drawn; "" if all are.
std::string least_note(const FlowFigure& flow) {
  if (flow.least <= 0) return "";
  return " · from " + (flow.percent ? share_text(flow.least) : number_text(flow.least, 2)) +
         " on, and the strongest of each query";
}

// Adds samples of three widths with their weights at the end of the line from x on, if they have room.
void add_widths(Drawing& legend, const FlowFigure& flow, double x, double thickest, double room,
                const FigureStyle& style, const MeasureText& measure) {
  const double line = line_height(style.label_size_px), sample = scaled_px(style, 24),
               gap = scaled_px(style, 6);
  for (const double share : {0.1, 0.5, 1.0}) {
    const double weight = share * flow.strongest;
    const std::string text = flow.percent ? share_text(weight) : number_text(weight, 2);
    const double end = x + sample + gap + measure(text, style.label_size_px, FontFace::Text).width;
    if (end > room) return;
    legend.strokes.push_back(
        {x, line / 2, x + sample, line / 2, flow_line_width(share, thickest, style), style.quiet_text});
    legend.texts.push_back(
        planned_label(style, text, x + sample + gap, line / 2, Anchor::Start, style.quiet_text));
    x = end + scaled_px(style, 16);
  }
}

double legend_height(const FigureStyle& style) {
  return line_height(style.label_size_px) + scaled_px(style, 8);
}

// Adds the names and colours of several heads and three widths with their weights, in one line below the
// title, as many as have room. thickest: the width of the strongest.
void add_legend(Page& page, const FlowFigure& flow, double thickest, const FigureStyle& style,
                const MeasureText& measure) {
  const double line = line_height(style.label_size_px), square = scaled_px(style, 10);
  Drawing legend;
  double x = 0;
  const double room = page.figure.width - 2 * page.padding;
  for (const FlowHead& head : flow.heads) {
    if (flow.heads.size() == 1) break;
    const double width = measure(head.name, style.label_size_px, FontFace::Text).width;
    const double text_x = x + square + scaled_px(style, 6);
    if (text_x + width > room) break;
    legend.fills.push_back({{x, (line - square) / 2, square, square}, color_of(head, style)});
    legend.texts.push_back(
        planned_label(style, head.name, text_x, line / 2, Anchor::Start, style.quiet_text));
    x = text_x + width + scaled_px(style, 16);
  }
  add_widths(legend, flow, x, thickest, room, style, measure);
  page.figure.drawings.push_back({page.padding, page.top, std::move(legend)});
  page.top += legend_height(style);
}

FigureGrid end_page(Page page, Drawing drawing, double height) {
  page.figure.height = height;
  page.figure.drawings.push_back({page.padding, page.top, std::move(drawing)});
  return std::move(page.figure);
}

// "6 mm", of planned pixels, rounded up.
std::string in_millimetres(double px) {
  return number_text(std::ceil(px / 96 * 25.4), 0) + " mm";
}

void require_room(double width, double height, const FigureStyle& style) {
  if (std::min(width, height) < scaled_px(style, kLeastDrawing))
    throw Error("the page has no room for the picture: beside margins and title it needs " +
                    in_millimetres(scaled_px(style, kLeastDrawing)) + " in width and height",
                "width or height", "choose a larger size or a smaller font");
}

void require_query(const Layer& layer, Index query, const IndexRange& shown) {
  if (query < 0 || query >= layer.token_count())
    throw Error("there is no query " + std::to_string(query), "query",
                "the queries are 0 to " + std::to_string(layer.token_count() - 1));
  if (!shown.contains(query))
    throw Error("query " + std::to_string(query) + " is not among the rows that are shown", "query",
                "the rows are " + std::to_string(shown.begin) + " to " + std::to_string(shown.end - 1));
}

std::vector<std::string> labels_of(const std::vector<std::string>& tokens, const IndexRange& range) {
  return {tokens.begin() + range.begin, tokens.begin() + range.end};
}

// The part `keys` of a row, pooled by the maximum, as in RowSummary, to at most `most` values. The sum
// remains that of the whole row.
RowSummary part_of_row(const RowSummary& row, const IndexRange& keys, Index most) {
  RowSummary part = row;
  part.total = keys.count();
  part.values.clear();
  part.marks.clear();
  const Index count = std::min(part.total, most);
  for (Index i = 0; i < count; ++i) {
    Index best = keys.begin + part.total * i / count;
    for (Index key = best; key < keys.begin + part.total * (i + 1) / count; ++key) {
      const auto mark = [&row](Index at) { return row.marks[static_cast<std::size_t>(at)]; };
      const auto value = [&row](Index at) { return row.values[static_cast<std::size_t>(at)]; };
      const bool first_seen = mark(best) != CellMark::None && mark(key) == CellMark::None;
      if (first_seen || (mark(key) == mark(best) && value(key) > value(best))) best = key;
    }
    part.values.push_back(row.values[static_cast<std::size_t>(best)]);
    part.marks.push_back(row.marks[static_cast<std::size_t>(best)]);
  }
  return part;
}

RowFigure bars_of(const std::vector<RowSummary>& rows, const std::vector<std::string>& keys,
                  const FigureOptions& options) {
  std::vector<const RowSummary*> each;
  each.reserve(rows.size());
  for (const RowSummary& row : rows)
    each.push_back(&row);
  const bool all = !options.row_stages.empty();
  RowFigure figure =
      bars_of_row(each, keys, options.decimals, options.percent, all ? RowsShown::All : RowsShown::Different);
  if (!options.labels) figure.labels.assign(figure.labels.size(), "");
  figure.numbers = options.numbers;
  figure.value_axis = options.axis_names;
  if (!all) return figure;
  std::vector<RowBars> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].request.by_value || std::find(options.row_stages.begin(), options.row_stages.end(),
                                              rows[i].request.stage) != options.row_stages.end())
      chosen.push_back(std::move(figure.stages[i]));
  if (chosen.empty())
    throw Error("the session has none of the stages that are chosen", "row stages",
                "choose among those from scores to dropped that it has");
  figure.stages = std::move(chosen);
  return figure;
}

}  // namespace

FigureGrid flow_figure(const ComputedSession& session, Stage stage, Index sequence,
                       const std::vector<Index>& heads, std::optional<Index> query, const FlowLines& lines,
                       const FigurePart& part, const SheetSize& size, const FigureOptions& options,
                       const MeasureText& measure, bool by_value) {
  const Layer& layer = session.layer();
  const FigureStyle style = figure_style(options);
  if (query) require_query(layer, *query, part.rows);
  FlowFigure flow;
  flow.queries = labels_of(layer.tokens, part.rows);
  flow.keys = labels_of(layer.key_labels(), part.columns);
  flow.query = query ? *query - part.rows.begin : -1;
  if (lines.key && part.columns.contains(*lines.key)) flow.key = *lines.key - part.columns.begin;
  double strongest = 0;
  for (const Index head : heads) {
    if (head == lines.head) flow.head = flow.heads.size();
    TileRequest request = picture_request(stage, sequence, head);
    request.row_begin = part.rows.begin;
    request.row_end = part.rows.end;
    request.column_begin = part.columns.begin;
    request.column_end = part.columns.end;
    request.max_rows = part.rows.count();
    request.max_columns = part.columns.count();
    if (by_value) request.content = TileContent::ValueWeighted;
    const Tile tile = session.tile(request);
    for (const float weight : tile.values.reshaped())
      if (std::isfinite(weight)) strongest = std::max(strongest, std::abs(static_cast<double>(weight)));
    flow.heads.push_back({said_head(options, head), static_cast<std::size_t>(head) % style.series.size(),
                          tile.values, tile.marks, is_head_off(layer, stage, head)});
  }
  flow.strongest = strongest > 0 ? strongest : 1;
  flow.percent = options.percent && !by_value;
  flow.least = lines.least.value_or(is_tangle(layer) ? kLeastOfMany : 0) * (by_value ? flow.strongest : 1);
  TileRequest drawn;
  drawn.stage = stage;
  drawn.content = by_value ? TileContent::ValueWeighted : TileContent::Stage;
  const std::string several =
      heads.size() == 1 ? said_head(options, heads.front()) : heads_name(heads, options.counting);
  const std::string names = stage_heads(layer, stage) > 1 ? several : "";
  Page page = begin_page(with_place(said(options, figure_title(drawn)), options, names),
                         subtitle_of(session.title, options) + least_note(flow),
                         size.width.value_or(scaled_px(style, kWidth)), style, options, measure);
  const Index count = std::max(part.rows.count(), part.columns.count());
  const double pitch = scaled_px(style, count <= kRoomyTokens ? kFlowPitch : kLowFlowPitch);
  const double above = page.top + (options.labels ? legend_height(style) : 0);
  const double natural =  // bounded for a single token and for many
      std::clamp(line_height(style.label_size_px) + scaled_px(style, 4) + pitch * static_cast<double>(count),
                 scaled_px(style, kLeastDrawing), scaled_px(style, kHighestFlow));
  const double height = size.height.value_or(above + page.padding + natural);
  const double across = page.figure.width - 2 * page.padding, down = height - above - page.padding;
  require_room(across, down, style);
  FlowPlan plan = plan_flow(flow, style, across, down, measure);
  if (options.labels)
    add_legend(page, flow, plan.thickest, style, measure);
  else
    plan.drawing.texts.clear();
  return end_page(std::move(page), std::move(plan.drawing), height);
}

FigureGrid row_figure(const ComputedSession& session, Index sequence, Index head, Index query,
                      const IndexRange& keys, const SheetSize& size, const FigureOptions& options,
                      const MeasureText& measure, bool by_value) {
  const Layer& layer = session.layer();
  require_query(layer, query, {0, layer.token_count()});
  const FigureStyle style = figure_style(options);
  const double natural =
      std::clamp(scaled_px(style, kBarPitch) * static_cast<double>(keys.count()) + scaled_px(style, 120),
                 scaled_px(style, kWidth), scaled_px(style, kWidestRow));
  const std::string head_shown = stage_heads(layer, Stage::Weights) > 1 ? said_head(options, head) : "";
  const std::string title =
      with_place("What “" + spoken_label(layer.tokens[static_cast<std::size_t>(query)]) + "” attends to",
                 options, head_shown);
  Page page = begin_page(title, subtitle_of(session.title, options), size.width.value_or(natural), style,
                         options, measure);
  const double height = size.height.value_or(scaled_px(style, kRowHeight));
  const double across = page.figure.width - 2 * page.padding, down = height - page.top - page.padding;
  require_room(across, down, style);
  std::vector<RowSummary> rows;
  const auto most = std::max<Index>(1, static_cast<Index>(across / kNarrowestBar));
  const auto add = [&](Stage stage, bool products) {
    rows.push_back(session.ask([&](const Evaluator& evaluator) {
      return part_of_row(evaluator.row({stage, sequence, head, query, layer.key_count(), products}), keys,
                         most);
    }));
  };
  for (const Stage stage : row_stages(layer))
    add(stage, false);
  if (by_value) add(Stage::Weights, true);
  RowFigure bars = bars_of(rows, labels_of(layer.key_labels(), keys), options);
  bars.off = is_head_off(layer, Stage::Weights, head);
  Drawing drawing = plan_row(bars, style, across, down, measure).drawing;
  return end_page(std::move(page), std::move(drawing), height);
}

FigureGrid heat_text_figure(const HeatText& text, const std::string& title, const std::string& subtitle,
                            const SheetSize& size, const FigureOptions& options, const MeasureText& measure) {
  const FigureStyle style = figure_style(options);
  Page page =
      begin_page(title, subtitle, size.width.value_or(scaled_px(style, kWidth)), style, options, measure);
  const double across = page.figure.width - 2 * page.padding;
  HeatTextPlan plan = plan_heat_text(text, across, options.color_bar, style, measure);
  const double needed = page.top + plan.drawing.height + page.padding,
               height = size.height.value_or(std::ceil(needed));
  require_room(across, height - page.top - page.padding + scaled_px(style, kLeastDrawing), style);
  if (height < std::floor(needed))
    throw Error("the page has no room for the whole text", "height",
                "choose a larger size or a smaller font");
  return end_page(std::move(page), std::move(plan.drawing), height);
}

FigureGrid bar_table_figure(const BarTable& table, const std::string& title, const std::string& subtitle,
                            const SheetSize& size, const FigureOptions& options, const MeasureText& measure) {
  const FigureStyle style = figure_style(options);
  const double natural = bar_table_width(table, style, measure) + 2 * scaled_px(style, kPadding);
  Page page = begin_page(title, subtitle, size.width.value_or(std::max(natural, scaled_px(style, kWidth))),
                         style, options, measure);
  const double across = page.figure.width - 2 * page.padding;
  // Smaller letters where rows or columns need them, down to half.
  constexpr double kSmaller = 0.95, kLeastLetters = 0.5;
  FigureStyle letters = style;
  for (double factor = 1;; factor *= kSmaller) {
    letters.label_size_px = factor * style.label_size_px;
    letters.number_size_px = factor * style.number_size_px;
    const double least = least_bar_table_width(table, letters, measure);
    const bool last = factor * kSmaller < kLeastLetters;
    if (across >= least) {
      Drawing drawing = plan_bar_table(table, across, letters, measure);
      const double needed = page.top + drawing.height + page.padding,
                   height = size.height.value_or(std::ceil(needed));
      if (height >= std::floor(needed)) return end_page(std::move(page), std::move(drawing), height);
      if (last)
        throw Error(
            "the page has no room for the whole table: it needs a height of " + in_millimetres(needed),
            "height", "choose a larger size or a smaller font");
    } else if (last) {
      throw Error("the page has no room for the table: it needs a width of " +
                      in_millimetres(least + 2 * page.padding),
                  "width", "choose a larger size or a smaller font");
    }
  }
}

FigureGrid edges_figure(const LayeredEdges& edges, const std::string& title, const std::string& subtitle,
                        const SheetSize& size, const FigureOptions& options, const MeasureText& measure) {
  constexpr double kEdgesWidth = 960, kLowestEdges = 320, kHighestEdges = 1400;
  const FigureStyle style = figure_style(options);
  const std::string shown = counted(static_cast<std::int64_t>(edges.shown), "edge", "edges") + " of " +
                            std::to_string(edges.edges.size()) + ", summed over tokens";
  Page page = begin_page(title, subtitle.empty() ? shown : subtitle + " · " + shown,
                         size.width.value_or(scaled_px(style, kEdgesWidth)), style, options, measure);
  const double natural = std::clamp(edges_height(edges, style), scaled_px(style, kLowestEdges),
                                    scaled_px(style, kHighestEdges)),
               height = size.height.value_or(std::ceil(page.top + natural + page.padding));
  const double across = page.figure.width - 2 * page.padding, down = height - page.top - page.padding;
  require_room(across, down, style);
  EdgesPlan plan = plan_edges(edges, style, across, down, measure);
  if (!options.labels) plan.drawing.texts.clear();
  page.figure.drawings.push_back({page.padding, page.top, std::move(plan.lines_drawing)});
  return end_page(std::move(page), std::move(plan.drawing), height);
}

FigureGrid step_lines_figure(const StepLines& lines, const std::string& title, const std::string& subtitle,
                             const SheetSize& size, const FigureOptions& options,
                             const MeasureText& measure) {
  constexpr double kStepsHeight = 420;
  const FigureStyle style = figure_style(options);
  if (lines.names.size() > style.series.size() || lines.names.empty())
    throw Error("the answers have " + std::to_string(lines.names.size()) +
                    " numbers, and a figure has 1 to " + std::to_string(style.series.size()) + " lines",
                "--number", "name the numbers, or save them all as .csv");
  Page page =
      begin_page(title, subtitle, size.width.value_or(scaled_px(style, kWidth)), style, options, measure);
  const double height = size.height.value_or(std::ceil(page.top + scaled_px(style, kStepsHeight)));
  const double across = page.figure.width - 2 * page.padding, down = height - page.top - page.padding;
  require_room(across, down, style);
  Drawing drawing = plan_step_lines(lines, style, across, down, measure);
  if (!options.labels) drawing.texts.clear();
  return end_page(std::move(page), std::move(drawing), height);
}

}  // namespace headlight
