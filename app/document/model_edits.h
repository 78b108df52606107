// The edits of the open model that no step of the history holds yet: they become one when the shown layer is
// computed for them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/command.h"

namespace headlight {

// A command that edits the whole model if one is open: its own edits, and tokens that are inserted, removed,
// moved, renamed or replaced, which are edits of its text. None for other commands. Throws Error for a label
// that needs a tokenizer that the folder does not have.
std::optional<EditOpenModel> open_model_edit(const Command& command, const OpenModel& work);

class ModelEdits {
 public:
  // The model with the edits; null if none is open.
  const std::shared_ptr<const OpenModel>& edited() const { return edited_; }
  const std::vector<EditOpenModel>& list() const { return list_; }

  // Discards the edits.
  void begin(std::shared_ptr<const OpenModel> open);
  // Applies the edits anew to another state of the open model.
  void rebase(std::shared_ptr<const OpenModel> open);
  // Does nothing if the edit changes nothing.
  void add(EditOpenModel edit);
  // Since the last call: why the newest edit did not fit and was discarded, "" if it fitted; none without
  // one.
  std::optional<std::string> take_outcome();
  // Reports an edit that could not be understood.
  void report(std::string failure) { outcome_ = std::move(failure); }

 private:
  std::shared_ptr<const OpenModel> edited_;
  std::vector<EditOpenModel> list_;
  std::optional<std::string> outcome_;
};

}  // namespace headlight
