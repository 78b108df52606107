// The lessons of the program, and their menu.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "engine/session/session.h"

namespace headlight {

struct LessonEntry {
  std::filesystem::path path;
  std::string stem;  // of the file; names the lesson in the probe and in WindowMemory
  std::string title, chapter, source;
  int order = 0;  // of a variation: its place among those of its lesson, from 1
  std::size_t steps = 0;
  std::optional<int> variation_of = {};  // the order of the lesson that it is a variation of
  std::size_t questions = 0;
};

// "4", or "4a" for the first variation of lesson 4.
std::string number_of(const LessonEntry& lesson);

// "3.3.1": the section of a book that its source names, "; section 3.3.1 of ..."; "": none.
std::string section_of(const LessonEntry& lesson);

// The entry of an open lesson; null if it is none of the program's.
const LessonEntry* entry_of(const Session& session, const std::vector<LessonEntry>& lessons);

// The lesson before or after (`behind`) this one in the course; variations are left out. null: there is none.
const LessonEntry* neighbour_of(const Lesson& lesson, const std::vector<LessonEntry>& lessons, bool behind);

// "A variation of lesson 2: ...", for a lesson that can be skipped.
std::string variation_words(int of);

// Reads the lessons' headings, sorted by number: variations follow their lesson. Skips files that cannot be
// read.
std::vector<LessonEntry> read_lessons(const std::vector<std::filesystem::path>& files);

// Draws the entries of the lesson menu, by chapter, variations indented below their lesson. Precondition: the
// caller has begun the popup.
void lesson_menu(UiContext& ui, const std::vector<LessonEntry>& lessons);

}  // namespace headlight
