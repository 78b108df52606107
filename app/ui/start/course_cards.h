// The course on the start screen: its chapters as cards, or the lessons of one chapter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "app/settings/preferences.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/lesson_list.h"
#include "app/ui/start/lesson_pictures.h"
#include "app/ui/widgets/area.h"

namespace headlight {

struct CourseState {
  LessonPictures pictures;
  std::optional<std::size_t> chapter;  // the one whose lessons are shown
  bool shows_variations = false;       // the lessons of a chapter that vary another one
};

// The lessons by chapter; those of a chapter are consecutive.
std::vector<std::span<const LessonEntry>> chapters_of(const std::vector<LessonEntry>& lessons);

// Of each lesson of the chapter that varies no other one: whether it is read to its end.
std::vector<bool> read_lessons_of(std::span<const LessonEntry> chapter, const WindowMemory& memory);

inline constexpr float kCardGap = 8;

// In pixels: equal cards in rows of at most `columns`, as many as fit at their least width.
struct CardGrid {
  std::size_t columns = 1;
  float width = 0, height = 0, gap = 0;

  Area card(ImVec2 origin, std::size_t index) const;
  float total(std::size_t count) const;  // the height of so many cards
};
CardGrid plan_cards(float room, float least_width, float height, float gap, std::size_t most_columns);

// The frame of a card that is a click area; returns whether it was clicked.
bool card_button(UiContext& ui, const char* name, const Area& card, const std::string& value);

// Draw from `at` on; return the height. Probe names: "start.chapter.<n>"; "start.chapters" (back to all),
// "start.variations", "start.lesson.<stem>", "start.done.<stem>", "start.continue.<stem>".
float chapter_cards(UiContext& ui, CourseState& state, const std::vector<LessonEntry>& lessons,
                    const WindowMemory& memory, ImVec2 at, float width);
// `opened`: receives the lesson that was clicked.
float chapter_lessons(UiContext& ui, CourseState& state, std::span<const LessonEntry> chapter,
                      const WindowMemory& memory, ImVec2 at, float width, const LessonEntry*& opened);

}  // namespace headlight
