// The start screen: it stands in place of the workbench until something is opened. Ways in, what was open
// last, and the lessons as cards with a picture each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/settings/preferences.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/lesson/lesson_list.h"
#include "app/ui/lesson/lesson_pictures.h"

namespace headlight {

struct StartScreenState {
  LessonPictures pictures;
  std::optional<std::size_t> continue_at;  // the step that a lesson goes on with, once it is open
  bool types_sentence = false;             // tokens from text are asked for next
};

// What a person chose besides opening something, which the actions of `ui` hold.
enum class StartChoice { None, Close, Sentence };

struct StartScreen {
  const std::vector<LessonEntry>& lessons;
  const WindowMemory& memory;
  std::string message;  // what could not be opened, and why
};

// Names: "start.continue", "start.course", "start.arrays", "start.text", "start.open", "start.new",
// "start.close", "start.recent.0", "start.message", "start.lesson.<stem>" with "start.done.<stem>".
StartChoice start_screen(UiContext& ui, StartScreenState& state, const StartScreen& shown);

// Notes how far the open lesson has been read, and what its questions were answered; what was answered before
// this start is taken over. Once a frame.
void note_lesson(const UiContext& ui, const std::vector<LessonEntry>& lessons, LessonGuide& guide,
                 WindowMemory& memory);

}  // namespace headlight
