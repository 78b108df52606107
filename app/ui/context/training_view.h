// The training of a whole model in the window: what the panels see of it, and what they ask for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/checkpointed_training.h"
#include "engine/training/untrained_model.h"

namespace headlight {

struct TrainingRequest {
  TrainingPlan plan;
  // A new model that is made first, in the plan's output; none: the plan's model.
  std::optional<UntrainedModel> fresh;
  bool continues = false;  // the training that ended in the plan's output; of the plan, only that is read
};

enum class TrainingPhase { None, Preparing, Running, Paused, Stopped, Done, Failed };

struct TrainingView {
  // Written by the program.
  std::uint64_t revision = 0;  // grows with every change of what follows
  TrainingPhase phase = TrainingPhase::None;
  std::filesystem::path folder;  // with the checkpoints
  std::filesystem::path model;   // the folder of the model that is trained
  Index step = 0, steps = 0;
  std::vector<LoggedLoss> losses;
  std::vector<Index> planned;          // the steps that the plan gives a checkpoint
  Index saved = 0;                     // how many checkpoints this run has written
  std::optional<double> seconds_left;  // to the last step
  std::string memory;                  // "the training takes about 85 MB of memory"
  std::string failure;                 // why it ended, with Failed
  // The first checkpoint of a new model, to be opened with some words of its texts; taken.
  struct NewModel {
    std::filesystem::path folder;
    std::string text;
  };
  std::optional<NewModel> first_of_new;
  std::optional<std::filesystem::path> chosen_text;  // in the file dialog; taken by the dialog

  // Set by the panels.
  enum class Control { None, Pause, GoOn, Stop, SaveNow, Forget };  // Forget: of one that has ended
  bool dialog_asked = false;
  std::optional<TrainingRequest> start;
  Control control = Control::None;
  bool follows = true;  // the newest checkpoint is shown as soon as it is there

  bool goes_on() const {
    return phase == TrainingPhase::Preparing || phase == TrainingPhase::Running ||
           phase == TrainingPhase::Paused;
  }
};

}  // namespace headlight
