// What the window wishes to show, and the engine's answer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/attention/measured_heads.h"

namespace headlight {

// Everything the window wants to show. A new wish replaces the old one.
struct Wish {
  std::vector<TileRequest> tiles;
  std::vector<CellAddress> traces;
  std::vector<RowRequest> rows;
  std::vector<HeadRequest> heads;
  std::vector<PointsRequest> points;
  std::vector<MeasuresRequest> measures;
  // The state to compare with, for tiles of Reference and Difference, for changes, and for measures by its
  // heads; none: there is none.
  // The worker keeps its stages for as long as it is wished for. Compared by address.
  std::shared_ptr<const Model> reference;
  std::vector<ChangesRequest> changes;
  bool operator==(const Wish&) const = default;
};

// One head's measures, and the revision of the model that they are of: 0 where they are of another state to
// compare with.
struct MeasuredHead {
  std::shared_ptr<const HeadMeasures> measures;  // null: not measured yet, or there is no such head
  std::uint64_t revision = 0;
};

// The answers to one wish, all of one revision of the model, but for measures.
struct Answer {
  std::uint64_t revision = 0;  // of the last edit that is in it
  Wish wish;
  std::vector<std::shared_ptr<const Tile>> tiles;  // as in wish.tiles; null where the address does not exist
  std::vector<std::shared_ptr<const CellTrace>> traces;
  std::vector<std::shared_ptr<const RowSummary>> rows;
  std::vector<std::shared_ptr<const HeadSummary>> heads;
  std::vector<std::shared_ptr<const PointCloud>> points;
  std::vector<std::shared_ptr<const ChangeList>> changes;  // null as well where shapes differ
  // As in wish.measures. What takes longer than a moment comes head by head, in answers of its own: until
  // then they are what they were before, or null.
  std::vector<MeasuredHead> measures;
  std::vector<std::uint64_t> tile_versions;  // as in wish.tiles; see Evaluator::version
  // While `share` is below 1, of what revision each tile is, and what stands in the other lists but measures.
  std::vector<std::uint64_t> tile_revisions;
  std::uint64_t other_revision = 0;
  double compute_ms = 0;  // time to refresh the stages and answer
  // Below 1 while a pass is under way: tiles of T x T stages show as much as is there, those of stages before
  // them are new, and all else is what it was before, or null.
  double share = 1;
  Keeping keeping = Keeping::Stages;                  // how the T x T stages are kept
  std::shared_ptr<const WeightReport> weight_report;  // of weights that are given, else null

  // The answer to one part of the wish; null when it was not asked for or does not exist.
  std::shared_ptr<const Tile> find(const TileRequest& request) const;
  std::shared_ptr<const CellTrace> find(const CellAddress& cell) const;
  std::shared_ptr<const RowSummary> find(const RowRequest& request) const;
  std::shared_ptr<const HeadSummary> find(const HeadRequest& request) const;
  std::shared_ptr<const PointCloud> find(const PointsRequest& request) const;
  std::shared_ptr<const ChangeList> find(const ChangesRequest& request) const;
  std::shared_ptr<const HeadMeasures> find(const MeasuresRequest& request) const;
  Index measured_heads() const;  // how many measures are of this revision
  // Of what revision a tile is, and what is in the other lists but measures.
  std::uint64_t tile_revision(std::size_t tile) const { return share < 1 ? tile_revisions[tile] : revision; }
  std::uint64_t revision_of_others() const { return share < 1 ? other_revision : revision; }
  bool all_measured() const { return measured_heads() == static_cast<Index>(measures.size()); }
};

// The stages that somebody looks at: not all of them need be made.
StageSet stages_of(const Wish& wish);

// Answers the wish with a fresh evaluator. `reference`: that of the state to compare with, or null. What
// `earlier`, or null, has already is taken over.
std::shared_ptr<Answer> answer_wish(Evaluator& evaluator, const Evaluator* reference, Wish wish,
                                    std::uint64_t revision, const Answer* earlier);

// The answer without what is of a revision before `first`, and without what compares with another state than
// `reference`: the same where there is nothing of it, and null for none. What is left out counts as not known
// yet; how stages are kept stays told.
std::shared_ptr<const Answer> answer_since(const std::shared_ptr<const Answer>& answer, std::uint64_t first,
                                           const std::shared_ptr<const Model>& reference);

// What a map shows before it is whole; all else is what it was.
std::shared_ptr<Answer> answer_partly(const Evaluator& evaluator, const Wish& wish, std::uint64_t revision,
                                      const Answer* earlier);

}  // namespace headlight
