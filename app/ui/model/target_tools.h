// The target of attribution, patching and questions, and the token against it, as they are typed and chosen.
// Names: "model.question.target", "model.against", "model.against.typed".
#pragma once

#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

struct TargetToolsState {
  TextFieldState target, against;
  bool types_against = false;  // a field is in the place of the list of tokens against the target
  bool focus_asked = false;    // of that field, when it has just come
  bool had_focus = false;
};

// The field in which a target is typed: a word, or an id as #42. It becomes the chosen token. What is no
// token, or several, is refused at the field. Precondition of both: a model is open.
void target_field(UiContext& ui, TargetToolsState& state, Flow& flow);
// The token against the target: none, one of the likeliest, or one that is typed.
void against_box(UiContext& ui, TargetToolsState& state, Flow& flow);
// As wide as the widest of its choices, up to a limit. Precondition of both: there are predictions.
float against_width(const UiContext& ui);

}  // namespace headlight
