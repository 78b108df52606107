// The way of a training: states from which every step taken can be computed again. Bounded memory: of more
// and more steps fewer are stored, with the same number of steps between them.
#pragma once

#include <memory>
#include <vector>

#include "engine/learning/goal.h"
#include "engine/learning/trained_numbers.h"

namespace headlight {

// What a step computes with, other than the trained numbers.
struct TrainingSetup {
  Layer layer;  // its trained numbers are those of the first step with this setup
  Goal goal;
  TrainingSettings settings;
};

// What an optimizer remembers of the numbers' gradients (OptimizerStep). Empty before the first step.
struct OptimizerState {
  ParameterVector mean, square;
  Index steps = 0;  // since it is empty
};

struct TrainingState {
  Index step = 0;
  ParameterVector parameters;
  OptimizerState optimizer;
};

// Steps with one setup: those from an edit on, or from the beginning.
struct TrainingSegment {
  std::shared_ptr<const TrainingSetup> setup;
  // Ascending; the first is at the segment's first step, each other one `stride` steps after the one before.
  std::vector<TrainingState> checkpoints;
  Index stride = 1;

  Index first() const { return checkpoints.front().step; }
};

class TrainingHistory {
 public:
  // Limits on the checkpoints of a segment, on the segments, and on the bytes of all setups and checkpoints.
  // The last segment has one checkpoint at least, whatever its size.
  struct Limits {
    std::size_t checkpoints = 128, segments = 256;
    double bytes = 64.0 * 1024 * 1024;
  };
  explicit TrainingHistory(const Limits& limits) : limits_(limits) {}

  bool empty() const { return segments_.empty(); }
  // The earliest step that can be computed again. It grows when whole segments exceed the memory.
  Index first() const { return segments_.front().first(); }

  // Begins a segment with this state, in the place of all states from its step on.
  void begin(std::shared_ptr<const TrainingSetup> setup, TrainingState start);
  // Whether the state of this step would be stored: a step of the last segment, after those noted before.
  bool wants(Index step) const;
  void note(TrainingState checkpoint);

  // Precondition of both: first() <= step.
  const TrainingSegment& segment_of(Index step) const;
  const TrainingState& checkpoint_before(Index step) const;  // or at it
  // The earliest of the consecutive segments up to the one of `step` whose parameters have the layout of that
  // one: since when the numbers can be compared.
  const TrainingSegment& origin_of(Index step) const;

 private:
  double bytes() const;
  void thin(TrainingSegment& segment);
  void keep_within_limits();

  Limits limits_;
  std::vector<TrainingSegment> segments_;
};

}  // namespace headlight
