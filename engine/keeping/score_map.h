// Of all heads a map, as in head_map.h: every number of the stages of pairs is made again from its query and
// key.
#pragma once

#include <vector>

#include "engine/keeping/head_map.h"
#include "engine/keeping/made_matrices.h"
#include "engine/keeping/pair_keeping.h"
#include "engine/keeping/pass.h"

namespace headlight {

class ScoreMap : public PairKeeping {
 public:
  // most_of_one: what a matrix that is made whole may take, in bytes.
  ScoreMap(StageStore& store, double most_of_one);
  Keeping kind() const override { return Keeping::Map; }

  // While the pass goes on, tiles show as much as is there.
  void begin(StageSet stale, StageSet wished) override;
  bool go_on(Clock::time_point until) override;
  double progress() const override;
  // What a causal mask hides is mapped only when somebody wants to see it.
  StageSet missing(StageSet wished) const override;
  void forget_made() override { made_.clear(); }

  const Matrix& matrix(Stage stage, Index sequence, Index head) const override;
  RowSource rows(Stage stage, Index sequence, Index head) const override;
  std::optional<Tile> tile(const TileRequest& request) const override;
  HeadSummary head(Index sequence, Index head) const override;

 private:
  struct Band {  // of one head
    Index sequence = 0, head = 0, band = 0;
  };
  Band band_of(Index task) const;
  void take_inputs(Index sequence, Index head);
  void survey(const Band& at);
  HeadMap& map(Index sequence, Index head);
  const HeadMap& map(Index sequence, Index head) const;
  const Matrix& queries(Index sequence, Index head) const { return store_.scored_queries(sequence, head); }
  Index bands() const { return static_cast<Index>(maps_.size()) * maps_.front().bands(); }

  StageStore& store_;
  std::vector<HeadMap> maps_;  // by sequence * H + head
  Pass seen_, future_;         // over the bands of all heads; what a causal mask hides joins what is there
  bool future_mapped_ = false;
  mutable MadeMatrices made_;
};

}  // namespace headlight
