// Which layer is open, of a whole model or of a file of arrays that has several.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// As people are told: "layer 3" of a whole model, of a file the name that it has there; "" where what is open
// is no layer among others.
std::string shown_layer(const UiContext& ui);
// As in the names of files, where a whole model's layers count from 0: "-layer3".
std::string layer_in_file_name(const UiContext& ui);
// "gpt2, layer 3": the title of a session with its layer.
std::string with_layer(const std::string& title, const std::string& layer);

}  // namespace headlight
