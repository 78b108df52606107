// The titles of several heatmaps from a template such as "L{layer}H{head}".
#pragma once

#include <string>

#include "engine/layer/stage.h"

namespace headlight {

// The values of the names in braces.
struct PanelNames {
  std::string_view stage;  // {stage}: "weights"
  Index layer = 0;         // {layer}, from 0 as on the command line; 0 in a session of one layer
  Index head = 0;          // {head}, likewise
  Index sequence = 0;      // {sequence}, likewise
  std::string title;       // {title}: the session's
};

// The template with values for {stage}, {head}, {sequence}, {title} and {layer}; {{ and }} are braces. Throws
// Error if check_panel_title does.
std::string panel_title(const std::string& text, const PanelNames& names);

// Throws Error that names an unknown name or an unmatched brace in the template.
void check_panel_title(const std::string& text);

}  // namespace headlight
