// The lessons that come with the program, and where they are chosen: the menu and the start screen.
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
};

// Reads the lessons' headings, in their order. A file that cannot be read is left out.
std::vector<LessonEntry> read_lessons(const std::vector<std::filesystem::path>& files);

// The entries of the session menu, by chapter; inside a popup that the caller has begun.
void lesson_menu(UiContext& ui, const std::vector<LessonEntry>& lessons);

// The start screen over the whole window: the files opened last, and all lessons. Returns false when it was
// closed.
bool start_screen(UiContext& ui, const std::vector<LessonEntry>& lessons,
                  const std::vector<std::filesystem::path>& recent);

}  // namespace headlight
