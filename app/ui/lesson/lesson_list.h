// The lessons that come with the program, and the menu that lists them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct LessonEntry {
  std::filesystem::path path;
  std::string stem;  // of the file, for the probe
  std::string title, chapter, source;
  int order = 0;
  std::size_t steps = 0;
  std::optional<int> variation_of = {};  // the order of another, of which it is a variation
};

// "A variation of lesson 2: ...", told of a lesson that can be skipped.
std::string variation_words(int of);

// Reads the lessons' headings, in their order. A file that cannot be read is left out.
std::vector<LessonEntry> read_lessons(const std::vector<std::filesystem::path>& files);

// The entries of the lessons' menu, by chapter; inside a popup that the caller has begun.
void lesson_menu(UiContext& ui, const std::vector<LessonEntry>& lessons);

}  // namespace headlight
