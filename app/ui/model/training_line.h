// The line that tells how far the training of a model is, with its buttons. Names as in checkpoint_bar.h.
#pragma once

#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// Whether there is a training to tell of: from its beginning until another session is opened after its end.
bool has_training_line(const UiContext& ui);
float training_line_height(const UiContext& ui);  // with the gap below it
void training_line(UiContext& ui, const Area& area);

// "step 320 of 2000 · loss 2.31 · held out 2.40 · 2 min left".
std::string training_text(const TrainingView& training);

}  // namespace headlight
