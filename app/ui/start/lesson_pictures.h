// Small pictures of the lessons, computed from their sessions one at a time on another thread while shown.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"

namespace headlight {

// The computed pictures, by file; a file that cannot be read has an empty tile. Part of StartScreenState.
struct LessonPictures {
  std::map<std::string, Tile> tiles;
  NewestJob<std::pair<std::string, Tile>> next;  // the picture that is being computed, with its file
};

// Draws the first stage of the lesson into the square at `at`. While it is not computed yet, leaves the
// square empty and wakes the window again.
void lesson_picture(UiContext& ui, LessonPictures& pictures, const std::filesystem::path& lesson, ImVec2 at,
                    float side);

}  // namespace headlight
