// What the page *Questions* asks beside the question itself of paths through the model, of features and of
// heads that are ablated together. Names: "model.question.sender", "model.question.receiver",
// "model.question.mlps", "model.question.query", "model.question.key", "model.question.dictionary",
// "model.question.place", "model.question.feature", "model.question.together".
#pragma once

#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

struct PathToolsState {
  TextFieldState sender, receiver, dictionary, feature, together;
  bool types_together = false;  // the field of heads is there, although none is typed yet
};

// Nothing for other questions. Precondition: a model is open.
void path_tools(UiContext& ui, PathToolsState& state, Flow& flow);

}  // namespace headlight
