// The choice of a format in which an answer is saved.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

inline constexpr float kSaveWidth = 96;  // planned pixels
// At the cursor, `width` wide. answer: called when a format is chosen; what it returns is saved.
void save_choice(UiContext& ui, const std::string& name, float width,
                 const std::function<std::shared_ptr<const QuestionResult>()>& answer);

}  // namespace headlight
