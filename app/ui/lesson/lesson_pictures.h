// Small pictures of the lessons, computed from the lessons' own sessions: one a frame, while they are looked
// at.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// What has been computed, by file; a file that cannot be read has an empty tile. Owner: the start screen.
struct LessonPictures {
  std::map<std::string, Tile> tiles;
  int made_in_frame = -1;  // the frame of ImGui in which the last one was computed
};

// Draws the stage that the lesson begins with into the square at `at`, or leaves it empty and wakes the
// window until its turn has come.
void lesson_picture(UiContext& ui, LessonPictures& pictures, const std::filesystem::path& lesson, ImVec2 at,
                    float side);

}  // namespace headlight
