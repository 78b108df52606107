// One way to keep the stages of pairs, those with a number for each query and key: scores, scaled, masked,
// weights and dropped, of all heads and sequences. Out of the store's queries, keys, values and noise it
// makes them, or what they can be made of again, and with them the store's context.
//
// The evaluator knows this interface and the two functions of keeping_choice.h, nothing of the ways behind:
// another way is a class more in this folder, and a line in keeping_choice.cpp.
//
// Addresses are those of the stage and exist. The functions that are const may run on several threads.
#pragma once

#include <chrono>
#include <optional>

#include "engine/keeping/keeping_choice.h"
#include "engine/keeping/part_change.h"
#include "engine/keeping/stage_store.h"
#include "engine/views/head_summary.h"
#include "engine/views/query.h"
#include "engine/views/row_source.h"

namespace headlight {

class PairKeeping {
 public:
  using Clock = std::chrono::steady_clock;

  PairKeeping() = default;
  PairKeeping(const PairKeeping&) = delete;
  PairKeeping& operator=(const PairKeeping&) = delete;
  virtual ~PairKeeping() = default;
  virtual Keeping kind() const = 0;

  // A part is about to change that reaches stages of pairs; the store is still as it was, and what is kept is
  // fresh. False: what is kept has to be made anew, by begin(). True: follow() is called next, when the
  // queries, keys and values are those after the change.
  virtual bool prepare(const PartChange&) { return false; }
  // Brings what is kept, and the rows of context that the part reaches, up to date at once.
  virtual void follow(const PartChange&) {}

  // Begins a pass over what is stale, after which go_on() is called until it gives true. Everything the pass
  // needs of the store is fresh. wished: the stages that somebody wants to see.
  // Throws Error when there is no memory for it.
  virtual void begin(StageSet stale, StageSet wished) = 0;
  // Goes on until the time is over, at least by a step. True: nothing is left to do.
  virtual bool go_on(Clock::time_point until) = 0;
  virtual double progress() const { return 1; }  // of the pass: 0 to 1
  // The stages of which something is put off until somebody wishes for it, and that are wished for now: a
  // pass with nothing stale makes it.
  virtual StageSet missing(StageSet /*wished*/) const { return 0; }
  // Whether what is kept, when the pass is over, leads to the numbers that the stages have. False: the model
  // has to be kept in another way.
  virtual bool holds() const { return true; }
  // The model is edited: matrices that were made for queries are no longer those of the stages.
  virtual void forget_made() {}

  // One matrix of a stage of pairs, where it is not kept made and there until the next edit: the rows cost
  // less. Throws Error when there is no room for it.
  virtual const Matrix& matrix(Stage stage, Index sequence, Index head) const = 0;
  // The same row by row, while this lives and nothing changes.
  virtual RowSource rows(Stage stage, Index sequence, Index head) const = 0;
  // A tile in a quicker way than out of rows; nothing where there is none. Throws Error when the part lies
  // outside, or when the content cannot be shown.
  virtual std::optional<Tile> tile(const TileRequest&) const { return std::nullopt; }
  virtual HeadSummary head(Index sequence, Index head) const = 0;
};

}  // namespace headlight
