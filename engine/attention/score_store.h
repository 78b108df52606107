// Interface of a kind of storage for the T x T stages (scores, scaled, masked, weights, dropped) of all heads
// and sequences. It computes them, or what they can be recomputed from, and the store's context, from the
// store's queries, keys, values and noise.
//
// The evaluator uses only this interface and best_storage() and make_score_store() of storage_choice.h. A new
// kind of storage is one more class in this folder and one more case in storage_choice.cpp.
//
// Addresses passed in are those of existing stages. The const functions may run on several threads.
#pragma once

#include <chrono>
#include <optional>

#include "engine/attention/change_scope.h"
#include "engine/attention/stage_store.h"
#include "engine/attention/storage_choice.h"
#include "engine/views/head_summary.h"
#include "engine/views/query.h"
#include "engine/views/row_source.h"

namespace headlight {

class ScoreStore {
 public:
  using Clock = std::chrono::steady_clock;

  ScoreStore() = default;
  ScoreStore(const ScoreStore&) = delete;
  ScoreStore& operator=(const ScoreStore&) = delete;
  virtual ~ScoreStore() = default;
  virtual StorageKind kind() const = 0;

  // Called before a change that affects part of the T x T stages, while the store is unchanged and everything
  // stored here is fresh. False: everything stored must be recomputed by begin(). True: follow() is called
  // next, after the queries, keys and values were updated.
  virtual bool prepare(const ChangeScope&) { return false; }
  // Updates what is stored, and the affected rows of context, at once.
  virtual void follow(const ChangeScope&) {}

  // Begins a pass over the stale stages; go_on() is then called until it returns true. Everything the pass
  // reads from the store is fresh. requested: the stages that are shown. Throws Error if there is not
  // enough memory.
  virtual void begin(StageSet stale, StageSet requested) = 0;
  // Continues until the deadline, at least by one step. True: nothing is left to do.
  virtual bool go_on(Clock::time_point until) = 0;
  virtual double progress() const { return 1; }  // of the pass: 0 to 1
  // The requested stages that are partly deferred until requested: a pass with nothing stale computes them.
  virtual StageSet missing(StageSet /*requested*/) const { return 0; }
  // Whether the stored numbers, after the pass, reproduce the stages. False: the model needs another kind of
  // storage.
  virtual bool holds() const { return true; }
  // Called after an edit: discards matrices that were computed on request.
  virtual void discard_computed() {}

  // One matrix of a T x T stage. If it is not stored, it is computed and stays valid until the next edit;
  // reading rows costs less. Throws Error if there is not enough memory.
  virtual const Matrix& matrix(Stage stage, Index sequence, Index head) const = 0;
  // One matrix of a T x T stage, row by row; valid while this object lives and nothing changes.
  virtual RowSource rows(Stage stage, Index sequence, Index head) const = 0;
  // A tile computed in a faster way than from rows; nullopt if there is none. Throws Error if the part lies
  // outside the matrix, or if the content cannot be shown.
  virtual std::optional<Tile> tile(const TileRequest&) const { return std::nullopt; }
  virtual HeadSummary head(Index sequence, Index head) const = 0;
};

}  // namespace headlight
