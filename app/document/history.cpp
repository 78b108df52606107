#include "app/document/history.h"

#include <utility>

namespace headlight {
namespace {

std::size_t bytes_of(const Matrix& matrix) {
  return static_cast<std::size_t>(matrix.size()) * sizeof(float);
}

std::size_t bytes_of(const Change& change) {
  if (!change.edit) return 0;
  if (const auto* cells = std::get_if<CellsEdit>(&*change.edit)) return bytes_of(cells->values);
  if (const auto* mask = std::get_if<MaskEdit>(&*change.edit)) return bytes_of(mask->custom_mask);
  const auto* whole = std::get_if<ModelEdit>(&*change.edit);
  if (!whole) return 0;
  std::size_t bytes = bytes_of(whole->model->custom_mask);
  for (const Matrix& x : whole->model->embeddings)
    bytes += bytes_of(x);
  for (const Matrix& w : whole->model->weights.matrices)
    bytes += bytes_of(w);
  return bytes;
}

std::size_t bytes_of(const Step& step) {
  return sizeof(Step) + bytes_of(step.forward) + bytes_of(step.backward);
}

// Whether the later step can be folded into the earlier one: the same gesture on the same cells or settings.
bool merges(const Step& earlier, const Step& later) {
  if (later.gesture == 0 || earlier.gesture != later.gesture) return false;
  if (!earlier.forward.edit || !later.forward.edit) return false;
  const auto* a = std::get_if<CellsEdit>(&*earlier.forward.edit);
  const auto* b = std::get_if<CellsEdit>(&*later.forward.edit);
  if (a && b)
    return a->input == b->input && a->row == b->row && a->column == b->column &&
           a->values.rows() == b->values.rows() && a->values.cols() == b->values.cols();
  // Settings and the mask are kept whole: the later one has all that the earlier one had.
  const bool whole = std::holds_alternative<SettingsEdit>(*later.forward.edit) ||
                     std::holds_alternative<MaskEdit>(*later.forward.edit);
  return whole && earlier.forward.edit->index() == later.forward.edit->index();
}

}  // namespace

void History::add(Step step) {
  steps_.resize(position_);
  if (saved_position_ && *saved_position_ > position_) saved_position_.reset();
  if (!steps_.empty() && saved_position_ != position_ && merges(steps_.back(), step)) {
    steps_.back().forward = std::move(step.forward);
    return;
  }
  steps_.push_back(std::move(step));
  ++position_;
  std::size_t bytes = 0, kept = 0;
  while (kept < steps_.size() && (kept == 0 || bytes <= byte_limit_))
    bytes += bytes_of(steps_[steps_.size() - ++kept]);
  if (bytes > byte_limit_ && kept > 1) --kept;  // the newest step stays, however large
  const std::size_t forgotten = steps_.size() - kept;
  steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(forgotten));
  position_ -= forgotten;
  if (saved_position_ && *saved_position_ < forgotten)
    saved_position_.reset();
  else if (saved_position_)
    *saved_position_ -= forgotten;
}

const Change& History::step_back() {
  return steps_[--position_].backward;
}

const Change& History::step_forward() {
  return steps_[position_++].forward;
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
