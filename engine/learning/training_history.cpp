#include "engine/learning/training_history.h"

#include <algorithm>

namespace headlight {
namespace {

double bytes_of(const TrainingSegment& segment) {
  double numbers = number_count(segment.setup->layer);
  for (const TrainingState& checkpoint : segment.checkpoints)
    numbers += static_cast<double>(checkpoint.parameters.size() + checkpoint.optimizer.mean.size() +
                                   checkpoint.optimizer.square.size());
  return numbers * sizeof(float);
}

TrainedLayout layout_of(const TrainingSegment& segment) {
  const TrainingSetup& setup = *segment.setup;
  return {setup.layer, trained_parts(setup.layer, setup.settings)};
}

}  // namespace

void TrainingHistory::begin(std::shared_ptr<const TrainingSetup> setup, TrainingState start) {
  std::erase_if(segments_, [&](const TrainingSegment& segment) { return segment.first() >= start.step; });
  if (!segments_.empty())
    std::erase_if(segments_.back().checkpoints,
                  [&](const TrainingState& checkpoint) { return checkpoint.step >= start.step; });
  segments_.push_back({std::move(setup), {}, 1});
  segments_.back().checkpoints.push_back(std::move(start));
  keep_within_limits();
}

bool TrainingHistory::wants(Index step) const {
  const TrainingSegment& last = segments_.back();
  return step > last.checkpoints.back().step && (step - last.first()) % last.stride == 0;
}

void TrainingHistory::note(TrainingState checkpoint) {
  TrainingSegment& last = segments_.back();
  last.checkpoints.push_back(std::move(checkpoint));
  if (last.checkpoints.size() > limits_.checkpoints) thin(last);
  keep_within_limits();
}

// Leaves every other checkpoint.
void TrainingHistory::thin(TrainingSegment& segment) {
  std::vector<TrainingState>& all = segment.checkpoints;
  for (std::size_t i = 2; i < all.size(); i += 2)
    all[i / 2] = std::move(all[i]);
  all.resize((all.size() + 1) / 2);
  segment.stride *= 2;
}

double TrainingHistory::bytes() const {
  double sum = 0;
  for (const TrainingSegment& segment : segments_)
    sum += bytes_of(segment);
  return sum;
}

void TrainingHistory::keep_within_limits() {
  if (segments_.size() > limits_.segments) segments_.erase(segments_.begin());
  while (bytes() > limits_.bytes) {
    const auto longest = std::max_element(
        segments_.begin(), segments_.end(),
        [](const auto& a, const auto& b) { return a.checkpoints.size() < b.checkpoints.size(); });
    if (longest->checkpoints.size() > 1)
      thin(*longest);
    else if (segments_.size() > 1)
      segments_.erase(segments_.begin());
    else
      return;
  }
}

const TrainingSegment& TrainingHistory::segment_of(Index step) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), step,
                                      [](Index at, const TrainingSegment& s) { return at < s.first(); });
  return *std::prev(after);
}

const TrainingState& TrainingHistory::checkpoint_before(Index step) const {
  const std::vector<TrainingState>& all = segment_of(step).checkpoints;
  const auto after = std::upper_bound(all.begin(), all.end(), step,
                                      [](Index at, const TrainingState& c) { return at < c.step; });
  return *std::prev(after);
}

const TrainingSegment& TrainingHistory::origin_of(Index step) const {
  const TrainingSegment* origin = &segment_of(step);
  const TrainedLayout layout = layout_of(*origin);
  while (origin != segments_.data() && layout_of(origin[-1]) == layout)
    --origin;
  return *origin;
}

}  // namespace headlight
