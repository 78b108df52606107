#include "engine/attention/difference.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/views/plain_tile.h"
#include "engine/views/tile_builder.h"

namespace headlight {
namespace {

// One matrix in both states, cell by cell.
class Pair {
 public:
  // by_value: of weights, as TileContent::ValueWeighted.
  Pair(const Evaluator& a, const Evaluator& b, Stage stage, Index sequence, Index head, bool by_value) {
    const std::string fault = shape_difference(a.layer(), b.layer(), stage);
    if (!fault.empty())
      throw Error(fault, std::string(stage_info(stage).name), "compare a stage of equal shape");
    if (by_value) {
      products_before_ = a.value_weighted(stage, sequence, head);
      products_after_ = b.value_weighted(stage, sequence, head);
    }
    before_ = by_value ? &products_before_ : &a.matrix(stage, sequence, head);
    after_ = by_value ? &products_after_ : &b.matrix(stage, sequence, head);
    rule_before_ = a.mark_rule(stage, sequence, head);
    rule_after_ = b.mark_rule(stage, sequence, head);
  }

  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  Index rows() const { return after_->rows(); }
  Index columns() const { return after_->cols(); }
  float before(Index row, Index column) const { return (*before_)(row, column); }
  float after(Index row, Index column) const { return (*after_)(row, column); }

  CellMark mark(Index row, Index column) const {
    const CellMark before = mark_of(rule_before_, row, column), after = mark_of(rule_after_, row, column);
    if (before == after) return before;
    if (before == CellMark::Masked) return CellMark::Appeared;
    return after == CellMark::Masked ? CellMark::Vanished : CellMark::None;
  }
  // The marks of both states; nullopt if they differ.
  std::optional<MarkRule> shared_marks() const {
    if (!same_marks(rule_before_, rule_after_)) return std::nullopt;
    return rule_after_;
  }
  float difference(Index row, Index column, CellMark mark) const {
    if (mark == CellMark::Masked || mark == CellMark::Dropped) return 0.0f;
    return after(row, column) - before(row, column);
  }

 private:
  Matrix products_before_, products_after_;  // by value
  const Matrix *before_ = nullptr, *after_ = nullptr;
  MarkRule rule_before_, rule_after_;
};

// "A has 6 tokens, B has 7".
std::string counted(StateNames names, const char* what, Index a, Index b) {
  const std::string things = std::string(" ") + what + (a == 1 ? "" : "s");
  return std::string(names.a) + " has " + std::to_string(a) + things + ", " + std::string(names.b) + " has " +
         std::to_string(b);
}

// Larger changes first; equal ones by row and column.
bool comes_before(const CellChange& a, const CellChange& b) {
  const float left = std::abs(a.difference()), right = std::abs(b.difference());
  if (left != right) return left > right;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

// Keeps the `count` largest changes in a heap whose top is the smallest of them.
void keep_largest(std::vector<CellChange>& heap, const CellChange& change, std::size_t count) {
  if (heap.size() < count) {
    heap.push_back(change);
    std::push_heap(heap.begin(), heap.end(), comes_before);
  } else if (count > 0 && comes_before(change, heap.front())) {
    std::pop_heap(heap.begin(), heap.end(), comes_before);
    heap.back() = change;
    std::push_heap(heap.begin(), heap.end(), comes_before);
  }
}

}  // namespace

std::string shape_difference(const Layer& a, const Layer& b, Stage stage, StateNames names) {
  if (a.sequence_count() != b.sequence_count())
    return counted(names, "sequence", a.sequence_count(), b.sequence_count());
  if (a.token_count() != b.token_count()) return counted(names, "token", a.token_count(), b.token_count());
  if (a.key_count() != b.key_count()) return counted(names, "key token", a.key_count(), b.key_count());
  for (const auto& [name, state] : {std::pair(names.a, &a), std::pair(names.b, &b)})
    if (!stage_exists(*state, stage)) return std::string(name) + " has none: " + why_no_stage(*state, stage);
  if (stage_heads(a, stage) != stage_heads(b, stage))
    return counted(names, "head", stage_heads(a, stage), stage_heads(b, stage));
  if (stage_columns(a, stage) != stage_columns(b, stage))
    return counted(names, "column", stage_columns(a, stage), stage_columns(b, stage));
  return "";
}

Tile reference_tile(const Evaluator& a, const TileRequest& request) {
  TileRequest own = request;
  own.content = is_by_value(request.content) ? TileContent::ValueWeighted : TileContent::Stage;
  Tile tile = a.tile(own);
  tile.request.content = request.content;
  return tile;
}

Tile difference_tile(const Evaluator& a, const Evaluator& b, const TileRequest& request) {
  const Pair pair(a, b, request.stage, request.sequence, request.head, is_by_value(request.content));
  const std::optional<MarkRule> shared = pair.shared_marks();
  Matrix moved(pair.rows(), pair.columns());
  std::vector<CellMark> marks(shared ? 0 : static_cast<std::size_t>(moved.size()));
  for (Index r = 0; r < moved.rows(); ++r)
    for (Index c = 0; c < moved.cols(); ++c) {
      const CellMark mark = pair.mark(r, c);
      if (!shared) marks[static_cast<std::size_t>(r * moved.cols() + c)] = mark;
      moved(r, c) = pair.difference(r, c, mark);
    }
  if (shared) return marked_tile(request, moved, *shared);
  return build_tile(request, moved, [&](Index row, Index column) {
    return marks[static_cast<std::size_t>(row * moved.cols() + column)];
  });
}

ChangeList largest_changes(const Evaluator& a, const Evaluator& b, const ChangesRequest& request) {
  const Pair pair(a, b, request.stage, request.sequence, request.head, request.by_value);
  ChangeList list;
  list.request = request;
  const auto count = static_cast<std::size_t>(std::clamp<Index>(request.count, 0, kMostChanges));
  for (Index r = 0; r < pair.rows(); ++r)
    for (Index c = 0; c < pair.columns(); ++c) {
      const CellMark mark = pair.mark(r, c);
      if (mark == CellMark::Appeared) ++list.appeared;
      if (mark == CellMark::Vanished) ++list.vanished;
      const float moved = pair.difference(r, c, mark);
      if (has_no_number(moved, mark) || moved == 0.0f) continue;
      if (!std::isfinite(moved)) {
        ++list.not_finite;
        continue;
      }
      ++list.changed;
      keep_largest(list.largest, {r, c, pair.before(r, c), pair.after(r, c), mark}, count);
    }
  std::sort_heap(list.largest.begin(), list.largest.end(), comes_before);
  return list;
}

}  // namespace headlight
