#include "app/ui/context/focus_request.h"

#include <imgui.h>

namespace headlight {

void FocusRequest::before_item() {
  // Waits while a mouse button is down: its release belongs to the item that was pressed.
  if (!waiting || asked || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  // Dear ImGui 1.90 searches for the field only in the window that already has the focus.
  ImGui::SetWindowFocus();
  ImGui::SetKeyboardFocusHere();
  asked = true;
}

void FocusRequest::after_item() {
  if (ImGui::IsItemActive()) waiting = false;
}

}  // namespace headlight
