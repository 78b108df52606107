// Which part of a text field's text is in sight.
#pragma once

#include <imgui.h>

namespace headlight {

// By how many pixels the text of a one-line field is scrolled to the left: 0 unless the field is edited.
float field_scroll(ImGuiID field);

}  // namespace headlight
