// The open layer of a whole model, or of an array file with several layers.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// How the layers of the open model are named. Precondition: one is open.
LayerNames names_of_layers(const UiContext& ui);
// The name on screen: "layer 3" of a whole model, the layer's own name in an array file; "" if there is only
// one layer.
std::string shown_layer(const UiContext& ui);
// For file names, where the layers of a whole model count from 0: "-layer3", "-encoder-layer3".
std::string layer_in_file_name(const UiContext& ui);
// "gpt2, layer 3": the title of a session with its layer.
std::string with_layer(const std::string& title, const std::string& layer);

}  // namespace headlight
