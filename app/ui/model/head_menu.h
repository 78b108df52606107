// What is put in the place of a head of a whole model: its mark in the map of heads, and the menu that does
// it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

enum class HeadMark { None, Off, Mean };

// By its switch, or by an intervention in its context at all tokens.
struct ReplacedHead {
  HeadMark mark = HeadMark::None;
  std::string words;  // "off", "its mean over this text", "its mean over 20 texts"; "" where nothing is
};
ReplacedHead replaced_head(const OpenModel& work, LayerPlace layer, Index head);

// The lines of a mark over a picture, which differ in form: a diagonal without the head, two level lines at
// its mean.
using HeadStroke = std::array<ImVec2, 2>;
std::vector<HeadStroke> strokes_of(HeadMark mark, ImVec2 at, ImVec2 end);
void draw_head_mark(const UiContext& ui, HeadMark mark, ImVec2 at, ImVec2 end);

// The context menu of ImGui's last item, a picture of the head. Names: "model.head.menu.on", ".off", ".mean",
// ".set_mean" (over the rows of the data set that are on), ".solo".
void head_menu(UiContext& ui, LayerPlace layer, Index head);

}  // namespace headlight
