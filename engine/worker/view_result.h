// View requests of the window and the engine's results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/attention/measured_heads.h"
#include "engine/learning/gradient_trace.h"

namespace headlight {

// The gradients that the window shows.
struct GradientsView {
  std::shared_ptr<const Goal> goal;  // null: none are requested. Compared by address
  StageSet stages = 0;               // those of tiles and traces, with all that traces read
  bool parameters = false;           // whether those of weights and embeddings are shown
  bool operator==(const GradientsView&) const = default;
};

// The gradients of one revision, or why there are none.
struct GradientsResult {
  Gradients gradients;
  std::string refusal;  // "" unless the goal does not fit the layer, or there is too much to compute
  double compute_ms = 0;
};

// Everything that the window shows. A new request replaces the old one.
struct ViewRequest {
  std::vector<TileRequest> tiles;
  std::vector<CellAddress> traces;
  std::vector<RowRequest> rows;
  std::vector<HeadRequest> heads;
  std::vector<PointsRequest> points;
  std::vector<MeasuresRequest> measures;
  // The baseline, for tiles of Reference and Difference, for changes, and for measures that use its heads;
  // null: none. The worker stores its stages as long as it is requested. Compared by address.
  std::shared_ptr<const Layer> reference;
  std::vector<ChangesRequest> changes;
  // For tiles of Gradient and for the traces of gradients, of stages and of inputs.
  GradientsView gradients;
  std::vector<CellAddress> gradient_traces;
  std::vector<InputCell> input_gradient_traces;
  bool operator==(const ViewRequest&) const = default;
};

// One head's measures and the revision of the layer that they belong to: 0 if they were computed with another
// baseline.
struct MeasuredHead {
  std::shared_ptr<const HeadMeasures> measures;  // null: not measured yet, or there is no such head
  std::uint64_t revision = 0;
};

// The answers to one request, all of one revision of the layer except for measures.
struct ViewResult {
  std::uint64_t revision = 0;  // of the last edit that is included
  ViewRequest requested;
  // As in requested.tiles; null if the address does not exist.
  std::vector<std::shared_ptr<const Tile>> tiles;
  std::vector<std::shared_ptr<const CellTrace>> traces;
  std::vector<std::shared_ptr<const RowSummary>> rows;
  std::vector<std::shared_ptr<const HeadSummary>> heads;
  std::vector<std::shared_ptr<const PointCloud>> points;
  std::vector<std::shared_ptr<const ChangeList>> changes;  // null also if the shapes differ
  // Null while none are requested, or before they are computed for the first time.
  std::shared_ptr<const GradientsResult> gradients;
  std::vector<std::shared_ptr<const GradientTrace>> gradient_traces, input_gradient_traces;
  // As in requested.measures. Measures that take long arrive head by head in later results; until then they
  // are the earlier ones, or null.
  std::vector<MeasuredHead> measures;
  std::vector<std::uint64_t> tile_versions;  // as in requested.tiles; see Evaluator::version
  // While `share` is below 1: the revision of each tile, and of everything else except measures.
  std::vector<std::uint64_t> tile_revisions;
  std::uint64_t other_revision = 0;
  double compute_ms = 0;  // time to refresh the stages and answer
  // Below 1 during a pass: tiles of T x T stages show what has been computed so far, tiles of earlier stages
  // are new, and everything else is from before the pass, or null.
  double share = 1;
  StorageKind storage = StorageKind::Stages;          // how the T x T stages are stored
  std::optional<StorageKind> reference_storage;       // those of the baseline; nullopt without one
  std::shared_ptr<const WeightReport> weight_report;  // of given weights, else null

  // The answer to one part of the request; null if it was not requested or does not exist.
  std::shared_ptr<const Tile> find(const TileRequest& request) const;
  std::shared_ptr<const CellTrace> find(const CellAddress& cell) const;
  std::shared_ptr<const RowSummary> find(const RowRequest& request) const;
  std::shared_ptr<const HeadSummary> find(const HeadRequest& request) const;
  std::shared_ptr<const PointCloud> find(const PointsRequest& request) const;
  std::shared_ptr<const ChangeList> find(const ChangesRequest& request) const;
  std::shared_ptr<const HeadMeasures> find(const MeasuresRequest& request) const;
  std::shared_ptr<const GradientTrace> find_gradient(const CellAddress& cell) const;
  std::shared_ptr<const GradientTrace> find_gradient(const InputCell& cell) const;
  Index measured_heads() const;  // how many measures are of this revision
  // The revision of a tile, and of everything else except measures.
  std::uint64_t tile_revision(std::size_t tile) const { return share < 1 ? tile_revisions[tile] : revision; }
  std::uint64_t revision_of_others() const { return share < 1 ? other_revision : revision; }
  bool all_measured() const { return measured_heads() == static_cast<Index>(measures.size()); }
};

// The stages that the request shows; others need not be computed.
StageSet stages_of(const ViewRequest& requested);

// Answers the request with a fresh evaluator. `reference`: the evaluated baseline, or null. Reuses what is
// still valid in `earlier`, which may be null.
std::shared_ptr<ViewResult> make_result(Evaluator& evaluator, const Evaluator* reference,
                                        ViewRequest requested, std::uint64_t revision,
                                        const ViewResult* earlier);

// The answer without parts older than revision `first`, and without comparisons with another baseline than
// `reference`: the same object if nothing is removed, null for null. Removed parts count as not known yet;
// `storage` stays, and that of the same baseline.
std::shared_ptr<const ViewResult> result_since(const std::shared_ptr<const ViewResult>& answer,
                                               std::uint64_t first,
                                               const std::shared_ptr<const Layer>& reference);

// What a map shows before its pass has finished; everything else is taken from `earlier`.
std::shared_ptr<ViewResult> partial_result(const Evaluator& evaluator, const ViewRequest& requested,
                                           std::uint64_t revision, const ViewResult* earlier);

}  // namespace headlight
