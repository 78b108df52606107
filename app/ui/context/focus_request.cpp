#include "app/ui/context/focus_request.h"

#include <imgui.h>

namespace headlight {

void FocusRequest::before_item() {
  // Held back while a button is down: its release belongs to what it was pressed on.
  if (!waiting || asked || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  // Dear ImGui 1.90 looks for the field only in the window that has the focus already.
  ImGui::SetWindowFocus();
  ImGui::SetKeyboardFocusHere();
  asked = true;
}

void FocusRequest::after_item() {
  if (ImGui::IsItemActive()) waiting = false;
}

}  // namespace headlight
