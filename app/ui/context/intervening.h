// Asking for an intervention in the open model (engine/network/intervention.h); its dialog is
// app/ui/model/intervention_dialog.h.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// Whether the open model has interventions: one is open, and it has one side.
inline bool can_intervene(const UiContext& ui) {
  return ui.view.model.work && !ui.view.model.work->network->encoder();
}

// Asks for the dialog: for the head and the token of the selected cell, else for a new one in the shown
// layer.
inline void ask_to_intervene(UiContext& ui) {
  ui.view.model.intervenes = InterventionRequest{std::nullopt, ui.view.selection.cell};
}

}  // namespace headlight
