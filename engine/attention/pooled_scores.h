// A map of every head, as in head_map.h: the numbers of the T x T stages are recomputed from query and key.
#pragma once

#include <vector>

#include "engine/attention/computed_matrices.h"
#include "engine/attention/head_map.h"
#include "engine/attention/pass.h"
#include "engine/attention/score_store.h"

namespace headlight {

class PooledScores : public ScoreStore {
 public:
  // most_of_one: the limit for one whole matrix, in bytes.
  PooledScores(StageStore& store, double most_of_one);
  StorageKind kind() const override { return StorageKind::Map; }

  // During the pass, tiles show what has been computed so far.
  void begin(StageSet stale, StageSet requested) override;
  bool go_on(Clock::time_point until) override;
  double progress() const override;
  // The cells that a causal mask hides are mapped only when a requested stage shows them.
  StageSet missing(StageSet requested) const override;
  void discard_computed() override { made_.clear(); }

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
  // Over the bands of all heads: the attended cells, then the cells that a causal mask hides.
  Pass seen_, future_;
  bool future_mapped_ = false;
  mutable ComputedMatrices made_;
};

}  // namespace headlight
