#include "app/figure/plan/heatmap_figure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/figure/plan/names.h"

namespace headlight {
namespace {

constexpr const char* kMinus = "\u2212";

std::vector<std::string> numbered(Index count, Counting counting) {
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    labels.push_back(counting.number(i));
  return labels;
}

// The title of a figure: "Attention weights, head 1".
std::string stage_title(const TileRequest& request, Index head_count, Counting counting) {
  std::string title = figure_title(request);
  if (stage_info(request.stage).per_head && head_count > 1) title += ", " + matrix_name(request, counting);
  if (request.sequence > 0) title += ", sequence " + counting.number(request.sequence);
  return title;
}

std::string pooling_note(const Tile& tile) {
  const char* how = tile.request.pooling == Pooling::Mean  ? "mean"
                    : tile.request.pooling == Pooling::Max ? "largest"
                                                           : "largest in size";
  return "a cell is the " + std::string(how) + " of several values";
}

// What the figure shows in the place of the stage itself.
std::string content_note(const Tile& tile) {
  return tile.request.content == TileContent::WithoutFirst
             ? "each row sums to 1 again; one with nothing beside the first key is empty"
             : "";
}

void add_note(std::string& subtitle, const std::string& note) {
  if (!note.empty()) subtitle += (subtitle.empty() ? "" : " · ") + note;
}

Index first_of(Index begin, Index end, Index shown_count, Index shown) {
  return shown_count > 0 ? begin + shown * (end - begin) / shown_count : begin;
}

}  // namespace

HeatmapFigure stage_figure(std::shared_ptr<const Tile> shown, const TokenLabels& tokens, Index head_count,
                           const std::string& session_title, const StageColors& colors, Counting counting) {
  const Tile& tile = *shown;
  const Stage stage = tile.request.stage;
  HeatmapFigure figure;
  figure.tile = std::move(shown);
  figure.title = stage_title(tile.request, head_count, counting);
  figure.subtitle = session_title;
  add_note(figure.subtitle, content_note(tile));
  if (tile.pooled) add_note(figure.subtitle, pooling_note(tile));
  figure.row_labels = tokens.rows(stage);
  figure.column_labels =
      is_pair(stage) ? tokens.keys : numbered(tokens.queries.empty() ? 0 : tile.total_columns, counting);
  figure.row_axis = is_pair(stage) ? "query" : "token";
  figure.column_axis = is_pair(stage) ? "key" : "dimension";
  figure.colormap = colormap_of(colors, stage);
  figure.bar_title = bar_title(tile.request);
  figure.range = color_range(statistics_of(tile), colors, stage);
  return figure;
}

HeatmapFigure stage_figure(Tile tile, const TokenLabels& tokens, Index head_count,
                           const std::string& session_title, const StageColors& colors, Counting counting) {
  return stage_figure(std::make_shared<const Tile>(std::move(tile)), tokens, head_count, session_title,
                      colors, counting);
}

bool is_share(const Layer& layer, Stage stage, TileContent content) {
  const bool weights =
      stage == Stage::Weights || (stage == Stage::Dropped && !layer.attention.dropout.active());
  return weights && !is_by_value(content) && content != TileContent::Gradient &&
         content != TileContent::Noise && content != TileContent::MeanDropped;
}

std::string bar_title(const TileRequest& request) {
  if (request.content == TileContent::Gradient) return "how fast the loss changes";
  if (request.content == TileContent::Noise) return "multiplier of dropout";
  if (is_difference(request.content)) return "difference";
  if (is_by_value(request.content)) return "weight × length of value";
  switch (request.stage) {
    case Stage::Scores:
      return "score: q · k";
    case Stage::Scaled:
      return "scaled score";
    case Stage::Capped:
      return "capped score";
    case Stage::Biased:
      return "score with bias";
    case Stage::Masked:
      return "masked score";
    case Stage::Weights:
      return "share of attention";
    case Stage::Dropped:
      return "share after dropout";
    case Stage::Embeddings:
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
    case Stage::Context:
    case Stage::Concat:
    case Stage::Output:
      return "value of a dimension";
  }
  return "";
}

bool is_head_off(const Layer& layer, Stage stage, Index head) {
  const bool shared =
      stage_info(stage).heads == StageHeads::Keys && layer.kv_head_count() != layer.head_count();
  return stage_info(stage).per_head && !shared && !layer.attention.head_enabled(head);
}

std::string number_text(double value, int decimals) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "\u2212\u221E" : "\u221E";
  // to_chars rather than printf: the decimal point must not depend on the locale.
  char buffer[64];
  const auto format = std::abs(value) < 1e6 ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), format, decimals).ptr;
  const std::string digits(buffer, end);
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? kMinus + digits : digits;
}

Index first_row(const Tile& tile, Index shown) {
  return first_of(tile.request.row_begin, tile.request.row_end, tile.values.rows(), shown);
}

Index first_column(const Tile& tile, Index shown) {
  return first_of(tile.request.column_begin, tile.request.column_end, tile.values.cols(), shown);
}

}  // namespace headlight
