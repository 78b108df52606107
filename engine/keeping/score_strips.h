// The scores of all heads kept once, as in head_strips.h, and the other stages of pairs made from them when
// they are asked for. Follows what a changed embedding, a changed weight of one head or a changed row of the
// mask reaches, at the cost of that.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "engine/keeping/head_strips.h"
#include "engine/keeping/made_matrices.h"
#include "engine/keeping/pair_keeping.h"
#include "engine/keeping/pass.h"

namespace headlight {

class ScoreStrips : public PairKeeping {
 public:
  // most_of_one: what a matrix that is made whole may take, in bytes.
  ScoreStrips(StageStore& store, double most_of_one) : store_(store), made_(most_of_one) {}
  Keeping kind() const override { return Keeping::Scores; }

  bool prepare(const PartChange& change) override;
  void follow(const PartChange& change) override;
  void begin(StageSet stale, StageSet wished) override;
  bool go_on(Clock::time_point until) override;
  double progress() const override;
  // Whether the scores are finite, and all that is made of them.
  bool holds() const override;
  void forget_made() override { made_.clear(); }

  const Matrix& matrix(Stage stage, Index sequence, Index head) const override;
  RowSource rows(Stage stage, Index sequence, Index head) const override;
  std::optional<Tile> tile(const TileRequest& request) const override;
  HeadSummary head(Index sequence, Index head) const override;

 private:
  // What of a strip is made anew.
  enum class Redo { Scores, Weights };

  void follow_part(const RowsChange& change);
  void follow_part(const HeadChange& change);
  void follow_part(const MaskChange& change);
  void move_rows(const RowsChange& change, Index head, Index strip);
  void take_inputs(StageSet stale, Index sequence, Index head);
  void redo_strips(Index sequence, Index head, Index begin, Index end, Redo redo);
  StripRules rules(Index sequence, Index head) const;
  Index open_cells(Index sequence) const;  // of a stage, as the mask leaves them
  std::vector<KeyBand> bands() const;      // of the sequences
  HeadStrips& strips(Index sequence, Index head);
  const HeadStrips& strips(Index sequence, Index head) const;
  double head_work() const { return store_.cells(Stage::Queries); }

  StageStore& store_;
  std::vector<HeadStrips> strips_;     // by sequence * H + head
  std::unique_ptr<MaskStrips> mask_;   // of the model's own mask
  std::vector<KeyBand> scored_bands_;  // by sequence: outside of them scores were left out
  Pass pass_;                          // over the strips of all heads
  Redo redo_ = Redo::Scores;           // what the pass does with each
  Matrix values_before_;               // of the rows that are about to change: rows x d_out
  Index turn_ = 0;                     // the strip whose weights the next change of rows makes anew
  mutable MadeMatrices made_;
};

}  // namespace headlight
