#include "app/ui/lesson/lesson_list.h"

#include <algorithm>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/kit/text_fit.h"
#include "app/ui/kit/widgets.h"
#include "engine/core/error.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

void open_lesson(UiContext& ui, const LessonEntry& lesson) {
  ui.actions.push_back({Action::OpenLesson, lesson.path, Stage::Weights});
}

// A line of the start screen's list. Returns true when it was chosen.
bool lesson_line(const UiContext& ui, const LessonEntry& lesson, float width) {
  ImGui::PushID(lesson.stem.c_str());
  const float line = font_size(ui.theme.fonts.text) + ui.theme.px(10);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool chosen = ImGui::Selectable("##lesson", false, 0, {width, line});
  ui.probe.mark("start.lesson." + lesson.stem, lesson.title);
  const std::string title = elided(lesson.title, width - ui.theme.px(16));
  ImGui::GetWindowDrawList()->AddText({at.x + ui.theme.px(8), at.y + ui.theme.px(4)}, to_imgui(ui.theme.text),
                                      title.c_str());
  ImGui::PopID();
  return chosen;
}

void start_buttons(UiContext& ui, bool& open) {
  if (tool_button(ui, "start.open", "Open a session…", "Ctrl+O")) {
    ui.act(Action::Open);
    open = false;
  }
  ImGui::SameLine();
  if (tool_button(ui, "start.new", "New session", "Six tokens, three dimensions, one head")) {
    ui.act(Action::New);
    open = false;
  }
  ImGui::SameLine();
  if (tool_button(ui, "start.close", "Back to the workbench", "Escape")) open = false;
}

// The files opened last, as many as there is room for on one line.
void recent_files(UiContext& ui, const std::vector<std::filesystem::path>& recent, bool& open) {
  if (recent.empty()) return;
  const float gap = ui.theme.px(8), pad = 2 * ImGui::GetStyle().FramePadding.x;
  float room = ImGui::GetContentRegionAvail().x - text_width(ui.theme.fonts.label, "opened last");
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "opened last");
  for (std::size_t i = 0; i < recent.size(); ++i) {
    const std::string label = elided(recent[i].filename().string(), ui.theme.px(200));
    room -= text_width(ui.theme.fonts.text, label) + pad + gap;
    if (room < 0) return;
    ImGui::SameLine(0, gap);
    ImGui::PushID(static_cast<int>(i));
    if (tool_button(ui, "start.recent." + std::to_string(i), label, recent[i].string())) {
      ui.actions.push_back({Action::OpenPath, recent[i], Stage::Weights});
      open = false;
    }
    ImGui::PopID();
  }
}

// Lessons in two columns where there is room, chapter by chapter.
void lesson_columns(UiContext& ui, const std::vector<LessonEntry>& lessons, bool& open) {
  const float available = ImGui::GetContentRegionAvail().x, gap = ui.theme.px(24);
  const bool two = available >= ui.theme.px(640);
  const float width = two ? (available - gap) / 2 : available;
  const ImVec2 top = ImGui::GetCursorPos();
  std::string chapter;
  std::size_t in_first = two ? (lessons.size() + 1) / 2 : lessons.size();
  // A chapter is not torn apart between the columns.
  while (two && in_first < lessons.size() && lessons[in_first].chapter == lessons[in_first - 1].chapter)
    ++in_first;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ui.theme.px(2)});
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (i == in_first) ImGui::SetCursorPosY(top.y);
    const float x = top.x + (i >= in_first ? width + gap : 0);
    if (lessons[i].chapter != chapter) {
      chapter = lessons[i].chapter;
      if (i != 0 && i != in_first) ImGui::Dummy({0, ui.theme.px(8)});
      ImGui::SetCursorPosX(x + ui.theme.px(8));
      label_text(ui, chapter, ui.theme.accent);
    }
    ImGui::SetCursorPosX(x);
    if (!lesson_line(ui, lessons[i], width)) continue;
    open_lesson(ui, lessons[i]);
    open = false;
  }
  ImGui::PopStyleVar();
}

}  // namespace

std::vector<LessonEntry> read_lessons(const std::vector<std::filesystem::path>& files) {
  std::vector<LessonEntry> lessons;
  for (const std::filesystem::path& file : files) {
    try {
      const Session session = load_session(file);
      LessonEntry entry{file, file.stem().string(), session.title, "More", {}, 1000};
      if (session.lesson) {
        entry.chapter = session.lesson->chapter;
        entry.source = session.lesson->source;
        entry.order = session.lesson->order;
      }
      lessons.push_back(std::move(entry));
    } catch (const Error&) {
      continue;
    }
  }
  std::stable_sort(lessons.begin(), lessons.end(),
                   [](const LessonEntry& a, const LessonEntry& b) { return a.order < b.order; });
  return lessons;
}

void lesson_menu(UiContext& ui, const std::vector<LessonEntry>& lessons) {
  // Close lines: all lessons are in sight at once in a window of the usual height.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui.theme.px(8), ui.theme.px(2)});
  std::string chapter;
  for (const LessonEntry& lesson : lessons) {
    if (lesson.chapter != chapter) {
      chapter = lesson.chapter;
      ImGui::Separator();
      quiet_text(ui, chapter);
    }
    if (ImGui::MenuItem((drawn_text(visible_label(lesson.title)) + "##" + lesson.stem).c_str()))
      open_lesson(ui, lesson);
    ui.probe.mark("menu.lesson." + lesson.stem, lesson.title);
  }
  ImGui::PopStyleVar();
}

bool start_screen(UiContext& ui, const std::vector<LessonEntry>& lessons,
                  const std::vector<std::filesystem::path>& recent) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float margin = ui.theme.px(24);
  const ImVec2 size = {std::min(window.x - 2 * margin, ui.theme.px(880)),
                       std::min(window.y - 2 * margin, ui.theme.px(720))};
  ImGui::SetNextWindowPos({(window.x - size.x) / 2, (window.y - size.y) / 2});
  ImGui::SetNextWindowSize(size);
  if (!ImGui::IsPopupOpen("start screen")) ImGui::OpenPopup("start screen");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.theme.px(24), ui.theme.px(20)});
  bool open = true;
  if (ImGui::BeginPopupModal(
          "start screen", nullptr,
          ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove)) {
    push_font(ui.theme.fonts.title);
    ImGui::TextUnformatted("Attention, number by number");
    ImGui::PopFont();
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.quiet_text));
    ImGui::TextWrapped(
        "Choose a lesson, then change any number on the left: every picture follows. Point at a cell to see "
        "the "
        "sum of products it comes from.");
    ImGui::PopStyleColor();
    ImGui::Dummy({0, ui.theme.px(4)});
    start_buttons(ui, open);
    recent_files(ui, recent, open);
    ImGui::Dummy({0, ui.theme.px(4)});
    if (begin_child("lessons", {0, 0}, false)) lesson_columns(ui, lessons, open);
    ImGui::EndChild();
    if (key_pressed(Key::Escape)) open = false;
    if (!open) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return open;
}

}  // namespace headlight
