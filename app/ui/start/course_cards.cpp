#include "app/ui/start/course_cards.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/lesson_progress.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kCardPad = 10, kPicture = 48;
constexpr float kChapterWidth = 190, kChapterHeight = 84;
constexpr std::size_t kTitleLines = 2;
constexpr float kLessonWidth = 240, kLessonHeight = 80;

// A dot from `at` on for each of `read`, filled for what is read. Returns the x behind them.
float draw_dots(const UiContext& ui, const std::vector<bool>& read, ImVec2 at, float room) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = ui.theme.px(2.5f), count = static_cast<float>(std::max<std::size_t>(1, read.size()));
  const float spacing = std::min(ui.theme.px(9), room / count);
  for (std::size_t i = 0; i < read.size(); ++i) {
    const ImVec2 middle = {at.x + radius + spacing * static_cast<float>(i), at.y};
    if (read[i])
      list.AddCircleFilled(middle, radius, to_imgui(ui.theme.text));
    else
      list.AddCircle(middle, radius, to_imgui(ui.theme.quiet_text), 0, std::max(1.0f, ui.theme.px(1)));
  }
  return at.x + spacing * static_cast<float>(read.size());
}

void tick_behind(UiContext& ui, const std::string& name, float x, float middle) {
  const float size = ui.theme.px(10), left = x + ui.theme.px(2);
  draw_tick(*ImGui::GetWindowDrawList(), {left, middle - size / 2}, size, to_imgui(ui.theme.text),
            ui.theme.px(2));
  ui.probe.mark_rect(name, {left, middle - size / 2, size, size});
}

// The titles of the chapter's lessons, without those that vary another one.
std::vector<std::string> titles_of(std::span<const LessonEntry> chapter) {
  std::vector<std::string> titles;
  for (const LessonEntry& lesson : chapter)
    if (!lesson.variation_of) titles.push_back(lesson.title);
  return titles;
}

std::string joined(std::span<const std::string> titles) {
  std::string text;
  for (const std::string& title : titles)
    text += (text.empty() ? "" : " · ") + title;
  return text;
}

// As many titles as fit whole, for the dots below say how many there are; their number where none fits.
std::string fitting_titles(const UiContext& ui, std::span<const std::string> titles, float width) {
  for (std::size_t shown = titles.size(); shown > 0; --shown) {
    std::string text = joined(titles.first(shown));
    if (wrapped_lines(ui.theme.fonts.label, width, text) <= kTitleLines) return text;
  }
  return std::to_string(titles.size()) + (titles.size() == 1 ? " lesson" : " lessons");
}

void chapter_card(UiContext& ui, CourseState& state, std::size_t number, std::span<const LessonEntry> chapter,
                  const WindowMemory& memory, const Area& card) {
  const std::string name = "start.chapter." + std::to_string(number);
  const std::string& title = chapter.front().chapter;  // of numbers there are those of the lessons alone
  const Theme& theme = ui.theme;
  const float pad = theme.px(kCardPad), side = theme.px(kPicture);
  const float width = card.size.x - 3 * pad - side;
  const std::vector<std::string> titles = titles_of(chapter);
  const std::string shown = fitting_titles(ui, titles, width);
  if (card_button(ui, name.c_str(), card, chapter.front().chapter + ": " + shown)) {
    state.chapter = number;
    state.shows_variations = false;
  }
  tooltip(ui, joined(titles));
  fitted_text(theme.fonts.text, {card.at.x + pad, card.at.y + pad}, card.size.x - 2 * pad, theme.text, title);
  const float below = card.at.y + pad + font_size(theme.fonts.text) + theme.px(4);
  wrapped_text(theme.fonts.label, {card.at.x + pad, below}, width, theme.quiet_text, shown, kTitleLines,
               font_size(theme.fonts.label));
  lesson_picture(ui, state.pictures, chapter.back().path, {card.end().x - pad - side, below - theme.px(2)},
                 std::min(side, card.end().y - below));
  const std::vector<bool> read = read_lessons_of(chapter, memory);
  const float middle = card.end().y - pad - theme.px(4);
  const float end = draw_dots(ui, read, {card.at.x + pad, middle}, width - theme.px(14));
  if (std::find(read.begin(), read.end(), false) == read.end()) tick_behind(ui, name + ".done", end, middle);
}

void lesson_card(UiContext& ui, CourseState& state, const LessonEntry& lesson, const WindowMemory& memory,
                 const Area& card, const LessonEntry*& opened) {
  const Theme& theme = ui.theme;
  if (card_button(ui, ("start.lesson." + lesson.stem).c_str(), card, lesson.title)) opened = &lesson;
  const float pad = theme.px(kCardPad), side = theme.px(kPicture);
  lesson_picture(ui, state.pictures, lesson.path, {card.at.x + pad, card.at.y + (card.size.y - side) / 2},
                 side);
  const float x = card.at.x + 2 * pad + side, width = card.end().x - pad - x;
  ImFont* font = theme.fonts.label;
  const std::string number = number_of(lesson);
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {x, card.at.y + pad}, to_imgui(theme.quiet_text),
                                      number.c_str());
  const float dots = x + text_width(font, "88b") + theme.px(8),
              middle = card.at.y + pad + font_size(font) / 2;
  std::vector<bool> read(lesson.steps);
  for (std::size_t step = 0; step < lesson.steps; ++step)
    read[step] = static_cast<int>(step) < steps_read(memory, lesson);
  const float end = draw_dots(ui, read, {dots, middle}, x + width - theme.px(14) - dots);
  if (is_read(memory, lesson)) tick_behind(ui, "start.done." + lesson.stem, end, middle);
  const ImVec2 title_at = {x, card.at.y + pad + font_size(font) + theme.px(4)};
  const bool cut = wrapped_text(font, title_at, width, lesson.variation_of ? theme.quiet_text : theme.text,
                                visible_label(lesson.title), 2, font_size(font) + theme.px(1));
  if (const std::string goes_on = continue_words(memory, lesson); !goes_on.empty()) {
    const ImVec2 at = {x, card.end().y - pad - font_size(font)};
    fitted_text(font, at, width, theme.link, goes_on);
    ui.probe.mark_rect("start.continue." + lesson.stem, {at.x, at.y, width, font_size(font)}, goes_on);
  }
  const std::string guessed = guessed_words(memory, lesson);
  const bool of_section = !section_of(lesson).empty();
  std::string tip = cut || lesson.variation_of || !guessed.empty() || of_section ? lesson.title : "";
  if (of_section) tip += "\nAfter " + lesson.source;
  if (lesson.variation_of) tip += "\n" + variation_words(*lesson.variation_of);
  if (!guessed.empty()) tip += "\n" + guessed;
  if (!tip.empty()) tooltip(ui, tip);
}

}  // namespace

std::vector<std::span<const LessonEntry>> chapters_of(const std::vector<LessonEntry>& lessons) {
  std::vector<std::span<const LessonEntry>> chapters;
  for (std::size_t begin = 0, end = 0; begin < lessons.size(); begin = end) {
    while (end < lessons.size() && lessons[end].chapter == lessons[begin].chapter)
      ++end;
    chapters.push_back(std::span(lessons).subspan(begin, end - begin));
  }
  return chapters;
}

std::vector<bool> read_lessons_of(std::span<const LessonEntry> chapter, const WindowMemory& memory) {
  std::vector<bool> read;
  for (const LessonEntry& lesson : chapter)
    if (!lesson.variation_of) read.push_back(is_read(memory, lesson));
  return read;
}

CardGrid plan_cards(float room, float least_width, float height, float gap, std::size_t most_columns) {
  CardGrid grid{1, room, height, gap};
  const float fitting = std::floor((room + gap) / (least_width + gap));
  grid.columns = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(1.0f, fitting)), 1, most_columns);
  const auto columns = static_cast<float>(grid.columns);
  grid.width = std::max(1.0f, std::floor((room - gap * (columns - 1)) / columns));
  return grid;
}

Area CardGrid::card(ImVec2 origin, std::size_t index) const {
  const std::size_t row = index / columns, column = index % columns;
  return {{origin.x + static_cast<float>(column) * (width + gap),
           origin.y + static_cast<float>(row) * (height + gap)},
          {width, height}};
}

float CardGrid::total(std::size_t count) const {
  const std::size_t rows = (count + columns - 1) / columns;
  return rows > 0 ? static_cast<float>(rows) * (height + gap) - gap : 0;
}

bool card_button(UiContext& ui, const char* name, const Area& card, const std::string& value) {
  const Theme& theme = ui.theme;
  ImGui::SetCursorScreenPos(card.at);
  const bool clicked = click_area(name, card.size);
  ui.probe.mark(name, value);
  const bool hot = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(card.at, card.end(), to_imgui(hot ? theme.raised : theme.panel), theme.px(6));
  list.AddRect(card.at, card.end(), to_imgui(hot ? theme.quiet_text : theme.line), theme.px(6), 0,
               std::max(1.0f, theme.px(1)));
  return clicked;
}

float chapter_cards(UiContext& ui, CourseState& state, const std::vector<LessonEntry>& lessons,
                    const WindowMemory& memory, ImVec2 at, float width) {
  const auto chapters = chapters_of(lessons);
  const CardGrid grid =
      plan_cards(width, ui.theme.px(kChapterWidth), ui.theme.px(kChapterHeight), ui.theme.px(kCardGap), 3);
  for (std::size_t i = 0; i < chapters.size(); ++i)
    chapter_card(ui, state, i, chapters[i], memory, grid.card(at, i));
  return grid.total(chapters.size());
}

float chapter_lessons(UiContext& ui, CourseState& state, std::span<const LessonEntry> chapter,
                      const WindowMemory& memory, ImVec2 at, float width, const LessonEntry*& opened) {
  ImGui::SetCursorScreenPos(at);
  if (tool_button(ui, "start.chapters", "‹ All chapters", "The course in chapters")) state.chapter.reset();
  const std::ptrdiff_t variations =
      std::count_if(chapter.begin(), chapter.end(), [](const LessonEntry& one) { return one.variation_of; });
  if (variations > 0) {
    const std::string label = (state.shows_variations ? "Hide the variations (" : "Variations (") +
                              std::to_string(variations) + ")";
    ImGui::SameLine();
    if (tool_button(ui, "start.variations", label, "Lessons that tell another one again with other numbers",
                    true, state.shows_variations))
      state.shows_variations = !state.shows_variations;
  }
  const float top = ImGui::GetFrameHeight() + ui.theme.px(8);
  const CardGrid grid =
      plan_cards(width, ui.theme.px(kLessonWidth), ui.theme.px(kLessonHeight), ui.theme.px(kCardGap), 5);
  std::size_t shown = 0;
  for (const LessonEntry& lesson : chapter)
    if (!lesson.variation_of || state.shows_variations)
      lesson_card(ui, state, lesson, memory, grid.card({at.x, at.y + top}, shown++), opened);
  return top + grid.total(shown);
}

}  // namespace headlight
