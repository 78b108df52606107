// Lesson files: reports the steps that cannot be read, and reads an open lesson again when its file changes.
#include <utility>

#include "app/shell/program.h"
#include "engine/core/error.h"
#include "engine/core/file_stamp.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

constexpr double kLookSeconds = 1;  // between two checks of a lesson's file

}  // namespace

std::string lesson_error_text(const std::vector<Error>& faults) {
  if (faults.empty()) return {};
  const std::string first = faults.front().what();
  if (faults.size() == 1) return "A step of this lesson cannot be read: " + first;
  return "There are " + std::to_string(faults.size()) +
         " mistakes in steps of this lesson. The first: " + first + ". All are told by: headlight check";
}

bool Program::looks_at_lesson() const {
  return document_.path() && workbench_.lesson.guide.opened;
}

// A frame for each check would be three frames a second (see Program::redraw).
bool Program::sleep_beside_lesson() {
  const bool before = settled();
  const auto began = std::chrono::steady_clock::now();
  window_.wait_events(kLookSeconds);
  const bool whole = std::chrono::steady_clock::now() - began >= std::chrono::duration<double>(kLookSeconds);
  return whole && before && settled() && !document_.file_changed() && lesson_error_.empty();
}

void Program::follow_lesson_file() {
  if (!looks_at_lesson() || opening_.running()) return;
  if (frames_.last - lesson_looked_ < std::chrono::duration<double>(kLookSeconds)) return;
  lesson_looked_ = frames_.last;
  const std::filesystem::path path = *document_.path();
  if (!document_.file_changed()) return clear_lesson_error();  // the file has its old contents again
  if (lesson_tried_ && !changed_since(path, *lesson_tried_)) return;
  // The reader's changes are not discarded: the file then counts as any file changed by another program.
  const bool departed = workbench_.lesson.guide.departure != Departure::None;
  if (departed && lesson_error_.empty()) return;
  lesson_tried_ = stamp_of(path);
  open_file({.path = path, .step = workbench_.lesson.guide.step});
}

void Program::show_lesson_anew(OpenedFile opened) {
  if (!opened.session) {
    show_error(opened.failure);
    lesson_error_ = workbench_.message.text;
    return;
  }
  // The document has changed meanwhile: check the departure again.
  if (opened.requested.revision != document_.revision()) return lesson_tried_.reset();
  if (workbench_.lesson.guide.departure == Departure::None) {
    const std::size_t step = *opened.requested.step;
    const std::filesystem::path path = opened.requested.path;
    open_session(std::move(*opened.session), path, opened.stamp);
    go_to_step(workbench_.lesson.guide, step);
    if (opened.faults.empty())
      say("The lesson's file has changed: it was read anew");
    else
      show_error(lesson_error_text(opened.faults));
  }
  clear_lesson_error();
}

// The file is readable again: removes the message about it.
void Program::clear_lesson_error() {
  if (lesson_error_.empty()) return;
  if (workbench_.message.text == std::exchange(lesson_error_, {})) workbench_.message = {};
  lesson_tried_.reset();
  redraw();
}

}  // namespace headlight
