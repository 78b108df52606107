// Undo and redo. A step is kept as the one change that leads to its other side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/document/change.h"

namespace headlight {

// A step that is done holds the change that takes it back, one that was undone the change that makes it
// again: a step of a whole model holds one model, the other one being the document's own.
struct Step {
  std::string name;
  std::uint64_t gesture = 0;  // steps of one gesture merge into one; 0 never merges
  Change change;
};

class History {
 public:
  // Steps beyond this many bytes, as bytes_of counts them, are forgotten, oldest first.
  explicit History(std::size_t byte_limit = std::size_t{256} << 20) : byte_limit_(byte_limit) {}

  // A step that was just made, with the change that takes it back. Throws nothing behind make_room().
  void add(Step step);
  void make_room();  // for one more step
  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ < steps_.size(); }
  std::string undo_name() const { return can_undo() ? steps_[position_ - 1].name : std::string(); }
  std::string redo_name() const { return can_redo() ? steps_[position_].name : std::string(); }

  // The change to carry out next. Precondition: can_undo() / can_redo().
  const Change& back() const { return steps_[position_ - 1].change; }
  const Change& forth() const { return steps_[position_].change; }
  // It was carried out: moves the position. `opposite` takes it back.
  void step_back(Change opposite);
  void step_forward(Change opposite);

  void mark_saved();
  void mark_changed() { saved_position_.reset(); }  // no step leads to what is saved
  bool at_saved_point() const { return saved_position_ == position_; }
  // Where no step leads to the saved point any more: one more than there are steps behind.
  std::size_t steps_from_saved_point() const;
  void clear();

 private:
  void forget_beyond_limit();
  void forget_oldest();

  std::vector<Step> steps_;
  std::size_t position_ = 0;  // steps before it are done
  std::optional<std::size_t> saved_position_ = 0;
  std::size_t byte_limit_;
};

}  // namespace headlight
