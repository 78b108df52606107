// Small pictures of the lessons, computed from the lessons' own sessions: one after the other beside the
// window, while they are looked at.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"

namespace headlight {

// What has been computed, by file; a file that cannot be read has an empty tile. Owner: the start screen.
struct LessonPictures {
  std::map<std::string, Tile> tiles;
  NewestJob<std::pair<std::string, Tile>> next;  // the one that is computed, with its file
};

// Draws the stage that the lesson begins with into the square at `at`, or leaves it empty and wakes the
// window until its turn has come.
void lesson_picture(UiContext& ui, LessonPictures& pictures, const std::filesystem::path& lesson, ImVec2 at,
                    float side);

}  // namespace headlight
