// The dialog that adds an intervention to the open model, or changes one that is listed.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/model/intervention_fields.h"

namespace headlight {

// Owner: the workbench.
struct InterventionDialogState {
  bool open = false;
  InterventionFields fields;
  std::optional<ChangeEntry> edited;  // the listed change that is replaced; none: another one is added
  std::string wrong, message;         // the field with a mistake, and the mistake; "": none
};

// Opens the dialog when it is asked for (ModelView::intervenes) and draws it until it is closed. Names:
// "intervention.place", "intervention.layer", ".units", ".positions", ".how", ".texts", ".text", ".from",
// ".value", ".direction", ".strength", and the message below a field as "intervention.message.<field>";
// "intervention.ok", "intervention.cancel".
void intervention_dialog(UiContext& ui, InterventionDialogState& state);

}  // namespace headlight
