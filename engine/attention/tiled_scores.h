// The scores of all heads, stored once as in head_strips.h; the other T x T stages are computed from them on
// request. A changed embedding, weight of one head or row of the mask costs only what it affects.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "engine/attention/computed_matrices.h"
#include "engine/attention/head_strips.h"
#include "engine/attention/pass.h"
#include "engine/attention/score_store.h"

namespace headlight {

class TiledScores : public ScoreStore {
 public:
  // most_of_one: the limit for one whole matrix, in bytes.
  TiledScores(StageStore& store, double most_of_one) : store_(store), made_(most_of_one) {}
  StorageKind kind() const override { return StorageKind::Scores; }

  bool prepare(const ChangeScope& change) override;
  void follow(const ChangeScope& change) override;
  void begin(StageSet stale, StageSet requested) override;
  bool go_on(Clock::time_point until) override;
  double progress() const override;
  // Whether the scores, and all that is computed from them, are finite.
  bool holds() const override;
  void discard_computed() override { made_.clear(); }

  const Matrix& matrix(Stage stage, Index sequence, Index head) const override;
  RowSource rows(Stage stage, Index sequence, Index head) const override;
  std::optional<Tile> tile(const TileRequest& request) const override;
  HeadSummary head(Index sequence, Index head) const override;

 private:
  // What is recomputed in a strip.
  enum class Redo { Scores, Weights };

  void follow_part(const RowsChange& change);
  void follow_part(const HeadChange& change);
  void follow_part(const MaskChange& change);
  void move_rows(const RowsChange& change, Index head, Index strip);
  void take_inputs(StageSet stale, Index sequence, Index head);
  void redo_strips(Index sequence, Index head, Index begin, Index end, Redo redo);
  StripRules rules(Index sequence, Index head) const;
  Index open_cells(Index sequence) const;  // of one matrix, as the mask leaves them
  std::vector<KeyBand> bands() const;      // by sequence
  HeadStrips& strips(Index sequence, Index head);
  const HeadStrips& strips(Index sequence, Index head) const;
  double head_work() const { return store_.cells(Stage::Queries); }

  StageStore& store_;
  std::vector<HeadStrips> strips_;     // by sequence * H + head
  std::unique_ptr<MaskStrips> mask_;   // of the model's own mask
  std::vector<KeyBand> scored_bands_;  // by sequence: scores outside of the band are not stored
  Pass pass_;                          // over the strips of all heads
  Redo redo_ = Redo::Scores;           // what the pass does with each strip
  Matrix values_before_;               // of the rows that are about to change: rows x G d_v
  Index turn_ = 0;                     // the strip that the next change of rows recomputes in full
  mutable ComputedMatrices made_;
};

}  // namespace headlight
