// The titles of exported figures: what is seen and where, and below it the text that it is of.
#pragma once

#include <string>

#include "app/export/figure_options.h"

namespace headlight {

// "Attention weights, layer 2, head 3". `head`: "" for none.
std::string with_place(const std::string& title, const FigureOptions& options, const std::string& head);
// "“When Ann and Tom went out” · gpt2"; the session's title alone without a text.
std::string subtitle_of(const std::string& session_title, const FigureOptions& options);

}  // namespace headlight
