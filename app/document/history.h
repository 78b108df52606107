// Undo and redo. A change is kept as the edit that makes it and the edit that takes it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/edit.h"

namespace headlight {

struct Labels {  // the texts of a session, which no stage depends on
  std::vector<std::string> tokens;
  std::string title, notes;
};

// One direction of a step. Any part may be missing.
struct Change {
  std::optional<Edit> edit;
  std::optional<Labels> labels;
  std::optional<bool> weights_edited;  // Weights::edited after the change: undo brings drawn weights back
};

struct Step {
  std::string name;
  std::uint64_t gesture = 0;  // steps of one gesture merge into one; 0 never merges
  Change forward, backward;
};

class History {
 public:
  // Steps beyond this many bytes of kept numbers are forgotten, oldest first.
  explicit History(std::size_t byte_limit = std::size_t{256} << 20) : byte_limit_(byte_limit) {}

  void add(Step step);
  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ < steps_.size(); }
  std::string undo_name() const { return can_undo() ? steps_[position_ - 1].name : std::string(); }
  std::string redo_name() const { return can_redo() ? steps_[position_].name : std::string(); }
  // Moves the position and returns the change to carry out. Precondition: can_undo() / can_redo().
  const Change& step_back();
  const Change& step_forward();

  void mark_saved();
  void mark_changed() { saved_position_.reset(); }  // no step leads to what is saved
  bool at_saved_point() const { return saved_position_ == position_; }
  // Where no step leads to the saved point any more: one more than there are steps behind.
  std::size_t steps_from_saved_point() const;
  void clear();

 private:
  std::vector<Step> steps_;
  std::size_t position_ = 0;  // steps before it are done
  std::optional<std::size_t> saved_position_ = 0;
  std::size_t byte_limit_;
};

}  // namespace headlight
