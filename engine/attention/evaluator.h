// Owns a copy of the model and every stage derived from it, and refreshes only what an edit reaches.
// Not thread-safe: engine/worker runs it on its own thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "engine/keeping/head_map.h"
#include "engine/keeping/head_strips.h"
#include "engine/model/dropout_mean.h"
#include "engine/model/edit.h"
#include "engine/model/model.h"
#include "engine/model/stage.h"
#include "engine/views/head_summary.h"
#include "engine/views/mark_rule.h"
#include "engine/views/point_cloud.h"
#include "engine/views/query.h"
#include "engine/views/row_source.h"

namespace headlight {

// How the T x T stages are kept. Stages: each as a matrix, with the bits that the kernels give. Scores: once,
// as in head_strips.h, and the others made from them when they are asked for; the numbers are the same within
// rounding, and an edit costs what it changes. That takes a softmax, and scores that are finite.
// Map: not even those, as in head_map.h, for sequences whose scores do not fit the memory that stages may
// take, or do not leave much of it. That takes a softmax and no dropout.
enum class Keeping { Automatic, Stages, Scores, Map };

// A quarter of the machine's memory, in bytes.
double default_memory_budget();
// What all T x T stages of all heads and sequences would take, each kept as a matrix.
double square_stages_bytes(const Model& model);
std::string gigabytes_text(double bytes);  // "4.3 GB"
// Throws Error when the model with these settings needs stages, or multipliers of dropout, that do not fit.
void check_size(const Model& model, const AttentionSettings& settings,
                double memory_budget = default_memory_budget());

class Evaluator {
 public:
  // Throws Error when the model is not valid. Nothing is computed yet. Automatic: stages while they are
  // small.
  // memory_budget: what the T x T stages may take, in bytes.
  explicit Evaluator(Model model, Keeping keeping = Keeping::Automatic,
                     double memory_budget = default_memory_budget());
  ~Evaluator();
  Evaluator(Evaluator&& other) noexcept;
  Evaluator& operator=(Evaluator&& other) noexcept;

  const Model& model() const { return model_; }

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
  Keeping keeping() const { return kept_as_; }

  // Grows when a refresh has made the matrix anew; while it stays, so do its tiles.
  std::uint64_t version(Stage stage, Index sequence, Index head) const;

  // The queries below throw Error when the address lies outside the stage, and need a fresh evaluator.
  // One matrix of a stage: T x columns. Of a stage that is not kept it is made, and lives until the next
  // edit: tiles and rows cost less.
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
  struct MaskChange {  // rows of the model's own mask
    Index begin = 0, end = 0;
  };
  using PartChange = std::variant<std::monostate, RowsChange, HeadChange, MaskChange>;
  struct MadeStages;  // matrices of stages that are not kept
  // What of a strip is made anew.
  enum class Redo { Scores, Weights };

  // The part of the stages that the edit reaches; monostate where whole stages must be refreshed.
  PartChange part_reached(const Edit& edit) const;
  PartChange joined_with_pending(const PartChange& next) const;
  // Notes that rows of `concat`, and so of `output`, have changed.
  void note_output(Index sequence, Index first_row);
  void refresh_concat(Index sequence, Index first_row);  // the rows from there on

  // In pass.cpp: what takes long is done strip by strip, so that it can be watched and left off.
  using Clock = std::chrono::steady_clock;
  struct Pass {
    bool under_way = false;
    Redo redo = Redo::Scores;
    Index next = 0, count = 0;  // strips of all heads, or bands, and those of the future behind them
    Index future_from = 0;
  };
  Keeping best_keeping() const;
  void begin_strips();
  void begin(StageSet wished);
  void begin_map();
  void plan_future(StageSet wished);
  void end_pass();
  void go_on(Clock::time_point until);
  void map_band(Index task);
  const HeadMap& map(Index sequence, Index head) const;
  HeadMap& map(Index sequence, Index head);

  // In strip_refresh.cpp: while scores are kept.
  bool scores_finite() const;
  bool refresh_scores_part();  // false: there is no part
  void refresh_part(const RowsChange& change);
  void refresh_part(const HeadChange& change);
  void refresh_part(const MaskChange& change);
  void move_rows(const RowsChange& change, Index head, const Matrix& values_before, Index strip);
  void redo_strips(Index sequence, Index head, Index begin, Index end, Redo redo);
  void refresh_output();
  StripRules rules(Index sequence, Index head) const;
  HeadStrips& strips(Index sequence, Index head);
  const HeadStrips& strips(Index sequence, Index head) const;
  Index open_cells() const;  // of a T x T stage, as the mask leaves them
  bool square_and_made(Stage stage) const { return kept_as_ != Keeping::Stages && is_square(stage); }
  void check_address(Stage stage, Index sequence, Index head) const;

  // While stages are kept.
  void refresh_stages();
  void refresh_inputs();  // from embeddings to values, those that are stale
  void refresh_all_concat();
  // Rows of a thousand tokens fill half a megabyte a stage.
  static constexpr Index kChainRows = 120;
  // The stale ones of the stages from scores to context, of all heads: block by block of rows, so that a
  // stage is made from the one before it while that is still in the processor's caches.
  void refresh_chain(StageSet stale);
  void refresh_chain_rows(StageSet stale, Index sequence, Index head, Index begin, Index end);
  void make_room(StageSet stale, Index sequence, Index head);
  // Rows of those of queries, keys and values that are in the set, of one sequence: of all its heads at once.
  void refresh_projections(StageSet stages, const RowsChange& change);
  void refresh_noise();
  double matrix_cells(Stage stage) const;
  Matrix part_of_head(Index sequence, Index head) const;
  Matrix content_matrix(const TileRequest& request) const;
  Tile tile_of_map(const TileRequest& request) const;
  MarkRule content_marks(const TileRequest& request) const;
  void trace_context(CellTrace& trace) const;
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
  // Notes that the stages in the set are new: of one head, or of all and of what has no heads.
  void note_versions(StageSet stages, std::optional<Index> head = {});

  double memory_budget_;
  std::array<std::vector<std::uint64_t>, kStageCount> versions_;  // as stages_
  std::uint64_t last_version_ = 0;
  Pass pass_;
  std::vector<HeadMap> maps_;   // by sequence * H + head; while a map is kept
  bool future_mapped_ = false;  // whether the maps hold what a causal mask hides
  Keeping wished_keeping_, kept_as_ = Keeping::Stages;
  bool not_finite_ = false;           // scores could not be kept since the last edit
  std::vector<HeadStrips> strips_;    // by sequence * H + head; while scores are kept
  std::unique_ptr<MaskStrips> mask_;  // likewise, of the model's own mask
  bool scored_causal_ = false;        // whether scores above the diagonal were left out
  Index turn_ = 0;                    // the strip whose weights the next change of rows makes anew
  std::vector<Index> output_from_;    // by sequence: the first row of `output` that is stale
  std::unique_ptr<MadeStages> made_;  // cleared by every edit
};

// The whole forward pass at once: for the command line and tests.
Evaluator evaluate(Model model, Keeping keeping = Keeping::Automatic);

}  // namespace headlight
