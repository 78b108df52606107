// Undo and redo. A step is stored as a single change: the one that undoes it, or redoes it if it is undone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/document/change.h"

namespace headlight {

// `change` undoes or redoes the step. A step that replaces the model thus holds one model: the document has
// the other.
struct Step {
  std::string name;
  std::uint64_t gesture = 0;  // steps of one gesture merge into one; 0 never merges
  Change change;
  bool of_view = false;   // shows another part of the same state: undone like a change, but nothing to save
  bool is_floor = false;  // is not undone, nor is what is before it
  std::optional<LessonMove> move = {};  // of the lesson's reader
};

class History {
 public:
  // Steps beyond this many bytes, as counted by bytes_of(), are discarded, oldest first.
  explicit History(std::size_t byte_limit = std::size_t{256} << 20) : byte_limit_(byte_limit) {}

  // Adds a step that was just applied. Throws nothing after make_room().
  void add(Step step);
  void make_room();  // reserves memory for one more step
  bool can_undo() const { return position_ > 0 && !steps_[position_ - 1].is_floor; }
  bool can_redo() const { return position_ < steps_.size(); }
  std::string undo_name() const { return can_undo() ? steps_[position_ - 1].name : std::string(); }
  std::string redo_name() const { return can_redo() ? steps_[position_].name : std::string(); }

  // The change to apply for undo or redo. Precondition: can_undo() / can_redo().
  const Change& back() const { return steps_[position_ - 1].change; }
  const Change& forth() const { return steps_[position_].change; }
  // Move the position after the change was applied. `opposite` undoes it. Return the step's move.
  std::optional<LessonMove> step_back(Change opposite);
  std::optional<LessonMove> step_forward(Change opposite);

  void mark_saved();
  void mark_changed() { saved_position_.reset(); }  // no step leads to the saved state
  // Steps of the view do not lead away from the saved point.
  bool at_saved_point() const { return steps_from_saved_point() == 0; }
  // Without steps of the view. If no step leads to the saved state: one more than there are steps to undo.
  std::size_t steps_from_saved_point() const;
  void clear();

 private:
  void forget_beyond_limit();
  void forget_oldest();
  std::size_t changes_between(std::size_t begin, std::size_t end) const;
  // Called when the steps from `count` on are discarded.
  void keep_saved_point_within(std::size_t count);

  std::vector<Step> steps_;
  std::size_t position_ = 0;  // steps before it are done
  std::optional<std::size_t> saved_position_ = 0;
  std::size_t byte_limit_;
};

}  // namespace headlight
