#include "app/document/history.h"

#include <utility>

namespace headlight {
namespace {

// Whether the steps merge: the same gesture on the same cells or settings. The change that undoes the earlier
// one then undoes both.
bool merges(const Step& earlier, const Step& later) {
  if (later.gesture == 0 || earlier.gesture != later.gesture) return false;
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

void History::add(Step step) {
  steps_.resize(position_);
  if (saved_position_ && *saved_position_ > position_) saved_position_.reset();
  if (!steps_.empty() && saved_position_ != position_ && merges(steps_.back(), step)) return;
  steps_.push_back(std::move(step));
  ++position_;
  forget_beyond_limit();
}

void History::make_room() {
  if (steps_.size() == steps_.capacity()) steps_.reserve(2 * steps_.size() + 1);
}

void History::step_back(Change opposite) {
  steps_[--position_].change = std::move(opposite);
  forget_beyond_limit();
}

void History::step_forward(Change opposite) {
  steps_[position_++].change = std::move(opposite);
  forget_beyond_limit();
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
    steps_.pop_back();
    if (saved_position_ && *saved_position_ > steps_.size()) saved_position_.reset();
  }
}

void History::forget_oldest() {
  steps_.erase(steps_.begin());
  --position_;
  if (saved_position_ == std::size_t{0})
    saved_position_.reset();
  else if (saved_position_)
    --*saved_position_;
}

void History::mark_saved() {
  saved_position_ = position_;
}

std::size_t History::steps_from_saved_point() const {
  if (!saved_position_) return position_ + 1;
  return *saved_position_ > position_ ? *saved_position_ - position_ : position_ - *saved_position_;
}

void History::clear() {
  steps_.clear();
  position_ = 0;
  saved_position_ = 0;
}

}  // namespace headlight
