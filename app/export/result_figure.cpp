#include <algorithm>
#include <cmath>

#include "app/export/about.h"
#include "app/export/drawing_figure.h"
#include "app/export/figure_choice.h"
#include "app/export/result_files.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/heat_text_plan.h"
#include "engine/analysis/edge_attribution.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/no_number.h"
#include "engine/views/plain_tile.h"
#include "engine/views/tile_builder.h"

namespace headlight {
namespace {

constexpr double kHighRank = 100;  // numbers from 1 to more than this have a logarithmic range

// The stage whose colours the numbers have: signed ones, or those that begin at zero.
Stage colored_as(const ResultTable& table) {
  return table.signed_values ? Stage::Scores : Stage::Weights;
}

bool are_ranks(const ResultTable& table) {
  return table.quantity == "rank";
}

StageColors colors_of(const ResultTable& table, const Matrix& values, StageColors colors) {
  const bool high = !table.signed_values && values.size() > 0 && values.minCoeff() >= 1 &&
                    static_cast<double>(values.maxCoeff()) > kHighRank;
  if (high && colors.range == RangeKind::Whole) colors.range = RangeKind::Logarithmic;
  return colors;
}

// The rows whose names are left out last: the first, the last, and the strongest one.
std::vector<Index> kept_rows(const Matrix& values) {
  Index strongest = 0;
  float most = -1;
  for (Index row = 0; row < values.rows(); ++row)
    for (const float value : values.row(row))
      if (std::abs(value) > most) {  // not NaN
        most = std::abs(value);
        strongest = row;
      }
  return {strongest, 0, values.rows() - 1};
}

// As words of a figure: without the blanks that most tokens begin with.
std::vector<std::string> spoken(const std::vector<std::string>& labels) {
  std::vector<std::string> words;
  words.reserve(labels.size());
  for (const std::string& label : labels)
    words.push_back(spoken_label(label));
  return words;
}

bool are_whole(const Matrix& values) {
  return std::all_of(values.data(), values.data() + values.size(),
                     [](float value) { return std::isnan(value) || value == std::round(value); });
}

// Cells where there can be no number are empty, and are no faults.
std::shared_ptr<const Tile> tile_of(const TileRequest& request, const Matrix& values) {
  if (std::none_of(values.data(), values.data() + values.size(), is_no_number))
    return std::make_shared<const Tile>(marked_tile(request, RowSource(values), {}));
  return std::make_shared<const Tile>(build_tile(request, values, [&](Index row, Index column) {
    return is_no_number(values(row, column)) ? CellMark::Empty : CellMark::None;
  }));
}

TileRequest cells_request(const ResultTable& table, const StageColors& colors, Index max_cells) {
  const Stage stage = colored_as(table);
  TileRequest request;
  request.stage = stage;
  request.max_rows = request.max_columns = max_cells;
  request.pooling = pooling_of(colors, stage);
  request_spread(request, colors);
  return request;
}

// What the range of the colours is taken from: not the sum of other numbers, beside which these would be
// pale; of one row of signed numbers also zero, so that colours do not exaggerate how they differ.
ValueStatistics colored_numbers(const ResultTable& table, const Matrix& values, const StageColors& colors) {
  const bool sum = table.sum_last && values.rows() > 1;
  const Matrix numbers = values.topRows(values.rows() - (sum ? 1 : 0));
  ValueStatistics found = statistics_of(*tile_of(cells_request(table, colors, 1), numbers));
  if (table.signed_values && table.values.rows() == 1 && !found.range.empty()) {
    found.range.low = std::min(found.range.low, 0.0f);
    found.range.high = std::max(found.range.high, 0.0f);
  }
  return found;
}

// Says of the sum, if it lies beyond the range, that it does.
ColorRange with_ends(ColorRange range, const ValueRange& all) {
  range.above = range.above || (all.finite > 0 && static_cast<double>(all.high) > range.high);
  range.below = range.below || (all.finite > 0 && static_cast<double>(all.low) < range.low);
  return range;
}

HeatmapFigure values_figure(const ResultTable& table, const Matrix& values, const FigureOptions& options,
                            Index max_cells) {
  const Stage stage = colored_as(table);
  const StageColors colors = colors_of(table, values, options.colors);
  HeatmapFigure figure;
  figure.tile = tile_of(cells_request(table, colors, max_cells), values);
  figure.row_labels = spoken(table.rows);
  figure.row_axis = table.row_axis;
  const ValueStatistics numbers = colored_numbers(table, values, colors);
  const StageColors chosen = picture_colors(colors, stage, figure.tile->range);
  figure.colormap = colormap_of(chosen, stage);
  figure.range = with_ends(color_range(numbers, chosen, stage), figure.tile->range);
  figure.kept_rows = kept_rows(values);
  figure.least_strongest = are_ranks(table);  // the first is the best
  apply_options(figure, options);
  if (are_whole(values)) figure.decimals = std::min(figure.decimals, 0);
  return figure;
}

// One range, so one map of colours and one bar.
void share_range(std::vector<HeatmapFigure>& figures, const std::vector<ResultTable>& tables,
                 const StageColors& colors) {
  const Stage stage = colored_as(tables.front());
  ValueStatistics all;
  for (const ResultTable& table : tables)
    all = joined(all, colored_numbers(table, table.values, colors));
  const StageColors chosen = picture_colors(colors, stage, all.range);
  ColorRange range = color_range(all, chosen, stage);
  for (const HeatmapFigure& figure : figures)
    range = with_ends(range, figure.tile->range);
  for (HeatmapFigure& figure : figures) {
    figure.range = range;
    figure.colormap = colormap_of(chosen, stage);
    figure.show_colorbar = figure.show_colorbar && &figure == &figures.back();
  }
}

// Heatmaps of the same rows and columns have cells of one size.
void share_size(std::vector<HeatmapFigure>& figures) {
  const auto words = std::find_if(figures.begin(), figures.end(),
                                  [](const HeatmapFigure& figure) { return !figure.cell_texts.empty(); });
  if (words == figures.end()) return;
  for (HeatmapFigure& figure : figures)
    figure.beside_words = figure.tile->values.rows() == words->tile->values.rows() &&
                          figure.tile->values.cols() == words->tile->values.cols();
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// Quantities, each with numbers of its own: a table; nullptr: the figure is of cells.
const ResultTable* list_of(const AnalysisResult& result) {
  const ResultTable& table = result.tables.front();
  const bool list = table.kind == ResultTable::Kind::List;
  return result.tables.size() == 1 && list ? &table : nullptr;
}

BarTable bar_table_of(const ResultTable& table) {
  return {table.row_axis, spoken(table.rows), table.columns, table.values};
}

const ResultTable* text_of(const AnalysisResult& result) {
  for (const ResultTable& table : result.tables)
    if (table.kind == ResultTable::Kind::Text) return &table;
  return nullptr;
}

EdgeEnd end_of(const StreamPart& sender) {
  switch (sender.kind) {
    case StreamPart::Kind::Head:
      return {EdgeEnd::Kind::Head, sender.layer, sender.head};
    case StreamPart::Kind::Mlp:
      return {EdgeEnd::Kind::Mlp, sender.layer, 0};
    case StreamPart::Kind::Embedding:
    case StreamPart::Kind::Position:
    case StreamPart::Kind::Biases:
      break;
  }
  return {EdgeEnd::Kind::Embedding, 0, 0};
}

EdgeEnd end_of(const StreamReader& receiver) {
  switch (receiver.kind) {
    case StreamReader::Kind::Queries:
      return {EdgeEnd::Kind::Queries, receiver.layer, receiver.head};
    case StreamReader::Kind::Keys:
      return {EdgeEnd::Kind::Keys, receiver.layer, receiver.head};
    case StreamReader::Kind::Values:
      return {EdgeEnd::Kind::Values, receiver.layer, receiver.head};
    case StreamReader::Kind::Mlp:
      return {EdgeEnd::Kind::Mlp, receiver.layer, 0};
    case StreamReader::Kind::Logits:
      break;
  }
  return {EdgeEnd::Kind::Logits, receiver.layer, 0};
}

}  // namespace

LayeredEdges layered_edges(const AnalysisResult& result, Counting counting) {
  const EdgeEnds& ends = *result.edges;
  const ResultTable& table = result.tables.front();
  LayeredEdges figure;
  figure.layers = ends.receivers.back().layer;
  figure.heads = figure.key_heads = 0;
  for (const StreamReader& receiver : ends.receivers) {
    if (receiver.layer > 0) break;
    figure.heads += receiver.kind == StreamReader::Kind::Queries ? 1 : 0;
    figure.key_heads += receiver.kind == StreamReader::Kind::Keys ? 1 : 0;
  }
  figure.parallel = ends.parallel;
  for (const auto& [row, column] : strongest_edges(table.values))
    figure.edges.push_back({end_of(ends.senders[static_cast<std::size_t>(row)]),
                            end_of(ends.receivers[static_cast<std::size_t>(column)]),
                            double{table.values(row, column)}});
  figure.shown = std::min(static_cast<std::size_t>(ends.shown), figure.edges.size());
  figure.quantity = table.quantity;
  figure.counting = counting;
  for (const ResultTable& kept : result.tables) {
    if (kept.name != "kept") continue;
    for (std::size_t row = 0; row < kept.rows.size(); ++row) {
      figure.kept.push_back(std::stoll(kept.rows[row]));
      figure.carried.push_back(double{kept.values(static_cast<Index>(row), 1)});
    }
  }
  return figure;
}

std::vector<HeatmapFigure> table_figures(const ResultTable& table, const FigureOptions& options,
                                         Index max_cells) {
  std::vector<HeatmapFigure> figures;
  if (table.kind == ResultTable::Kind::Grid) {
    figures.push_back(values_figure(table, table.values, options, max_cells));
    HeatmapFigure& figure = figures.back();
    figure.column_labels = spoken(table.columns);
    figure.column_axis = table.column_axis;
    figure.title = spaced(table.name);
    if (options.axis_names) figure.bar_title = table.quantity.empty() ? spaced(table.name) : table.quantity;
    if (!figure.tile->pooled) figure.cell_texts = spoken(table.texts);
    return figures;
  }
  for (Index column = 0; column < table.values.cols(); ++column) {
    figures.push_back(values_figure(table, table.values.col(column), options, max_cells));
    figures.back().title = table.columns[static_cast<std::size_t>(column)];
  }
  return figures;
}

HeatText heat_text_of(const ResultTable& table, const StageColors& colors) {
  HeatText text;
  text.words = spoken(table.rows);
  text.values.assign(table.values.rows(), 0);
  for (Index i = 0; i < table.values.rows(); ++i)
    text.values[static_cast<std::size_t>(i)] = table.values(i, 0);
  text.map = colormap_of(colors, Stage::Weights);
  float high = 0;
  for (const float value : text.values)
    if (std::isfinite(value)) high = std::max(high, value);
  text.range = {0, high > 0 ? static_cast<double>(high) : 1};
  return text;
}

std::string result_subtitle(const Network& network, const Analysis& analysis, const AnalysisResult& result) {
  std::string text = network.name() + " · ";
  if (const std::string several = asked_of_several(analysis); !several.empty()) {
    text += several;
  } else if (analysis.texts.empty()) {
    text += "weights alone";
  } else {
    std::string words;
    for (const std::int32_t id : analysis.texts.front())
      words += network.token_label(id);
    text += network.reads_images() ? "an image" : visible_label(words);
  }
  for (const std::string& note : result.notes)
    if (note.starts_with("target: ")) text += " · " + visible_label(note);
  return result.in_words.empty() ? text : text + " · " + visible_label(result.in_words);
}

FigureGrid result_figure(const AnalysisResult& result, const std::string& subtitle,
                         const FigureOptions& options, FigureFormat format) {
  const FigureStyle style = figure_style(options);
  const SheetSize size = sheet_size(options, format);
  const MeasureText measure = pango_measure(style.fonts);
  if (const ResultTable* text = text_of(result)) {
    if (options.cell)
      throw Error("this figure is a text and has no cells", "--cell", "give its width or height");
    FigureGrid figure =
        heat_text_figure(heat_text_of(*text, options.colors), result.title, subtitle, size, options, measure);
    set_background(figure, options);
    return figure;
  }
  if (!result.steps.empty()) {
    const ResultTable& table = result.tables.front();
    FigureGrid figure = step_lines_figure({result.steps, table.columns, table.values}, result.title, subtitle,
                                          size, options, measure);
    set_background(figure, options);
    return figure;
  }
  if (const ResultTable* list = list_of(result); list && !options.cell) {
    FigureGrid figure = bar_table_figure(bar_table_of(*list), result.title, subtitle, size, options, measure);
    set_background(figure, options);
    return figure;
  }
  if (result.edges && !options.cell) {
    FigureGrid figure =
        edges_figure(layered_edges(result, options.counting), result.title, subtitle, size, options, measure);
    set_background(figure, options);
    return figure;
  }
  const auto sheet = [&](Index max_cells) {
    FigureSheet made;
    made.title = options.title.value_or(result.title);
    made.name = made.title.empty() ? result.title : made.title;
    made.subtitle = options.subtitle.value_or(subtitle);
    made.columns = options.panel_columns;
    made.wraps = true;
    // Lists about all rows of a set, such as where a feature fires most, are no pictures.
    const std::size_t count = result.set ? result.rows.front().values.size() : result.tables.size();
    for (std::size_t i = 0; i < count; ++i)
      for (HeatmapFigure& figure : table_figures(result.tables[i], options, max_cells))
        made.figures.push_back(std::move(figure));
    share_size(made.figures);
    if (result.one_range) share_range(made.figures, result.tables, options.colors);
    return made;
  };
  FigureGrid figure = lay_out(sheet, size, style, measure);
  set_background(figure, options);
  return figure;
}

}  // namespace headlight
