#include "app/document/history.h"

#include <algorithm>
#include <utility>

namespace headlight {
namespace {

// Whether the change sets a state of the whole model; its layer may still have to be computed.
bool edits_model(const Change& change) {
  return change.work && (!change.edit || std::holds_alternative<LayerEdit>(*change.edit));
}

// Whether the steps merge: the same gesture on the same cells or settings. The change that undoes the earlier
// one then undoes both.
bool merges(const Step& earlier, const Step& later) {
  if (later.gesture == 0 || earlier.gesture != later.gesture) return false;
  if (edits_model(earlier.change) && edits_model(later.change)) return true;
  if (earlier.change.goal && later.change.goal) return true;
  if (!earlier.change.edit || !later.change.edit) return false;
  if (earlier.change.edit->index() != later.change.edit->index()) return false;
  if (const auto* cells = std::get_if<CellsEdit>(&*earlier.change.edit))
    return same_place(*cells, std::get<CellsEdit>(*later.change.edit));
  if (const auto* several = std::get_if<BlocksEdit>(&*earlier.change.edit))
    return same_place(*several, std::get<BlocksEdit>(*later.change.edit));
  return true;  // steps of settings, the mask and the model store the whole value
}

}  // namespace

std::size_t History::changes_between(std::size_t begin, std::size_t end) const {
  const auto at = [this](std::size_t step) { return steps_.begin() + static_cast<std::ptrdiff_t>(step); };
  return static_cast<std::size_t>(
      std::count_if(at(begin), at(end), [](const Step& step) { return !step.of_view; }));
}

void History::keep_saved_point_within(std::size_t count) {
  if (!saved_position_ || *saved_position_ <= count) return;
  if (changes_between(count, *saved_position_) == 0)
    saved_position_ = count;
  else
    saved_position_.reset();
}

void History::add(Step step) {
  keep_saved_point_within(position_);
  steps_.resize(position_);
  if (!steps_.empty() && saved_position_ != position_ && merges(steps_.back(), step)) return;
  steps_.push_back(std::move(step));
  ++position_;
  forget_beyond_limit();
}

void History::make_room() {
  if (steps_.size() == steps_.capacity()) steps_.reserve(2 * steps_.size() + 1);
}

std::optional<LessonMove> History::step_back(Change opposite) {
  Step& step = steps_[--position_];
  step.change = std::move(opposite);
  const std::optional<LessonMove> move = step.move;
  forget_beyond_limit();
  return move;
}

std::optional<LessonMove> History::step_forward(Change opposite) {
  Step& step = steps_[position_++];
  step.change = std::move(opposite);
  const std::optional<LessonMove> move = step.move;
  forget_beyond_limit();
  return move;
}

// One step always remains, whatever its size: the newest one, or the next one to redo if all are undone.
void History::forget_beyond_limit() {
  std::size_t bytes = 0;
  for (const Step& step : steps_)
    bytes += bytes_of(step.change);
  while (bytes > byte_limit_ && steps_.size() > 1) {
    const bool oldest = position_ > 1;
    bytes -= bytes_of(oldest ? steps_.front().change : steps_.back().change);
    if (oldest) {
      forget_oldest();
      continue;
    }
    keep_saved_point_within(steps_.size() - 1);
    steps_.pop_back();
  }
}

void History::forget_oldest() {
  const bool of_view = steps_.front().of_view;
  steps_.erase(steps_.begin());
  --position_;
  if (saved_position_ == std::size_t{0} && !of_view)
    saved_position_.reset();
  else if (saved_position_ > std::size_t{0})
    --*saved_position_;
}

void History::mark_saved() {
  saved_position_ = position_;
}

std::size_t History::steps_from_saved_point() const {
  if (!saved_position_) return changes_between(0, position_) + 1;
  return changes_between(std::min(position_, *saved_position_), std::max(position_, *saved_position_));
}

void History::clear() {
  steps_.clear();
  position_ = 0;
  saved_position_ = 0;
}

}  // namespace headlight
