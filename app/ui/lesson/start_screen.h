// The start screen, shown instead of the workbench until something is opened: buttons to open or create a
// session, recent files, and the lessons as cards with pictures.
#pragma once

#include <filesystem>
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
  std::optional<std::size_t> continue_at;  // the step to enter once the lesson is open
  bool types_sentence = false;             // the dialog for tokens from text shall open next
  std::filesystem::path model;             // the session on the bundled language model; empty: not installed
};

// The user's choice, other than opening something, which is in the actions of `ui`.
enum class StartChoice { None, Close, Sentence };

struct StartScreen {
  const std::vector<LessonEntry>& lessons;
  const WindowMemory& memory;
  std::string message;  // the error of the last attempt to open something; "": none
};

// Probe names: "start.continue", "start.course", "start.words", "start.model", "start.arrays", "start.text",
// "start.open", "start.new", "start.close", "start.recent.<n>", "start.message", "start.lesson.<stem>",
// "start.done.<stem>".
StartChoice start_screen(UiContext& ui, StartScreenState& state, const StartScreen& shown);

// Call once per frame: stores in `memory` how far the open lesson was read and the answers to its questions,
// and reads the answers of earlier starts from there.
void note_lesson(const UiContext& ui, const std::vector<LessonEntry>& lessons, LessonGuide& guide,
                 WindowMemory& memory);

}  // namespace headlight
