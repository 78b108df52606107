// The answers to the questions of the open lesson, as a file.
#pragma once

#include <string>

#include "app/ui/main_window/workbench.h"

namespace headlight {

// The text of the file, without a name: the file's name is the reader's. "" if no question is answered.
std::string answers_text(const UiContext& ui, const WorkbenchState& state);

}  // namespace headlight
