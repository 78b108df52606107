// Owns a copy of the model and every stage derived from it; refreshes only what an edit affects. Not
// thread-safe: engine/worker runs it on its own thread.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/attention/score_store.h"
#include "engine/attention/stage_versions.h"
#include "engine/attention/storage_choice.h"
#include "engine/attention/token_stages.h"
#include "engine/layer/dropout_mean.h"
#include "engine/layer/edit.h"
#include "engine/layer/weight_report.h"
#include "engine/views/mark_rule.h"
#include "engine/views/point_cloud.h"
#include "engine/views/query.h"

namespace headlight {

class Evaluator {
 public:
  // Throws Error if the model is not valid. Computes nothing yet. Automatic: small models store every stage
  // as a matrix. memory_budget: what the T x T stages may take, in bytes.
  explicit Evaluator(Layer layer, StorageKind storage = StorageKind::Automatic,
                     double memory_budget = default_memory_budget());
  // Without a copy of the model: it is shared until the first edit, and must not change meanwhile.
  explicit Evaluator(std::shared_ptr<const Layer> layer, StorageKind storage = StorageKind::Automatic,
                     double memory_budget = default_memory_budget());

  // Valid until the next edit.
  const Layer& layer() const { return *store_->layer; }

  // Changes the model and marks the affected stages as stale. Throws Error and changes nothing on invalid
  // input.
  void apply(const Edit& edit);
  // Computes every stale stage; `output` stays stale unless it is requested. Cost: that of the stages
  // refreshed; with stored scores, that of the part that the edit affects. Throws Error if the stages do not
  // fit in memory; they stay stale.
  void refresh(StageSet requested = kAllStages);
  // refresh() for about that many milliseconds. False if there is more to do: the next call continues, and
  // an edit starts over. In between, tiles of a map show what has been computed so far; other queries need a
  // fresh evaluator.
  bool refresh_for(double milliseconds, StageSet requested = kAllStages);
  double progress() const;  // of what refresh_for() has begun: 0 to 1
  bool fresh() const { return stale_ == 0; }
  // How the T x T stages are stored since the last refresh: never Automatic.
  StorageKind storage() const { return pairs_ ? pairs_->kind() : StorageKind::Stages; }

  // Increases when a refresh recomputes the matrix; tiles of an equal version are equal.
  std::uint64_t version(Stage stage, Index sequence, Index head) const;

  // The queries below throw Error if the stage does not exist or the address lies outside of it, and need a
  // fresh evaluator.
  //
  // One matrix of an existing stage: rows x columns. If the stage is not stored, the matrix is computed and
  // stays valid until the next edit: tiles and rows cost less.
  const Matrix& matrix(Stage stage, Index sequence, Index head) const;
  // One matrix of a stage, row by row. The evaluator must outlive it, and nothing may change meanwhile.
  RowSource rows(Stage stage, Index sequence, Index head) const;
  // How the cells of that matrix are marked; valid until the next change.
  MarkRule mark_rule(Stage stage, Index sequence, Index head) const;
  // How one cell is marked. Precondition: it exists.
  CellMark mark(Stage stage, Index sequence, Index head, Index row, Index column) const;
  Tile tile(const TileRequest& request) const;
  // Each cell's mean over all heads, or its largest number. Sums are in float64. Throws Error if the stage
  // has no heads, or if such a matrix does not fit in memory.
  Matrix heads_together(Stage stage, Index sequence, HeadPool pool) const;
  // `weights` or `dropped`, each number times |v W_o|, the Euclidean length of what the value of its key adds
  // to the output (W_o: the head's rows; |v| without an output projection). Kobayashi et al. 2020, "Attention
  // is Not Only a Weight", arXiv 2004.10102. Throws Error for other stages, if the layer has no values, or if
  // the matrix does not fit in memory.
  Matrix value_weighted(Stage stage, Index sequence, Index head) const;
  // `weights` without the first key, where much attention rests that means little (an attention sink; Xiao et
  // al. 2023, "Efficient Streaming Language Models with Attention Sinks", arXiv 2309.17453): its column is 0,
  // and each row is divided by the sum of the others. A row that gives the others nothing is 0. Throws Error
  // for other stages, if there is no other key, or if the matrix does not fit in memory.
  Matrix without_first(Stage stage, Index sequence, Index head) const;
  CellTrace trace(const CellAddress& cell) const;
  RowSummary row(const RowRequest& request) const;
  HeadSummary head(const HeadRequest& request) const;
  PointCloud points(const PointsRequest& request) const;
  // The dropout multipliers, Tq x Tk; empty while dropout is not active.
  const Matrix& noise(Index sequence, Index head) const;
  // Report on given weights, recomputed after they change; null if the model has none.
  std::shared_ptr<const WeightReport> weight_report();
  // Continues the dropout draws towards `draws`, for tiles of their mean. The work per call is bounded: call
  // it again until the tile has all draws.
  void draw_mean_to(Index draws);

 private:
  // The lengths by which value_weighted() multiplies, one for each key. Throws Error unless the stage is
  // `weights` or `dropped` and the layer has values.
  Eigen::RowVectorXf value_lengths(Stage stage, Index sequence, Index head) const;
  Evaluator(SharedLayer layer, StorageKind storage, double memory_budget);
  // Refreshes the stale stages except `output`; false if the deadline came first.
  bool go_on(ScoreStore::Clock::time_point until, StageSet requested);
  // Refreshes the stages with a row per token, and updates the T x T stages at once or begins a pass over
  // them.
  void begin(StageSet requested);
  void choose_storage();
  void refresh_noise();
  void check_address(Stage stage, Index sequence, Index head) const;

  // In tile.cpp: contents that are not a stage's own numbers.
  Matrix part_of_head(Index sequence, Index head) const;
  Matrix content_matrix(const TileRequest& request) const;
  MarkRule content_marks(const TileRequest& request) const;
  Tile tile_without_first(const TileRequest& request) const;
  Tile tile_of_heads(const TileRequest& request, HeadPool pool) const;

  std::unique_ptr<StageStore> store_;  // on the heap, so that its address survives a move of the evaluator
  TokenStages tokens_;
  std::unique_ptr<ScoreStore> pairs_;  // null before the first refresh
  StorageKind requested_storage_;
  double memory_budget_;
  StageSet stale_ = kAllStages;
  ChangeScope part_;        // the part of the stages in stale_ that edits affected
  bool follows_ = false;    // pairs_ has updated just that part, and the other stages are fresh
  bool under_way_ = false;  // pairs_ is in a pass
  bool finite_ = true;      // false: the scores of the current model turned out not to be finite
  bool noise_stale_ = true;
  DropoutCounts kept_;
  std::shared_ptr<const WeightReport> weight_report_;  // of the current model; null: not computed yet
  StageVersions versions_;
};

// The whole forward pass at once: for the command line and tests.
Evaluator evaluate(Layer layer, StorageKind storage = StorageKind::Automatic);
Evaluator evaluate(std::shared_ptr<const Layer> layer, StorageKind storage = StorageKind::Automatic);

}  // namespace headlight
