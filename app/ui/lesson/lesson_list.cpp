#include "app/ui/lesson/lesson_list.h"

#include <algorithm>
#include <tuple>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/lesson_text/lesson_number.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

constexpr int kNoLesson = 1000;  // the order of a file without a lesson: at the end of the list

void open_lesson(UiContext& ui, const LessonEntry& lesson) {
  ui.actions.push_back({Action::OpenLesson, lesson.path, Stage::Weights});
}

// The place in lists: a variation follows its lesson.
std::tuple<int, bool, int> place_of(int order, const std::optional<int>& variation_of) {
  return {variation_of.value_or(order), variation_of.has_value(), order};
}

void menu_line(UiContext& ui, const LessonEntry& lesson) {
  const std::string label = number_of(lesson) + "  " + drawn_text(visible_label(lesson.title));
  const float indent = lesson.variation_of ? ui.theme.px(16) : 0;
  if (indent > 0) ImGui::Indent(indent);
  if (lesson.variation_of) ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.quiet_text));
  if (ImGui::MenuItem((label + "##" + lesson.stem).c_str())) open_lesson(ui, lesson);
  if (lesson.variation_of) ImGui::PopStyleColor();
  ui.probe.mark("menu.lesson." + lesson.stem, lesson.title);
  if (indent > 0) ImGui::Unindent(indent);
}

}  // namespace

std::string number_of(const LessonEntry& lesson) {
  return lesson_number(lesson.order, lesson.variation_of);
}

std::string section_of(const LessonEntry& lesson) {
  constexpr std::string_view kWord = "; section ";
  const std::size_t at = lesson.source.find(kWord);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kWord.size();
  return lesson.source.substr(begin, lesson.source.find(' ', begin) - begin);
}

const LessonEntry* entry_of(const Session& session, const std::vector<LessonEntry>& lessons) {
  if (!session.lesson) return nullptr;
  const auto found = std::find_if(lessons.begin(), lessons.end(), [&](const LessonEntry& entry) {
    return entry.order == session.lesson->order && entry.variation_of == session.lesson->variation_of &&
           entry.title == session.title;
  });
  return found == lessons.end() ? nullptr : &*found;
}

const LessonEntry* neighbour_of(const Lesson& lesson, const std::vector<LessonEntry>& lessons, bool behind) {
  const auto here = place_of(lesson.order, lesson.variation_of);
  const LessonEntry* found = nullptr;
  for (const LessonEntry& entry : lessons) {
    if (entry.variation_of) continue;
    const auto place = place_of(entry.order, entry.variation_of);
    if (behind && place > here) return &entry;
    if (!behind && place < here) found = &entry;
  }
  return found;
}

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
      entry.order = kNoLesson;
      if (session.lesson) {
        entry.chapter = session.lesson->chapter;
        entry.source = session.lesson->source;
        entry.order = session.lesson->order;
        entry.steps = session.lesson->steps.size();
        for (const LessonStep& step : session.lesson->steps)
          entry.questions += step.question ? 1 : 0;
        entry.variation_of = session.lesson->variation_of;
      }
      lessons.push_back(std::move(entry));
    } catch (const Error&) {
      continue;
    }
  }
  std::stable_sort(lessons.begin(), lessons.end(), [](const LessonEntry& a, const LessonEntry& b) {
    return place_of(a.order, a.variation_of) < place_of(b.order, b.variation_of);
  });
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
      menu_line(ui, lesson);
      ++above;
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
}

}  // namespace headlight
