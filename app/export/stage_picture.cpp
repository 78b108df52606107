#include "app/export/stage_picture.h"

#include <algorithm>
#include <iterator>

#include "app/export/figure_titles.h"
#include "app/export/panel_title.h"
#include "engine/attention/difference.h"
#include "engine/core/error.h"
#include "engine/layer/stage_formula.h"

namespace headlight {
namespace {

std::string stage_name(Stage stage) {
  return std::string(stage_info(stage).name);
}

std::string joined_by_dots(const std::string& a, const std::string& b) {
  return a + (a.empty() || b.empty() ? "" : " · ") + b;
}

// With shares of attention as per cent only where the pictures show shares.
FigureOptions for_content(FigureOptions options, const Layer& layer, Stage stage, TileContent content) {
  options.percent = options.percent && is_share(layer, stage, content);
  return options;
}

// A sheet of one figure leaves title and subtitle to the figure.
void set_titles(FigureSheet& sheet, const std::string& title, const std::string& subtitle,
                const FigureOptions& options) {
  sheet.name = options.title && !options.title->empty() ? *options.title : title;
  const bool one = sheet.figures.size() == 1;
  (one ? sheet.figures[0].title : sheet.title) = options.title.value_or(title);
  (one ? sheet.figures[0].subtitle : sheet.subtitle) = options.subtitle.value_or(subtitle);
}

void set_legend(FigureSheet& sheet, const FigureOptions& options) {
  sheet.legend = options.labels;
  sheet.hidden_words = said(options, kHiddenByMask);
}

// The caption of one heatmap: from the template of the options if there is one.
std::string caption_of(const Tile& tile, const std::string& session_title, const std::string& caption,
                       const FigureOptions& options) {
  if (!options.panel_title) return caption;
  const TileRequest& request = tile.request;
  return panel_title(*options.panel_title, {tile_name(request), options.layer, request.head,
                                            options.first_sequence + request.sequence, session_title});
}

// "head 2", or which heads the numbers are of.
std::string heads_of(const TileRequest& request, const FigureOptions& options) {
  const bool one = request.content != TileContent::HeadMean && request.content != TileContent::HeadMaximum;
  return one ? said_head(options, request.head) : matrix_name(request, options.counting);
}

// A heatmap of a sheet, in the colours that suit `numbers`: its own, or those of all that share a range.
HeatmapFigure panel_of(const Tile& tile, const TokenLabels& tokens, Index head_count,
                       const StageColors& colors, const ValueStatistics& numbers, bool off,
                       const std::string& session_title, const FigureOptions& options) {
  const Stage stage = tile.request.stage;
  const StageColors shown = picture_colors(colors, stage, numbers.range);
  HeatmapFigure figure =
      stage_figure(tile, tokens, head_count, subtitle_of(session_title, options), shown, options.counting);
  figure.range = color_range(numbers, shown, stage);
  figure.without_color = off;
  apply_options(figure, options);
  return figure;
}

void add_panel(FigureSheet& sheet, HeatmapFigure figure, const std::string& caption) {
  figure.title.clear();
  figure.subtitle = caption;
  sheet.figures.push_back(std::move(figure));
}

// The sheet of several heads of one stage. `off`: the heads that are switched off.
FigureSheet sheet_of_heads(const std::vector<Tile>& tiles, const std::vector<Index>& off,
                           const TokenLabels& tokens, Index head_count, const std::string& session_title,
                           const FigureOptions& options) {
  FigureSheet sheet;
  ValueStatistics all;
  for (const Tile& tile : tiles)
    all = joined(all, statistics_of(tile));
  std::string title, subtitle;
  for (const Tile& tile : tiles) {
    const ValueStatistics numbers = options.colors.shared ? all : statistics_of(tile);
    const bool one = tiles.size() == 1,
               is_off = std::find(off.begin(), off.end(), tile.request.head) != off.end();
    HeatmapFigure figure =
        panel_of(tile, tokens, head_count, options.colors, numbers, is_off, session_title, options);
    if (options.range) figure.range = *options.range;
    figure.bar_without_color = figure.without_color && (one || !options.colors.shared);
    const std::string caption = caption_of(tile, session_title, heads_of(tile.request, options), options);
    const bool per_head = stage_info(tile.request.stage).per_head && head_count > 1;
    title = options.panel_title && one ? caption
                                       : with_place(said(options, figure_title(tile.request)), options,
                                                    one && per_head ? heads_of(tile.request, options) : "");
    const Index number = options.first_sequence + tile.request.sequence;
    if (number > 0 && !(one && options.panel_title)) title += ", sequence " + options.counting.number(number);
    subtitle = figure.subtitle;
    add_panel(sheet, std::move(figure), caption);
  }
  sheet.same_rows = sheet.same_columns = true;
  sheet.same_range = options.colors.shared;
  sheet.columns = options.panel_columns;
  set_legend(sheet, options);
  set_titles(sheet, title, subtitle, options);
  return sheet;
}

TileRequest request_of(Stage stage, Index sequence, Index head, const StageColors& colors, Index max_cells,
                       const FigurePart& part) {
  TileRequest request = picture_request(stage, sequence, head);
  request_spread(request, colors);
  request.max_rows = request.max_columns = max_cells;
  request.row_begin = part.rows.begin;
  request.row_end = part.rows.end;
  request.column_begin = part.columns.begin;
  request.column_end = part.columns.end;
  return request;
}

// The part for a stage that may have other rows or columns, of which all are shown.
FigurePart part_of_stage(const FigurePart& part, const Layer& layer, Stage stage) {
  const bool other_rows = stage_info(stage).rows == StageRows::Keys && !layer.self_attention();
  return {other_rows ? IndexRange{} : part.rows, is_pair(stage) ? part.columns : IndexRange{}};
}

// The colours with the whole range if theirs does not suit the stage.
StageColors suited(StageColors colors, Stage stage) {
  if (!range_allowed(colors.range, stage)) colors.range = RangeKind::Whole;
  return colors;
}

}  // namespace

TileRequest picture_request(Stage stage, Index sequence, Index head) {
  TileRequest request;
  request.stage = stage;
  request.sequence = sequence;
  request.head = head;
  request.max_rows = kMaxPictureCells;
  request.max_columns = kMaxPictureCells;
  return request;
}

FigureGrid stage_picture(const std::vector<Tile>& tiles, const TokenLabels& tokens, Index head_count,
                         const std::string& session_title, const FigureStyle& style,
                         const MeasureText& measure, const PictureStyle& look) {
  FigureOptions options;
  options.colors = look.colors;
  options.numbers = look.decimals >= 0;
  options.decimals = look.decimals;
  return lay_out([&](Index) { return sheet_of_heads(tiles, {}, tokens, head_count, session_title, options); },
                 {}, style, measure);
}

FigureSheet heads_sheet(const ComputedSession& session, Stage stage, Index sequence,
                        const std::vector<Index>& heads, const FigureOptions& options, Index max_cells,
                        const FigurePart& part, TileContent content) {
  std::vector<Tile> tiles;
  tiles.reserve(heads.size());
  std::vector<Index> off;
  if (content == TileContent::Stage || content == TileContent::ValueWeighted ||
      content == TileContent::WithoutFirst)
    std::copy_if(heads.begin(), heads.end(), std::back_inserter(off),
                 [&](Index head) { return is_head_off(session.layer(), stage, head); });
  for (const Index head : heads) {
    TileRequest request = request_of(stage, sequence, head, options.colors, max_cells, part);
    request.content = content;
    tiles.push_back(session.tile(request));
  }
  const Layer& model = session.layer();
  return sheet_of_heads(tiles, off, model, stage_heads(model, stage), session.title,
                        for_content(options, model, stage, content));
}

FigureSheet pipeline_sheet(const ComputedSession& session, Index sequence, Index head,
                           const FigureOptions& options, Index max_cells, const FigurePart& part) {
  const Layer& model = session.layer();
  FigureSheet sheet;
  std::string title = with_place("Every stage", options, "");
  for (const Stage stage : stages_in_use(model)) {
    const Index heads = stage_heads(model, stage);
    const std::string formula = stage_formula(model, stage);
    const StageColors colors = suited(options.colors, stage);
    const Tile tile = session.tile(request_of(stage, sequence, stage_head(model, stage, head), colors,
                                              max_cells, part_of_stage(part, model, stage)));
    HeatmapFigure figure = panel_of(tile, model, heads, colors, statistics_of(tile),
                                    is_head_off(model, stage, tile.request.head), session.title,
                                    for_content(options, model, stage, TileContent::Stage));
    figure.bar_without_color = figure.without_color;
    const std::string caption = joined_by_dots(stage_name(stage), formula);
    add_panel(sheet, std::move(figure), caption_of(tile, session.title, caption, options));
    if (stage == Stage::Weights && heads > 1) title += ", " + said_head(options, head);
  }
  const Index number = options.first_sequence + sequence;
  if (number > 0) title += ", sequence " + options.counting.number(number);
  sheet.same_rows = true;
  sheet.columns = options.panel_columns;
  set_legend(sheet, options);
  set_titles(sheet, title, subtitle_of(session.title, options), options);
  return sheet;
}

FigureSheet compare_sheet(const ComputedSession& a, const ComputedSession& b, Stage stage, Index sequence,
                          const std::vector<Index>& heads, const FigureOptions& options, Index max_cells,
                          const FigurePart& part, bool by_value) {
  const Layer& model = b.layer();
  const std::string of_a = options.kept_and_now ? "kept" : "A", of_b = options.kept_and_now ? "now" : "B";
  if (const std::string fault = shape_difference(a.layer(), model, stage, {of_a, of_b}); !fault.empty())
    throw Error(fault, stage_name(stage), "choose two sessions of the same shape, or another stage");
  const StageColors moved = difference_colors(options.colors, stage);
  struct Three {
    Tile a, b, difference;
  };
  std::vector<Three> tiles;
  ValueStatistics states, differences;
  for (const Index head : heads) {
    TileRequest request = request_of(stage, sequence, head, options.colors, max_cells, part);
    TileRequest moved_request = request_of(stage, sequence, head, moved, max_cells, part);
    if (by_value) {
      request.content = TileContent::ValueWeighted;
      moved_request.content = TileContent::ValueWeightedDifference;
    }
    tiles.push_back({a.tile(request), b.tile(request), b.difference_from(a, moved_request)});
    const Three& last = tiles.back();
    states = joined(joined(states, statistics_of(last.a)), statistics_of(last.b));
    differences = joined(differences, statistics_of(last.difference));
  }
  FigureSheet sheet;
  sheet.columns = options.panel_columns > 0 ? options.panel_columns : 3;
  set_legend(sheet, options);
  const Index head_count = stage_heads(model, stage);
  const auto add = [&](const Tile& tile, const Layer& of, bool off, const std::string& caption,
                       const StageColors& colors, const ValueStatistics& shared) {
    const std::string head = head_count > 1 ? said_head(options, tile.request.head) : "";
    add_panel(sheet,
              panel_of(tile, of, head_count, colors, shared, off, b.title,
                       for_content(options, model, stage, tile.request.content)),
              joined_by_dots(caption, options.panel_title ? caption_of(tile, b.title, head, options) : head));
  };
  for (const Three& three : tiles) {
    if (!options.colors.shared) {
      states = joined(statistics_of(three.a), statistics_of(three.b));
      differences = statistics_of(three.difference);
    }
    add(three.a, a.layer(), is_head_off(a.layer(), stage, three.a.request.head), of_a, options.colors,
        states);
    // A and B share one range, and one bar if they are side by side.
    if (sheet.columns % 3 == 0) sheet.figures.back().show_colorbar = false;
    add(three.b, model, is_head_off(model, stage, three.b.request.head), of_b, options.colors, states);
    add(three.difference, model, false, std::string(of_b).append(" − ").append(of_a), moved, differences);
  }
  sheet.same_rows = sheet.same_columns = row_labels(a.layer(), stage) == row_labels(model, stage) &&
                                         a.layer().key_labels() == model.key_labels();
  TileRequest shown;
  shown.stage = stage;
  shown.content = by_value ? TileContent::ValueWeighted : TileContent::Stage;
  set_titles(sheet, with_place(said(options, figure_title(shown)), options, ""),
             of_a + ": " + a.title + " · " + of_b + ": " + b.title, options);
  return sheet;
}

}  // namespace headlight
