// The start screen, a place of its own that is left by what is opened in it: a sentence with a model behind
// it, the course, models and files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/settings/preferences.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/lesson_list.h"
#include "app/ui/start/course_cards.h"
#include "app/ui/start/sentence_panel.h"

namespace headlight {

// The title of a session, read once per file.
struct SessionTitle {
  std::filesystem::path path;
  std::string title;
};

struct StartScreenState {
  SentenceState sentence;
  CourseState course;
  std::optional<std::size_t> continue_at;  // the step to enter once the lesson is open
  float content_px = 0;                    // height of the page, as it was last drawn without an open chapter
  SessionTitle last;                       // of WindowMemory::last
  std::filesystem::path model;             // the session on the bundled language model; empty: not installed
  std::filesystem::path learning;          // the one on a checkpoint of its training
};

// The user's choice, other than opening something, which is in the actions of `ui`.
enum class StartChoice { None, Close, Arrays, Sentence };

struct StartScreen {
  const std::vector<LessonEntry>& lessons;
  const WindowMemory& memory;
  std::string message;                    // the error of the last attempt to open something; "": none
  std::string news;                       // what was done: stands in the last line for a while; "": nothing
  std::optional<std::string> open_title;  // of the session behind the start screen; nullopt: none is open
  float top = 0;                          // the height of the bar above it
};

// Probe names: "start.close" or "start.continue" or "start.course", "start.own", "start.inside",
// "start.words", "start.learn", "start.model", "start.arrays", "start.text", "start.message", "start.news",
// and those of course_cards.h and sentence_panel.h.
StartChoice start_screen(UiContext& ui, StartScreenState& state, const StartScreen& shown);

}  // namespace headlight
