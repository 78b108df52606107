// The lessons that come with the program, and the menu that lists them.
#pragma once

#include <filesystem>
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
};

// Reads the lessons' headings, in their order. A file that cannot be read is left out.
std::vector<LessonEntry> read_lessons(const std::vector<std::filesystem::path>& files);

// The entries of the lessons' menu, by chapter; inside a popup that the caller has begun.
void lesson_menu(UiContext& ui, const std::vector<LessonEntry>& lessons);

}  // namespace headlight
