// Where a reader is, in the steps of a lesson or in a walk through one forward pass, and what going on does:
// it moves the gaze, sends the settings that the step needs and lights the spotlight. View state: nothing of
// it is saved.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/given_answer.h"
#include "app/ui/lesson/live_text.h"
#include "app/ui/lesson/walk.h"
#include "engine/core/newest_job.h"

namespace headlight {

// How the document differs from what the step is about.
enum class Departure { None, Settings, Inputs };

struct WalkState {
  WalkQuery query;
  std::vector<LessonStep> steps;
  std::size_t step = 0;
  bool playing = false;
  double next_seconds = 0;     // on ImGui's clock
  std::uint64_t revision = 0;  // of the model that the steps were made from
  Counting counting;           // that they name heads and tokens by
};

struct LessonGuide {
  std::shared_ptr<const Model> opened;  // the lesson's model as it opened; null: the session has no steps
  std::shared_ptr<const OpenModel> opened_work;  // and of the whole model, where it is one's layer
  std::size_t step = 0;                          // of the lesson
  std::optional<WalkState> walk;                 // while there is one, it is what is shown
  std::optional<std::size_t> wanted;             // the step to go to, at the beginning of the next frame
  bool lit = false;                              // the spotlight, until one clicks elsewhere
  std::string trouble;                           // why the step's settings could not be set
  // Holds for one revision and step. Owner: follow_guide.
  Departure departure = Departure::None;
  std::uint64_t compared_revision = 0;
  std::size_t compared_step = 0;
  // What the step's text looks back on; null where it does not, or until it is computed. Holds for one step.
  // Owner: follow_guide.
  std::shared_ptr<const OwnNumbers> own;
  std::optional<std::size_t> own_step;
  std::shared_ptr<NewestJob<std::shared_ptr<const OwnNumbers>>> own_job;  // null until it is needed
  // What a step has set aside while it is shown: how the reader's colours of its stage were, what was kept as
  // A, and whether it has brought a part of the stage into sight.
  std::optional<std::pair<Stage, StageColors>> colors_before;
  std::optional<Baseline> given_before;
  bool zoomed = false;
  // What was answered to the lesson's questions, and whether what memory keeps of it was taken over.
  GivenAnswers answers;
  bool answers_taken = false;
  // The question as it stood when it was answered, by step: what is done then must not move what was asked.
  std::map<std::size_t, std::vector<TextRun>> asked;
  // What *Do it* has done, until the step is left.
  struct DoneChange {
    std::shared_ptr<const Model> before, after;
  };
  std::optional<DoneChange> done;
  std::optional<float> guess;            // on the slider of a question, until it is given
  std::optional<CellAddress> looked_at;  // what the step selected: any other is the reader's choice
  bool shows_end = false;                // the panel's end is to come into sight: an answer was given
  ImVec2 panel_at{}, panel_size{};       // where the lesson panel was drawn last
  std::string read;                      // what the panel showed last: a new text begins at its top
};

// The guide of a session that has just been opened: at its first step, if it has steps.
LessonGuide begin_guide(const Session& session);

// Once a frame, before the panels: carries out what was requested for, moves the light, plays the walk.
void follow_guide(UiContext& ui, LessonGuide& guide);

// Joins what the step speaks of to its text. Once a frame, after the panels.
void join_lesson(UiContext& ui, const LessonGuide& guide);

// The step that is shown; null when there is none.
const LessonStep* shown_step(const UiContext& ui, const LessonGuide& guide);
std::size_t shown_step_index(const LessonGuide& guide);
std::size_t step_count(const UiContext& ui, const LessonGuide& guide);

void go_to_step(LessonGuide& guide, std::size_t step);
// Stops at the first and the last.
void go_by_steps(const UiContext& ui, LessonGuide& guide, int by);
// Brings the inputs and settings of the lesson's step back, as one undo step.
void restore_lesson(UiContext& ui, LessonGuide& guide);

void start_walk(UiContext& ui, LessonGuide& guide);
void leave_walk(LessonGuide& guide);

Departure departure_from(const Model& expected, const Model& now);
// Whether only the lesson's own steps have changed the document: there is nothing of the reader's in it.
bool only_guided(const LessonGuide& guide, const Document& document);
// Whether the document is a lesson that was never saved as a file: what is tried in it goes when it is left,
// without a question.
bool is_lesson_copy(const LessonGuide& guide, const Document& document);

}  // namespace headlight
