#include "app/ui/focus_request.h"

#include <imgui.h>

namespace headlight {
namespace {

constexpr int kTries = 4;
constexpr int kFramesBetweenTries = 2;

}  // namespace

void FocusRequest::ask() { *this = {true, kTries, -kFramesBetweenTries}; }

void FocusRequest::before_item() {
  // Held back while a button is down: its release belongs to what it was pressed on.
  if (!waiting || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  if (ImGui::GetFrameCount() - asked_frame < kFramesBetweenTries) return;
  ImGui::SetKeyboardFocusHere();
  asked_frame = ImGui::GetFrameCount();
  --tries_left;
}

void FocusRequest::after_item() {
  if (ImGui::IsItemActive() || (tries_left <= 0 && ImGui::GetFrameCount() - asked_frame >= kFramesBetweenTries)) {
    waiting = false;
  }
}

}  // namespace headlight
