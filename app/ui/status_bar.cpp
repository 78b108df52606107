// The bar at the bottom, the lesson's notes and the messages.
#include <cmath>
#include <cstdio>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/text_fit.h"
#include "app/ui/widgets.h"
#include "app/ui/workbench.h"

namespace headlight {
namespace {

std::string shapes_text(const Model& model) {
  return "B " + std::to_string(model.sequence_count()) + "  ·  T " + std::to_string(model.token_count()) +
         "  ·  d_in " + std::to_string(model.d_in()) + "  ·  d_out " + std::to_string(model.d_out()) +
         "  ·  H " + std::to_string(model.head_count()) + "  ·  dₖ " + std::to_string(model.d_k());
}

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 10 ? "%.1f ms" : "%.0f ms", ms);
  return text;
}

// The lesson before or behind the open one in the list.
void lesson_steps(UiContext& ui, WorkbenchState& state) {
  const auto& lesson = ui.document.session().lesson;
  if (!lesson) return;
  const LessonEntry *before = nullptr, *behind = nullptr;
  for (const LessonEntry& entry : state.lessons) {
    if (entry.order < lesson->order) before = &entry;
    if (entry.order > lesson->order && !behind) behind = &entry;
  }
  if (tool_button(ui, "lesson.previous", "Previous", before ? before->title : "This is the first lesson",
                  before))
    ui.actions.push_back({Action::OpenLesson, before->path, Stage::Weights});
  ImGui::SameLine();
  if (tool_button(ui, "lesson.next", "Next lesson", behind ? behind->title : "This is the last lesson",
                  behind))
    ui.actions.push_back({Action::OpenLesson, behind->path, Stage::Weights});
}

}  // namespace

std::string session_name(const Document& document) {
  if (document.path()) return document.path()->filename().string();
  return document.session().lesson ? "lesson" : "new session";
}

void notes_panel(UiContext& ui, WorkbenchState& state) {
  const Session& session = ui.document.session();
  const std::string head = session.lesson ? session.lesson->chapter : std::string("Notes");
  const std::string fold = state.show_notes ? "Hide" : "Show";
  const float fold_width = text_width(ui.theme.fonts.label, fold);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushFont(ui.theme.fonts.label);
  label_text(ui, elided(head, width - fold_width - ui.theme.px(12)), ui.theme.quiet_text);
  ImGui::SetCursorScreenPos({at.x + width - fold_width, at.y});
  ImGui::InvisibleButton("fold", {fold_width, ui.theme.fonts.label->FontSize});
  ui.probe.mark("notes.fold", fold);
  if (ImGui::IsItemClicked()) state.show_notes = !state.show_notes;
  ImGui::GetWindowDrawList()->AddText({at.x + width - fold_width, at.y},
                                      to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link),
                                      fold.c_str());
  ImGui::PopFont();
  if (!state.show_notes) return;
  const float steps = session.lesson ? ImGui::GetFrameHeight() + ui.theme.px(8) : 0;
  begin_child("notes text", {0, ImGui::GetContentRegionAvail().y - steps}, false,
              ImGuiWindowFlags_NoBackground);
  ImGui::PushTextWrapPos(0);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.text));
  ImGui::TextUnformatted(session.title.c_str());
  ImGui::PopStyleColor();
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.quiet_text));
  ImGui::TextUnformatted(session.notes.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
  ImGui::EndChild();
  lesson_steps(ui, state);
}

void status_bar(UiContext& ui, WorkbenchState& state) {
  const Theme& theme = ui.theme;
  const float pad = theme.px(12), width = ImGui::GetIO().DisplaySize.x, height = theme.px(26);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = at.y + (height - theme.fonts.label->FontSize) / 2;
  ImGui::PushFont(theme.fonts.label);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto put = [&](const char* name, float x, const std::string& text, Color color) {
    list.AddText({std::floor(x), y}, to_imgui(color), text.c_str());
    ui.probe.mark_rect(name, {x, at.y, text_width(theme.fonts.label, text), height}, text);
  };
  const bool saved = ui.document.saved();
  const std::string saved_text = session_name(ui.document) + (saved ? "  ·  saved" : "  ·  not saved");
  const std::string place = elided(saved_text, width * 0.4f);
  put("status.shapes", pad, shapes_text(ui.model()), theme.quiet_text);
  put("status.saved", width - pad - text_width(theme.fonts.label, place), place,
      saved ? theme.quiet_text : theme.accent);
  const std::string time = "edit → picture " + milliseconds(state.edit_to_picture_ms);
  if (state.edit_to_picture_ms > 0 && width > theme.px(760))
    put("status.time", width / 2 - text_width(theme.fonts.label, time) / 2, time, theme.quiet_text);
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
  if (message.until_seconds > 0) ui.view.wake_seconds = message.until_seconds - now;
  const Theme& theme = ui.theme;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float width = std::min(window.x - theme.px(48), theme.px(640));
  ImGui::SetNextWindowPos({window.x / 2, window.y - theme.px(38)}, 0, {0.5f, 1.0f});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imgui(theme.raised));
  ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(message.is_error ? theme.error : theme.line));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, theme.px(1)));
  ImGui::Begin("message", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  const float close = theme.px(56);
  ImGui::PushTextWrapPos(width - close - theme.px(24));
  ImGui::TextUnformatted(message.text.c_str());
  ImGui::PopTextWrapPos();
  ui.probe.mark("message", message.text);
  ImGui::SameLine(width - close - theme.px(12));
  if (tool_button(ui, "message.close", "Close", "")) message = {};
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
}

}  // namespace headlight
