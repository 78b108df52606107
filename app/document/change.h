// A change of a session, as the history stores it, and its size in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/layer/edit.h"
#include "engine/learning/goal.h"
#include "engine/learning/training_settings.h"

namespace headlight {

struct OpenModel;

struct Labels {  // the texts of a session; no stage depends on them
  std::vector<std::string> tokens, key_tokens;
  std::string title, notes;
};

struct GoalChange {
  std::shared_ptr<const Goal> goal;  // null: none
};

struct TrainingChange {
  std::optional<TrainingSettings> training;
};

// From one step of a lesson to another, by their indices: undo goes back to the first, redo to the second.
struct LessonMove {
  std::size_t from = 0, to = 0;
};

// Any part may be missing.
struct Change {
  std::optional<Edit> edit;
  std::optional<Labels> labels;
  std::optional<bool> weights_edited;  // Weights::edited after the change: undo restores drawn weights
  // The new state of the open whole model; null: the layer stands alone from then on. Where it is missing, an
  // edit of a layer of a model changes the model likewise (with_layer_edit).
  std::optional<std::shared_ptr<const OpenModel>> work = {};
  // No stage depends on these two.
  std::optional<GoalChange> goal = {};
  std::optional<TrainingChange> training = {};
};

// The memory in bytes that the change holds: all its numbers and texts.
std::size_t bytes_of(const Change& change);

}  // namespace headlight
