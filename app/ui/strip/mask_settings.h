// The settings' mask: none, causal, a preset with its numbers, or one of one's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/kit/flow_layout.h"
#include "app/ui/kit/widgets.h"
#include "app/ui/strip/rules_settings.h"
#include "engine/model/mask_presets.h"

namespace headlight {

struct MaskSettingsState {
  TextFieldState left, right, block, prefix, padding;
  RulesSettingsState rules;
  MaskPreset chosen;  // the last one: it tells apart presets that give the same matrix
  // The preset that the model's matrix is, and the document's revision it was found for.
  std::optional<MaskPreset> shown;
  std::uint64_t shown_revision = 0;
};

// The masks there are to choose, but for one of one's own: "none", "causal", then the presets.
const std::vector<Choice>& mask_choices();
// What choosing one of them sends; a preset begins with small numbers that show what it does.
Command mask_command(const Model& model, std::size_t choice);

// The choice alone, at the cursor, and the numbers of the mask that is chosen.
float mask_width(const UiContext& ui);
void mask_control(UiContext& ui, MaskSettingsState& state, float width);
void mask_fields(UiContext& ui, MaskSettingsState& state, Flow& flow);

// Positions as a person counts them, from 1: "2, 5-6" and {1, 4, 5}. The text of no positions is "".
std::string positions_text(const std::vector<Index>& positions);
std::optional<std::vector<Index>> parse_positions(const std::string& text);

}  // namespace headlight
