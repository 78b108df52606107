#include "app/platform/field_scroll.h"

#include <imgui_internal.h>

namespace headlight {
namespace {

// One number up to 1.91, a vector later.
template <class State>
float scroll_of(const State& state) {
  if constexpr (requires { state.ScrollX; })
    return state.ScrollX;
  else
    return state.Scroll.x;
}

}  // namespace

float field_scroll(ImGuiID field) {
  const ImGuiInputTextState* const state = ImGui::GetInputTextState(field);
  return state && ImGui::GetActiveID() == field ? scroll_of(*state) : 0;
}

}  // namespace headlight
