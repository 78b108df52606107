#include "app/ui/picture/tile_source.h"

#include <algorithm>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"

namespace headlight {
namespace {

CellBlock block_of(const TileRequest& request) {
  return {request.row_begin, request.row_end, request.column_begin, request.column_end};
}

TileRequest with_ends(TileRequest request, MapShape shape) {
  if (request.row_end == 0) request.row_end = shape.rows;
  if (request.column_end == 0) request.column_end = shape.columns;
  return request;
}

bool same_matrix(const TileRequest& a, const TileRequest& b) {
  return a.stage == b.stage && a.head == b.head && a.sequence == b.sequence && a.content == b.content;
}

// The number of the block's cells that the tile covers.
Index reach(const Tile& tile, const CellBlock& block) {
  const CellBlock shown = block_of(tile.request);
  const Index rows = std::min(shown.row_end, block.row_end) - std::max(shown.row, block.row);
  const Index columns = std::min(shown.column_end, block.column_end) - std::max(shown.column, block.column);
  return rows > 0 && columns > 0 ? rows * columns : 0;
}

// The number of matrix cells per cell of the tile.
double coarseness(const Tile& tile) {
  const CellBlock shown = block_of(tile.request);
  return static_cast<double>(shown.rows() * shown.columns()) / static_cast<double>(tile.values.size());
}

bool fits(const Tile& tile, MapShape shape) {
  return tile.total_rows == shape.rows && tile.total_columns == shape.columns;
}

// For each row or column of one tile, the corresponding one of another. A side of `count` rows or columns
// covers [begin, end) of the matrix.
struct Side {
  Index begin = 0, end = 0, count = 0;
};
std::vector<Index> counterparts(const Side& of, const Side& in) {
  std::vector<Index> places(static_cast<std::size_t>(of.count));
  for (Index i = 0; i < of.count; ++i) {
    const Index first = of.begin + i * (of.end - of.begin) / of.count;
    const Index behind = of.begin + (i + 1) * (of.end - of.begin) / of.count;
    const Index middle = std::clamp((first + behind - 1) / 2, in.begin, in.end - 1);
    places[static_cast<std::size_t>(i)] =
        std::min(in.count - 1, ((middle - in.begin) * in.count + in.count - 1) / (in.end - in.begin));
  }
  return places;
}

Side rows_of(const Tile& tile) {
  return {tile.request.row_begin, tile.request.row_end, tile.values.rows()};
}
Side columns_of(const Tile& tile) {
  return {tile.request.column_begin, tile.request.column_end, tile.values.cols()};
}

// Copies the cells that `from` covers; `everywhere`: beyond them its edge is repeated.
void lay_over(StitchedTile& onto, const Tile& from, bool everywhere) {
  Tile& tile = onto.tile;
  const std::vector<Index> rows = counterparts(rows_of(tile), rows_of(from));
  const std::vector<Index> columns = counterparts(columns_of(tile), columns_of(from));
  const CellBlock shown = block_of(from.request);
  for (Index r = 0; r < tile.values.rows(); ++r)
    for (Index c = 0; c < tile.values.cols(); ++c) {
      const bool inside = shown.contains(first_row(tile, r), first_column(tile, c));
      if (!inside && !everywhere) continue;
      const Index row = rows[static_cast<std::size_t>(r)], column = columns[static_cast<std::size_t>(c)];
      const auto at = static_cast<std::size_t>(r * tile.values.cols() + c);
      tile.values(r, c) = from.values(row, column);
      tile.marks[at] = from.mark(row, column);
      onto.rough[at] = from.pooled || !inside;
    }
}

bool same_spread(const TileRequest& a, const TileRequest& b) {
  return a.spread == b.spread && a.spread_begin == b.spread_begin;
}

}  // namespace

TileChoice choose_tile(const UiContext& ui, const TileRequest& request, MapShape shape,
                       const std::shared_ptr<const Tile>& earlier) {
  TileChoice choice;
  choice.wanted = with_ends(request, shape);
  if (ui.answer) choice.fine = ui.answer->find(request);
  choice.as_it_is = choice.fine && choice.fine->values.size() > 0;
  if (choice.as_it_is) return choice;
  choice.fine = nullptr;
  std::shared_ptr<const Tile> other;
  std::vector<std::shared_ptr<const Tile>> there;
  if (ui.answer) there = ui.answer->tiles;
  there.push_back(earlier);
  const CellBlock block = block_of(choice.wanted);
  const Index all = block.rows() * block.columns();
  for (const auto& tile : there) {
    if (!tile || tile->values.size() == 0 || !same_matrix(tile->request, request)) continue;
    if (!other || tile->values.size() > other->values.size()) other = tile;
    if (!fits(*tile, shape)) continue;
    const Index reached = reach(*tile, block);
    if (reached == all && (!choice.coarse || coarseness(*tile) < coarseness(*choice.coarse)))
      choice.coarse = tile;
    if (reached > 0 && (!choice.fine || coarseness(*tile) < coarseness(*choice.fine))) choice.fine = tile;
  }
  if (choice.fine == choice.coarse) choice.coarse = nullptr;
  if (!choice.fine && other) choice = {other, nullptr, other->request, true};
  return choice;
}

StitchedTile stitched_tile(const TileChoice& choice, MapShape shape) {
  StitchedTile made;
  Tile& tile = made.tile;
  const Tile& fine = *choice.fine;
  tile.request = choice.wanted;
  tile.total_rows = shape.rows;
  tile.total_columns = shape.columns;
  const CellBlock block = block_of(choice.wanted);
  const Index rows = std::min(block.rows(), choice.wanted.max_rows);
  const Index columns = std::min(block.columns(), choice.wanted.max_columns);
  tile.values.resize(rows, columns);
  tile.marks.resize(static_cast<std::size_t>(rows * columns));
  tile.range = fine.range;
  tile.spread = fine.spread;
  tile.draws = fine.draws;
  tile.pooled = rows < block.rows() || columns < block.columns();
  made.rough.resize(tile.marks.size(), true);
  lay_over(made, choice.coarse ? *choice.coarse : fine, true);
  if (choice.coarse) lay_over(made, fine, false);
  return made;
}

std::shared_ptr<const Tile> find_tile(const UiContext& ui, Stage stage, Index head, bool& stale,
                                      TileContent content) {
  stale = true;
  if (!ui.answer) return nullptr;
  for (std::size_t i = 0; i < ui.answer->tiles.size(); ++i) {
    const TileRequest& request = ui.answer->requested.tiles[i];
    if (request.stage != stage || request.head != head || request.sequence != ui.view.sequence) continue;
    if (request.content != content) continue;
    stale = ui.answer->revision != ui.document.revision();
    return ui.answer->tiles[i];
  }
  return nullptr;
}

std::optional<float> find_number(const UiContext& ui, TileContent content, const CellAddress& cell) {
  if (!ui.answer) return std::nullopt;
  for (const auto& tile : ui.answer->tiles) {
    if (!tile || tile->pooled) continue;
    const TileRequest& request = tile->request;
    if (request.stage == cell.stage && request.head == cell.head && request.sequence == cell.sequence &&
        request.content == content && block_of(request).contains(cell.row, cell.column))
      return tile->values(cell.row - request.row_begin, cell.column - request.column_begin);
  }
  return std::nullopt;
}

ValueStatistics shown_numbers(const UiContext& ui, Stage stage, std::optional<Index> only_head,
                              const StageColors& colors, TileContent content) {
  TileRequest wanted;
  wanted.stage = stage;
  request_spread(wanted, colors);
  ValueStatistics numbers;
  for (Index head = 0; head < stage_heads(ui.layer(), stage); ++head) {
    if (only_head && head != *only_head) continue;
    std::shared_ptr<const Tile> nearest;
    for (std::size_t i = 0; ui.answer && i < ui.answer->tiles.size(); ++i) {
      const TileRequest& request = ui.answer->requested.tiles[i];
      const auto& tile = ui.answer->tiles[i];
      if (!tile || request.stage != stage || request.head != head || request.sequence != ui.view.sequence ||
          request.content != content)
        continue;
      if (!nearest || same_spread(request, wanted)) nearest = tile;
      if (same_spread(request, wanted)) break;
    }
    if (nearest) numbers = joined(numbers, statistics_of(*nearest));
  }
  return numbers;
}

const ValueStatistics& NumbersOfFrame::of(const UiContext& ui, Stage stage, std::optional<Index> only_head,
                                          const StageColors& colors, TileContent content) {
  if (frame_ != ImGui::GetFrameCount()) entries_.clear();
  frame_ = ImGui::GetFrameCount();
  Entry wanted;
  wanted.asked.stage = stage;
  wanted.asked.content = content;
  wanted.asked.head = only_head.value_or(0);
  wanted.all_heads = !only_head;
  request_spread(wanted.asked, colors);
  for (const Entry& entry : entries_)
    if (entry.asked == wanted.asked && entry.all_heads == wanted.all_heads) return entry.numbers;
  wanted.numbers = shown_numbers(ui, stage, only_head, colors, content);
  entries_.push_back(wanted);
  return entries_.back().numbers;
}

}  // namespace headlight
