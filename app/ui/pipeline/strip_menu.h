// The button "+" behind the last stage of the strip, with the menu of what can be added to the layer.
#pragma once

#include "app/ui/context/ui_context.h"
#include "app/ui/pipeline/strip_content.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// The settings with a usual choice for an idle stage: a causal mask, dropout, ...; nullopt if there are none.
std::optional<AttentionSettings> switched_on(const Layer& layer, Stage stage);

// Switches a part on as it is usual, or, where nothing is usual, asks for its settings.
void add_part(UiContext& ui, StripAsked& asked, StripPart part);

// Probe names: the button "strip.add", the entries "strip.add.<id>".
// Precondition: something can be added.
void more_button(UiContext& ui, const StripContent& content, StripAsked& asked, const Area& area);

}  // namespace headlight
