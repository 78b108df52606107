// Owns a copy of the model and every stage derived from it, and refreshes only what an edit reaches.
// Not thread-safe: engine/worker runs it on its own thread.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/attention/stage_versions.h"
#include "engine/attention/token_stages.h"
#include "engine/keeping/keeping_choice.h"
#include "engine/keeping/pair_keeping.h"
#include "engine/model/dropout_mean.h"
#include "engine/model/edit.h"
#include "engine/model/weight_report.h"
#include "engine/views/mark_rule.h"
#include "engine/views/point_cloud.h"
#include "engine/views/query.h"

namespace headlight {

class Evaluator {
 public:
  // Throws Error when the model is not valid. Nothing is computed yet. Automatic: stages while they are
  // small.
  // memory_budget: what the T x T stages may take, in bytes.
  explicit Evaluator(Model model, Keeping keeping = Keeping::Automatic,
                     double memory_budget = default_memory_budget());

  const Model& model() const { return store_->model; }

  // Changes the model and notes which stages are stale. Throws Error and changes nothing on bad input.
  void apply(const Edit& edit);
  // Computes every stale stage, or leaves out `output` where it is not wished for and would cost much. Cost:
  // that of the stages refreshed; where scores are kept, that of what the edit reaches in them.
  // Throws Error when the stages cannot be kept in the memory there is; they are stale then.
  void refresh(StageSet wished = kAllStages);
  // The same for about so many milliseconds; false when there is more to do, which the next call goes on with
  // and an edit makes begin anew. In between, tiles of a map show as much as is there; other queries need a
  // fresh evaluator.
  bool refresh_for(double milliseconds, StageSet wished = kAllStages);
  double progress() const;  // of what refresh_for() has begun: 0 to 1
  bool fresh() const { return stale_ == 0; }
  // How the T x T stages are kept since the last refresh: not Automatic.
  Keeping keeping() const { return pairs_ ? pairs_->kind() : Keeping::Stages; }

  // Grows when a refresh has made the matrix anew; while it stays, so do its tiles.
  std::uint64_t version(Stage stage, Index sequence, Index head) const;

  // The queries below throw Error when the stage does not exist or the address lies outside of it, and need a
  // fresh evaluator. One matrix of a stage that exists: rows x columns. Of a stage that is not kept it is
  // made, and lives until the next edit: tiles and rows cost less.
  const Matrix& matrix(Stage stage, Index sequence, Index head) const;
  // The same row by row. The evaluator must live, and nothing change, while it is read.
  RowSource rows(Stage stage, Index sequence, Index head) const;
  // How the cells of that matrix are marked; lives as long as nothing changes.
  MarkRule mark_rule(Stage stage, Index sequence, Index head) const;
  // How one cell is marked. Precondition: it exists.
  CellMark mark(Stage stage, Index sequence, Index head, Index row, Index column) const;
  Tile tile(const TileRequest& request) const;
  CellTrace trace(const CellAddress& cell) const;
  RowSummary row(const RowRequest& request) const;
  HeadSummary head(const HeadRequest& request) const;
  PointCloud points(const PointsRequest& request) const;
  // The dropout multipliers, Tq x Tk; empty while dropout is not active.
  const Matrix& noise(Index sequence, Index head) const;
  // Of weights that are given, made again when they have changed; null of any others.
  std::shared_ptr<const WeightReport> weight_report();
  // Draws dropout on, towards so many draws, for tiles of their mean; bounded work, so call it again until
  // the tile has them all.
  void draw_mean_to(Index draws);

 private:
  // Stages that are stale, but for output, until they are fresh or the time is over; false when it is.
  bool go_on(PairKeeping::Clock::time_point until, StageSet wished);
  // Refreshes what is quick, and begins or does at once what is stale of pairs.
  void begin(StageSet wished);
  void choose_keeping();
  void refresh_noise();
  void check_address(Stage stage, Index sequence, Index head) const;

  // In tile.cpp: contents that are not a stage's own numbers.
  Matrix part_of_head(Index sequence, Index head) const;
  Matrix content_matrix(const TileRequest& request) const;
  MarkRule content_marks(const TileRequest& request) const;

  std::unique_ptr<StageStore> store_;  // where it is, whoever moves the evaluator
  TokenStages tokens_;
  std::unique_ptr<PairKeeping> pairs_;  // none before the first refresh
  Keeping wished_keeping_;
  double memory_budget_;
  StageSet stale_ = kAllStages;
  PartChange part_;         // of the stale stages that is stale
  bool follows_ = false;    // whether pairs_ follows that part, and the rest is fresh
  bool under_way_ = false;  // whether pairs_ is in a pass
  bool finite_ = true;      // false: scores could not be kept since the last edit
  bool noise_stale_ = true;
  KeptCounts kept_;
  std::shared_ptr<const WeightReport> weight_report_;  // of the model as it is; null: not made yet
  StageVersions versions_;
};

// The whole forward pass at once: for the command line and tests.
Evaluator evaluate(Model model, Keeping keeping = Keeping::Automatic);

}  // namespace headlight
