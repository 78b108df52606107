// Commands as edits of the open whole model.
#pragma once

#include <optional>

#include "app/document/command.h"

namespace headlight {

// Whether a command edits the whole model if one is open: EditOpenModel, and those that insert, remove, move,
// rename or replace tokens, which edit the model's text.
bool edits_open_model(const Command& command);
// The command as an edit of the open model; none if it is no such command. Throws Error for a label that
// needs a tokenizer that the folder does not have.
std::optional<EditOpenModel> open_model_edit(const Command& command, const OpenModel& work);

// Whether the edit changes no number, but shows another layer or another checkpoint.
bool is_of_view(const EditOpenModel& edit);

}  // namespace headlight
