// The dialog that begins, or continues, the training of a whole model: the open one, or a new small one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// Owner: the workbench. What was typed stays for the next training.
struct TrainDialogState {
  bool open = false;
  bool makes_new = false;  // else the open model is trained
  bool more = false;       // the settings that seldom change are shown
  std::vector<std::string> texts = {""};
  std::string output;  // the folder of the training
  std::string layers = "2", heads = "4", width = "64", positions = "64", vocabulary = "512";
  bool whole_words = false;
  std::string steps = "1000", batch = "8", length = "32", rate = "0.003", checkpoints = "20";
  std::string warmup = "50", clip = "1", decay = "0.01", held_out = "10", seed = "123";
  bool cosine = true;
  std::optional<std::string> looked_at;  // the folder that was looked for a training to continue
  std::string unfinished;                // "step 400 of 1000"; "" if it holds none
  std::string message;
  FocusRequest focus;
};

// The training that the fields describe. Throws Error: a field that is no number of its kind, no text, a
// folder that has a model already.
TrainingRequest training_from_fields(const UiContext& ui, const TrainDialogState& state);

// What the training takes, before it begins: "about 12 MB of memory; 21 checkpoints of 0.9 MB". "" while a
// field is wrong.
std::string training_cost(const UiContext& ui, const TrainDialogState& state);

// Opens the dialog when it is asked for (TrainingView::dialog_asked) and draws it until it is closed. Names:
// "train.model.open", "train.model.new", "train.layers", ".heads", ".width", ".positions", ".vocabulary",
// ".words", "train.text.<n>", "train.text.choose", "train.text.add", "train.output", "train.steps", ".batch",
// ".length", ".rate", ".checkpoints", "train.more", ".warmup", ".clip", ".decay", ".held_out", ".seed",
// ".cosine", "train.cost", "train.message", "train.ok", "train.continue", "train.cancel".
void train_dialog(UiContext& ui, TrainDialogState& state);

}  // namespace headlight
