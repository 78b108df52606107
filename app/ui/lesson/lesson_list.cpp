#include "app/ui/lesson/lesson_list.h"

#include <algorithm>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

void open_lesson(UiContext& ui, const LessonEntry& lesson) {
  ui.actions.push_back({Action::OpenLesson, lesson.path, Stage::Weights});
}

}  // namespace

std::string variation_words(int of) {
  return "A variation of lesson " + std::to_string(of) + ": the same mechanism once more. It can be skipped.";
}

std::vector<LessonEntry> read_lessons(const std::vector<std::filesystem::path>& files) {
  std::vector<LessonEntry> lessons;
  for (const std::filesystem::path& file : files) {
    try {
      const Session session = load_session(file);
      LessonEntry entry;
      entry.path = file;
      entry.stem = file.stem().string();
      entry.title = session.title;
      entry.chapter = "More";
      entry.order = 1000;
      if (session.lesson) {
        entry.chapter = session.lesson->chapter;
        entry.source = session.lesson->source;
        entry.order = session.lesson->order;
        entry.steps = session.lesson->steps.size();
        entry.variation_of = session.lesson->variation_of;
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
  // Dense lines in two columns, so that all lessons are visible in a window of the usual height.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui.theme.px(8), ui.theme.px(2)});
  if (ImGui::BeginTable("lessons", 2, ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableNextColumn();
    std::string chapter;
    std::size_t above = 0;
    for (const LessonEntry& lesson : lessons) {
      if (lesson.chapter != chapter) {
        if (ImGui::TableGetColumnIndex() == 0 && 2 * above >= lessons.size()) ImGui::TableNextColumn();
        chapter = lesson.chapter;
        quiet_text(ui, chapter);
      }
      const std::string number = std::to_string(lesson.order) + "  ";
      if (ImGui::MenuItem((number + drawn_text(visible_label(lesson.title)) + "##" + lesson.stem).c_str()))
        open_lesson(ui, lesson);
      ui.probe.mark("menu.lesson." + lesson.stem, lesson.title);
      ++above;
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
}

}  // namespace headlight
