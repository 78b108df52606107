#include "app/ui/main_window/key_sheet.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/ui/main_window/action_table.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kSheetWidth = 1216, kSheetHeight = 768, kColumnWidth = 320, kKeyWidth = 124;

KeySheetTopic& topic_called(std::vector<KeySheetTopic>& topics, std::string_view title) {
  const auto found = std::find_if(topics.begin(), topics.end(),
                                  [&](const KeySheetTopic& topic) { return topic.title == title; });
  if (found != topics.end()) return *found;
  topics.push_back({std::string(title), {}});
  return topics.back();
}

// The keys in the first column; their effect in the second, wrapped within it.
void key_line(const UiContext& ui, const KeySheetTopic::Line& line, float x, float width) {
  const float column = ui.theme.px(kKeyWidth);
  ImGui::SetCursorPosX(x);
  push_font(ui.theme.fonts.label);
  const float y = ImGui::GetCursorPosY();
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.text));
  ImGui::PushTextWrapPos(x + column - ui.theme.px(12));
  ImGui::TextUnformatted(line.keys.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ui.probe.mark("keys." + line.keys, line.what);
  const float keys_end = ImGui::GetCursorPosY();
  ImGui::SetCursorPos({x + column, y});
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.quiet_text));
  ImGui::PushTextWrapPos(x + width);
  ImGui::TextUnformatted(line.what.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  ImGui::SetCursorPosY(std::max(keys_end, ImGui::GetCursorPosY()));
}

void draw_topics(const UiContext& ui, const std::vector<KeySheetTopic>& topics) {
  const float gap = ui.theme.px(24), available = ImGui::GetContentRegionAvail().x;
  const int columns =
      std::clamp(static_cast<int>((available + gap) / (ui.theme.px(kColumnWidth) + gap)), 1, 3);
  const float width = (available - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const ImVec2 top = ImGui::GetCursorPos();
  std::size_t all = 0, drawn = 0;
  for (const KeySheetTopic& topic : topics)
    all += topic.lines.size() + 2;
  int column = 0;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ui.theme.px(3)});
  for (const KeySheetTopic& topic : topics) {
    // A topic starts the next column if more than half of it belongs there.
    const std::size_t middle = drawn + (topic.lines.size() + 2) / 2;
    if (column + 1 < columns &&
        middle * static_cast<std::size_t>(columns) >= all * static_cast<std::size_t>(column + 1)) {
      ++column;
      ImGui::SetCursorPosY(top.y);
    }
    const float x = top.x + static_cast<float>(column) * (width + gap);
    ImGui::SetCursorPosX(x);
    label_text(ui, topic.title, ui.theme.quiet_text);
    for (const KeySheetTopic::Line& line : topic.lines)
      key_line(ui, line, x, width);
    ImGui::Dummy({0, ui.theme.px(6)});
    drawn += topic.lines.size() + 2;
  }
  ImGui::PopStyleVar();
}

}  // namespace

std::vector<KeySheetTopic> key_sheet_topics() {
  std::vector<KeySheetTopic> topics;
  for (const ActionEntry& entry : action_table()) {
    if (entry.chords.empty()) continue;
    topic_called(topics, entry.topic).lines.push_back({all_action_keys(entry), std::string(entry.what)});
  }
  for (const PanelKey& key : panel_keys())
    topic_called(topics, key.topic).lines.push_back({std::string(key.keys), std::string(key.what)});
  return topics;
}

bool key_sheet(UiContext& ui, bool open) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float scale = ui.theme.scale;
  const ImVec2 size = {std::min(kSheetWidth, window.x / scale - 32),
                       std::min(kSheetHeight, window.y / scale - 32)};
  if (!begin_dialog(ui, "##keys", open, size, "Keys")) return open;
  const float foot = ImGui::GetFrameHeightWithSpacing();
  if (begin_child("topics", {0, ImGui::GetContentRegionAvail().y - foot}, false,
                  ImGuiWindowFlags_NoBackground))
    draw_topics(ui, key_sheet_topics());
  ImGui::EndChild();
  align_right(button_width("Close"));
  const bool closed = tool_button(ui, "keys.close", "Close", "Escape") || dialog_key(Key::Escape) ||
                      dialog_key(Key::F1) || dialog_key(Key::Enter);
  if (closed) close_dialog(open);
  end_dialog();
  return open;
}

}  // namespace headlight
