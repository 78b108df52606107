// The status bar and the messages.
#include <cmath>
#include <cstdio>
#include <string>

#include <imgui.h>

#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kBarHeight = 26, kErrorPad = 12, kCloseWidth = 64;

// Whether the T x T stages are computed on demand (StorageKind::Map), and why.
std::string storage_text(const Layer& layer, const ViewResult* answer) {
  if (!answer || answer->storage != StorageKind::Map) return "";
  return "mapped: stages of " + gigabytes_text(square_stages_bytes(layer)) + ", room for " +
         gigabytes_text(default_memory_budget());
}

// A message that disappears by itself is no error and requires no action.
bool has_news(const Message& message) {
  return !message.text.empty() && !message.is_error && message.until_seconds > 0;
}

// An error has lines above the bar, as many as it needs, and covers nothing.
float error_width(const UiContext& ui) {
  const float room = ImGui::GetIO().DisplaySize.x - ui.theme.px(2 * kErrorPad + kCloseWidth + kErrorPad);
  return std::max(room, ui.theme.px(kCloseWidth));
}

float error_height(const UiContext& ui, const Message& message) {
  if (message.text.empty() || has_news(message)) return 0;
  constexpr float kMostOfWindow = 0.3f;
  push_font(ui.theme.fonts.text);
  const float text = ImGui::CalcTextSize(drawn_text(message.text).c_str(), nullptr, false, error_width(ui)).y;
  ImGui::PopFont();
  const float line = ImGui::GetFrameHeight() - font_size(ui.theme.fonts.text);
  return std::min(text + line + ui.theme.px(kErrorPad), ImGui::GetIO().DisplaySize.y * kMostOfWindow);
}

}  // namespace

std::string session_name(const Document& document) {
  if (document.path()) return document.path()->filename().string();
  return document.session().lesson ? "lesson" : "new session";
}

void status_bar(UiContext& ui, WorkbenchState& state) {
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), width = ImGui::GetIO().DisplaySize.x, height = theme.px(kBarHeight);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = at.y + (height - font_size(theme.fonts.label)) / 2;
  push_font(theme.fonts.label);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto put = [&](const char* name, float x, const std::string& text, Color color) {
    list.AddText({std::floor(x), y}, to_imgui(color), text.c_str());
    ui.probe.mark_rect(name, {x, at.y, text_width(theme.fonts.label, text), height}, text);
  };
  const std::string saved_text =
      session_name(ui.document) + "  ·  " + (ui.document.saved() ? "saved" : "not saved");
  const std::string place = elided(saved_text, width * 0.4f);
  const float place_at = width - pad - text_width(theme.fonts.label, place);
  const std::string storage = elided(storage_text(ui.layer(), ui.answer), place_at - 3 * pad);
  // Good news stands for some seconds in this place, where it covers nothing else.
  const bool news = has_news(state.message);
  if (news) {
    const std::string line = elided(state.message.text, place_at - 3 * pad);
    put("message.line", pad, line, theme.text);
    ui.probe.mark_rect("message", {pad, at.y, text_width(theme.fonts.label, line), height},
                       state.message.text);
  } else if (!storage.empty()) {
    put("status.storage", pad, storage, theme.quiet_text);
  }
  put("status.saved", place_at, place, ui.document.saved() ? theme.quiet_text : theme.text);
  // Centred in the window if possible, before the session's name.
  const float begin = 3 * pad + text_width(theme.fonts.label, storage), room = place_at - 2 * pad - begin;
  const auto middle = [&](const std::string& text) {
    const float text_room = text_width(theme.fonts.label, text);
    return std::clamp((width - text_room) / 2, begin, std::max(begin, begin + room - text_room));
  };
  if (ui.progress) {
    char text[32];
    std::snprintf(text, sizeof text, "computing  %.0f %%", *ui.progress * 100);
    if (!news) put("status.progress", middle(text), text, theme.text);
    const float line = std::max(1.0f, theme.px(2));
    list.AddRectFilled({0, at.y}, {width * static_cast<float>(*ui.progress), at.y + line},
                       to_imgui(theme.primary));
  } else if (news) {
    // The message takes all of the space.
  } else if (!ui.view.selection.note.empty() && room > theme.px(80)) {
    const std::string note = elided(ui.view.selection.note, room);
    put("status.selection", middle(note), note, theme.text);
  }
  ImGui::PopFont();
}

void message_line(UiContext& ui, WorkbenchState& state) {
  Message& message = state.message;
  if (message.text.empty()) return;
  const double now = ImGui::GetTime();
  if (message.until_seconds > 0 && now >= message.until_seconds) {
    message = {};
    return;
  }
  if (message.until_seconds > 0) ui.wake_within(message.until_seconds - now);
  if (has_news(message)) return;  // the status bar shows it
  const Theme& theme = ui.theme;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float height = error_height(ui, message);
  ImGui::SetNextWindowPos({0, window.y - theme.px(kBarHeight) - height});
  ImGui::SetNextWindowSize({window.x, height});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imgui(theme.raised));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(kErrorPad), theme.px(kErrorPad / 2)});
  ImGui::Begin("message", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  const ImVec2 at = ImGui::GetWindowPos();
  ImGui::PushClipRect(at, {at.x + window.x, at.y + height}, false);
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + theme.px(4), at.y + height}, to_imgui(theme.error));
  ImGui::PopClipRect();
  ImGui::PushTextWrapPos(theme.px(kErrorPad) + error_width(ui));
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(drawn_text(message.text).c_str());
  ImGui::PopTextWrapPos();
  ui.probe.mark("message", message.text);
  ImGui::SetCursorScreenPos(
      {at.x + window.x - theme.px(kErrorPad + kCloseWidth), at.y + theme.px(kErrorPad / 2)});
  if (tool_button(ui, "message.close", "Close", "")) message = {};
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

// At the top of the window, where no dialog has its buttons.
void message_over_dialog(const UiContext& ui, const Message& message) {
  if (!message.over_dialog || ui.view.dialogs.empty()) return;
  const Theme& theme = ui.theme;
  const float pad = theme.px(kErrorPad), width = ImGui::GetIO().DisplaySize.x;
  const std::string text = drawn_text(message.text);
  push_font(theme.fonts.text);
  const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, width - 2 * pad).y + pad;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled({0, 0}, {width, height}, to_imgui(theme.raised));
  list.AddRectFilled({0, 0}, {theme.px(4), height}, to_imgui(theme.error));
  list.AddText(theme.fonts.text, font_size(theme.fonts.text), {pad, std::floor(pad / 2)},
               to_imgui(theme.text), text.c_str(), nullptr, width - 2 * pad);
  ImGui::PopFont();
}

float message_height(const UiContext& ui, const WorkbenchState& state) {
  return error_height(ui, state.message);
}

float status_height(const UiContext& ui, const WorkbenchState& state) {
  return ui.theme.px(kBarHeight) + message_height(ui, state);
}

}  // namespace headlight
