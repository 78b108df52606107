// The mask setting: none, causal, a preset with its numbers, rules, or a painted mask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/ui/pipeline/rules_settings.h"
#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/widgets.h"
#include "engine/layer/mask_presets.h"

namespace headlight {

struct MaskSettingsState {
  TextFieldState left, right, block, prefix, padding;
  RulesSettingsState rules;
  MaskPreset chosen;  // the last chosen: distinguishes presets whose matrices are equal
  // The preset that gives the layer's mask, if any, and the document revision at which it was found.
  std::optional<MaskPreset> shown;
  std::uint64_t shown_revision = 0;
};

using MaskChoice = std::variant<MaskKind, MaskPresetKind>;
struct MaskEntry {
  Choice words;
  MaskChoice choice;
};
// The choices without rules and painting: "none", "causal", then the presets.
std::vector<MaskEntry> mask_entries(const Layer& layer);
// The command that sets the mask. A preset starts with small numbers that make its effect visible.
Command mask_command(const Layer& layer, const MaskChoice& choice);

// The combo box alone, at the cursor; and the number fields of the chosen mask.
float mask_width(const UiContext& ui);
void mask_control(UiContext& ui, MaskSettingsState& state, float width);
void mask_fields(UiContext& ui, MaskSettingsState& state, Flow& flow);

// Positions as they are counted on screen: "2, 5-6" is {2, 5, 6}, or {1, 4, 5} counted from 1. The text of no
// positions is "". nullopt if the text is invalid.
std::string positions_text(const std::vector<Index>& positions, Counting counting);
std::optional<std::vector<Index>> parse_positions(const std::string& text, Counting counting);

}  // namespace headlight
