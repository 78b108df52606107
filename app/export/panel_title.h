// The title of each heatmap of several, by a template such as "L{layer}H{head}".
#pragma once

#include <string>

#include "engine/model/stage.h"

namespace headlight {

// What the words in braces stand for.
struct PanelNames {
  std::string_view stage;  // {stage}: "weights"
  Index layer = 0;         // {layer}, from 0 as on the command line; of a session of one layer 0
  Index head = 0;          // {head}, likewise
  Index sequence = 0;      // {sequence}, likewise
  std::string title;       // {title}: the session's
};

// The template with names in place of {stage}, {head}, {sequence}, {title} and {layer}. {{ and }}
// are braces. Precondition: check_panel_title has passed it.
std::string panel_title(const std::string& text, const PanelNames& names);

// Throws Error that names what is unknown in the template, or a brace without its other.
void check_panel_title(const std::string& text);

}  // namespace headlight
