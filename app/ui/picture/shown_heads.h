// Which heads of a stage are shown, and in what shape their pictures stand.
#pragma once

#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

// What people are told of a head: "1" for the first.
std::string head_number(const UiContext& ui, Index head);

// The heads of a stage that are shown, in the order of their numbers.
std::vector<Index> shown_heads(const UiContext& ui, Stage stage);

// Width by height of one picture of a stage with cells as wide as they are high, within reason.
float picture_aspect(const Model& model, Stage stage);

// Whether the session's stages do not fit the memory: what needs all their cells is not to be had.
bool is_mapped(const UiContext& ui);

}  // namespace headlight
