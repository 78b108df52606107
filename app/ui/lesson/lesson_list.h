// The lessons of the program, and their menu.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct LessonEntry {
  std::filesystem::path path;
  std::string stem;  // of the file; names the lesson in the probe and in WindowMemory
  std::string title, chapter, source;
  int order = 0;
  std::size_t steps = 0;
  std::optional<int> variation_of = {};  // the order of the lesson that it is a variation of
};

// "A variation of lesson 2: ...", for a lesson that can be skipped.
std::string variation_words(int of);

// Reads the lessons' headings, sorted by order. Skips files that cannot be read.
std::vector<LessonEntry> read_lessons(const std::vector<std::filesystem::path>& files);

// Draws the entries of the lesson menu, by chapter. Precondition: the caller has begun the popup.
void lesson_menu(UiContext& ui, const std::vector<LessonEntry>& lessons);

}  // namespace headlight
