// Owns a copy of the model and every stage derived from it, and refreshes only what an edit reaches.
// Not thread-safe: engine/worker runs it on its own thread.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "engine/attention/dropout_mean.h"
#include "engine/attention/head_summary.h"
#include "engine/attention/kept_softmax.h"
#include "engine/attention/mark_rule.h"
#include "engine/attention/point_cloud.h"
#include "engine/attention/query.h"
#include "engine/attention/stage.h"
#include "engine/model/edit.h"
#include "engine/model/model.h"

namespace headlight {

class Evaluator {
 public:
  // Throws Error when the model is not valid. Nothing is computed yet.
  explicit Evaluator(Model model);

  const Model& model() const { return model_; }

  // Changes the model and notes which stages are stale. Throws Error and changes nothing on bad input.
  void apply(const Edit& edit);
  // Computes every stale stage. Cost: that of the stages refreshed, each over all sequences and heads.
  void refresh();
  bool fresh() const { return stale_ == 0; }

  // The queries below throw Error when the address lies outside the stage, and need a fresh evaluator.
  // One matrix of a stage: T x columns.
  const Matrix& matrix(Stage stage, Index sequence, Index head) const;
  // How the cells of that matrix are marked; lives as long as nothing changes.
  MarkRule mark_rule(Stage stage, Index sequence, Index head) const;
  // How one cell is marked. Precondition: it exists.
  CellMark mark(Stage stage, Index sequence, Index head, Index row, Index column) const;
  Tile tile(const TileRequest& request) const;
  CellTrace trace(const CellAddress& cell) const;
  RowSummary row(const RowRequest& request) const;
  HeadSummary head(const HeadRequest& request) const;
  PointCloud points(const PointsRequest& request) const;
  // The dropout multipliers, T x T; empty while dropout is not active.
  const Matrix& noise(Index sequence, Index head) const;
  // Draws dropout on, towards so many draws, for tiles of their mean; bounded work, so call it again until
  // the tile has them all.
  void draw_mean_to(Index draws);

 private:
  // What has changed since the last refresh, where it is less than whole stages.
  struct RowsChange {  // embeddings of one sequence
    Index sequence = 0, begin = 0, end = 0;
  };
  struct HeadChange {  // what makes the queries, keys or values of one head
    Parameter parameter = Parameter::Query;
    Index head = 0;
  };
  using PartChange = std::variant<std::monostate, RowsChange, HeadChange>;

  // The part of the stages that the edit reaches; monostate where whole stages must be refreshed.
  PartChange part_reached(const Edit& edit) const;
  PartChange joined_with_pending(const PartChange& next) const;
  void refresh_part(const RowsChange& change);
  void refresh_part(const HeadChange& change);
  void refresh_rows_of_head(const RowsChange& change, Index head);

  void refresh_stage(Stage stage);
  // A multiple of the rows of a tile of a product. Rows of a thousand tokens fill half a megabyte a stage.
  static constexpr Index kChainRows = 120;
  // The stale ones of the stages from scores to context, of all heads: block by block of rows, so that a
  // stage is made from the one before it while that is still in the processor's caches.
  void refresh_chain(StageSet stale);
  void refresh_chain_rows(StageSet stale, Index sequence, Index head, Index begin, Index end);
  void make_room(StageSet stale, Index sequence, Index head);
  // Rows of queries, keys or values of one sequence: of all its heads at once.
  void refresh_projection(Stage stage, Parameter parameter, const RowsChange& change);
  void refresh_matrix(Stage stage, Index sequence, Index head);  // of a stage that is not in the chain
  void refresh_noise();
  double matrix_cells(Stage stage) const;
  Matrix part_of_head(Index sequence, Index head) const;
  Matrix content_matrix(const TileRequest& request) const;
  MarkRule content_marks(const TileRequest& request) const;
  void trace_projection(CellTrace& trace) const;
  void trace_chain(CellTrace& trace) const;
  void trace_head_parts(CellTrace& trace) const;
  Matrix& stored(Stage stage, Index sequence, Index head);

  Model model_;
  std::array<std::vector<Matrix>, kStageCount> stages_;  // by stage; index sequence * heads + head
  std::vector<Matrix> noise_;                            // by sequence * H + head
  KeptCounts kept_;
  bool noise_stale_ = true;
  StageSet stale_ = kAllStages;
  PartChange part_;  // of the stale stages that is stale
  // By sequence * H + head; empty until the first change of rows. Owner and key: this model's `weights`, and
  // it is cleared whenever those are made in another way.
  std::vector<KeptSoftmax> softmax_;
};

// The whole forward pass at once: for the command line and tests.
Evaluator evaluate(Model model);

}  // namespace headlight
