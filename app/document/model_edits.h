// The edits of the open model that are not in the history yet: they become one step when the shown layer has
// been computed for them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/command.h"

namespace headlight {

// The command as an edit of the open whole model: EditOpenModel, and commands that insert, remove, move,
// rename or replace tokens, which edit the model's text. None for other commands. Throws Error for a label
// that needs a tokenizer that the folder does not have.
std::optional<EditOpenModel> open_model_edit(const Command& command, const OpenModel& work);

// Whether the edit changes no number, but shows another layer or another checkpoint.
bool is_of_view(const EditOpenModel& edit);

class ModelEdits {
 public:
  // The model with the edits; null if none is open.
  const std::shared_ptr<const OpenModel>& edited() const { return edited_; }
  const std::vector<EditOpenModel>& list() const { return list_; }

  // Sets the open model and discards the edits.
  void begin(std::shared_ptr<const OpenModel> open);
  // Sets another state of the open model and applies the edits to it again; none is open if it is null.
  void rebase(std::shared_ptr<const OpenModel> open);
  // Does nothing if the edit changes nothing.
  void add(EditOpenModel edit);
  // The outcome of the newest edit since the last call: why it did not fit and was discarded, "" if it
  // fitted; none without an edit.
  std::optional<std::string> take_outcome();
  // Sets the outcome for a command that could not be converted to an edit.
  void report(std::string failure) { outcome_ = std::move(failure); }

 private:
  std::shared_ptr<const OpenModel> edited_;
  std::vector<EditOpenModel> list_;
  std::optional<std::string> outcome_;
};

}  // namespace headlight
