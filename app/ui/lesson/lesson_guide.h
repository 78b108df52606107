// The reader's position in the steps of a lesson, or in a walk through one forward pass. Entering a step
// selects its stage and cell, sends its settings and shows its outlines. View state: not saved in a session.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/given_answer.h"
#include "app/ui/lesson/live_text.h"
#include "app/ui/lesson/walk.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/newest_job.h"

namespace headlight {

// How the document differs from the model of the step; Wish: in its goal alone.
enum class Departure { None, Settings, Inputs, Wish };

struct WalkState {
  WalkQuery query;
  std::vector<LessonStep> steps;
  std::size_t step = 0;
  bool playing = false;
  double next_seconds = 0;     // time of the next step, on ImGui's clock
  std::uint64_t revision = 0;  // of the model that the steps were made from
  Counting counting;           // the numbering of heads and tokens in the steps
};

// What an open question was asked of.
struct AskedOf {
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const Goal> goal;  // null: there was none
};

// The states before and after the change of a question.
struct AskedStates {
  Evaluator before, after;
};

// The texts of the shown step as they read in one frame, each evaluated once: what it names and how it is
// laid out ask for the same words. Key: the text as it is written. Owner: the guide.
struct EvaluatedTexts {
  int frame = -1;
  std::map<std::string, std::vector<EvaluatedRun>> runs;
};

// The number of a change that the reader drags or types, see supposed_chip.h.
struct SupposedChip {
  bool typing = false, drags = false;
  double from = 0;  // where the drag began
  std::uint64_t gesture = 0;
  TextFieldState typed;
  FocusRequest focus;
};

struct LessonGuide {
  std::shared_ptr<const Layer> opened;  // the lesson's model as it opened; null: the session has no steps
  std::shared_ptr<const OpenModel> opened_work;     // the whole model, if `opened` is a layer of one
  std::optional<TrainingSettings> opened_training;  // how it is trained, and for how many steps it was
  std::shared_ptr<const Goal> opened_goal;          // what it is trained towards; null: nothing
  std::size_t step = 0;                             // of the lesson
  std::optional<WalkState> walk;                    // if set, shown instead of the lesson
  std::optional<std::size_t> wanted;                // the step to enter at the beginning of the next frame
  bool escape_taken = false;                        // something else closes on Escape in this frame
  bool lit = false;                                 // the outlines are shown; a click elsewhere hides them
  std::string trouble;                              // why the step's settings could not be applied
  bool took_back = false;  // entering the step has taken back wishes or training of the one before
  // Valid for one revision and step. Written by follow_guide.
  Departure departure = Departure::None;
  std::uint64_t compared_revision = 0;
  std::uint64_t followed_revision = 0;  // to whose step undo or redo has led
  std::size_t compared_step = 0;
  // The first and opened states that the step's text refers to; null if it does not, or until they are
  // computed. Valid for one step and goal. Written by follow_guide.
  std::shared_ptr<const ReferenceStates> own;
  std::optional<std::size_t> own_step;
  std::shared_ptr<const Goal> own_goal;
  std::shared_ptr<NewestJob<std::shared_ptr<const ReferenceStates>>> own_job;  // null until it is needed
  // View state that the shown step has replaced, restored when it is left: the colours of its stage, the
  // baseline A; and whether the step has set a visible region.
  std::optional<std::pair<Stage, StageColors>> colors_before;
  std::optional<Baseline> given_before;
  std::shared_ptr<const Layer> against;  // what the shown step compares with; null: nothing
  bool keeps_other = false;              // the reader has kept another state in its place
  bool zoomed = false;
  // The answers to the lesson's questions, and whether the stored ones were read (sync_answers()).
  GivenAnswers answers;
  bool answers_taken = false;
  bool answers_unsaved = false;  // an answer was given since the answers were last saved as a file
  bool answers_saved = false;    // they were saved as a file, and none was given since
  // By which the answers are stored, one for each step; empty: not known yet. Written by note_lesson().
  std::vector<std::string> answer_keys;
  // The text of the question when it was answered, by step: later changes of the model must not change it.
  std::map<std::size_t, std::vector<EvaluatedRun>> asked;
  // The change that *Do it* has made, until the step is left.
  struct DoneChange {
    std::shared_ptr<const Layer> before, after;
  };
  std::optional<DoneChange> done;
  std::map<std::size_t, DoneChange> left_done;  // by the step that was left with it: undo goes back there
  SupposedChip chip;
  mutable EvaluatedTexts texts;                     // written by step_text()
  std::map<std::size_t, Matrix> drafts;             // guesses that were begun and not given, by step
  std::map<std::size_t, CellAddress> chosen_cells;  // the same, of questions about a cell
  // What an open question was asked of, by step, and what its bars begin with: what the model becomes later,
  // by training or by hand, changes neither the guess nor what it is compared with. If undo, redo or Restore
  // lead to another state, it is asked again, of that.
  std::map<std::size_t, AskedOf> asked_of;
  std::map<std::size_t, Matrix> first_bars;
  bool restored = false;                 // Restore was pressed in the frame before
  std::uint64_t reverted_revision = 0;   // the last revision of undo or redo that was compared with asked_of
  bool skips = false;                    // the reader goes on without an answer to the shown step's question
  bool in_picture = false;               // the large picture takes the guess, and shows it
  bool whole_picture = false;            // the guess of a row is not to cover its picture
  bool all_of_reply = false;             // with its numbers
  std::map<std::size_t, bool> outcomes;  // whether the first answer was right, by step
  // The right answer of the shown step while it is computed; see judging.h.
  std::shared_ptr<NewestJob<std::shared_ptr<const AskedStates>>> judging;  // null until it is needed
  std::optional<std::size_t> judged_step;
  std::optional<std::size_t> unrevealed;  // the step whose right answer was still hidden in the last frame
  std::optional<double> revealed_at;      // when the shown step's right answer came, on ImGui's clock
  int clicked_frame = -1;                 // the last frame with a click of the mouse
  std::optional<float> guess;             // the number of a question, until the answer is given
  TextFieldState typed;                   // the same number, as it is typed
  std::optional<CellAddress> looked_at;   // the cell that the step selected: any other is the reader's choice
  bool shows_end = false;                 // the panel shall scroll to the question: an answer was given
  ImVec2 panel_at{}, panel_size{};        // where the lesson panel was drawn last
  Rect card_at{};                         // where the derivation's card was drawn last; empty: nowhere
  std::string read;                       // the title that was shown last: a new step is scrolled to the top
};

// Begins the answer_keys of a lesson that is not one of the course.
inline const std::string kOwnLesson = "own-";

// The guide of a session that was just opened: at its first step, if it has steps.
LessonGuide begin_guide(const Session& session);

// Call once per frame before the panels: enters the requested step, fades the outlines, plays the walk.
void follow_guide(UiContext& ui, LessonGuide& guide);

// The shown step of the lesson or the walk; null if there is none.
const LessonStep* shown_step(const UiContext& ui, const LessonGuide& guide);
std::size_t shown_step_index(const LessonGuide& guide);
// Whether `step`, the guide's, has a question that is not answered yet. A walk asks none.
bool waits_for_answer(const LessonGuide& guide, const LessonStep& step);
std::size_t step_count(const UiContext& ui, const LessonGuide& guide);

void go_to_step(LessonGuide& guide, std::size_t step);
// Moves by one step, back if `by` < 0; stops at the first and the last.
void go_by_steps(const UiContext& ui, LessonGuide& guide, int by);
// Restores the inputs, the settings and the goal of the lesson's step, as one undo step.
void restore_lesson(UiContext& ui, LessonGuide& guide);

// Asks the shown step's question again: without the answer and what was tried, from the step's own numbers.
// The outcome of the first answer stays.
void ask_again(UiContext& ui, LessonGuide& guide);

// Forgets the shown step's question as it was asked, with what was guessed: it is asked of the present state.
void forget_question(LessonGuide& guide);

// Whether answers to a lesson that is not one of the course were given since they were saved as a file.
bool owes_answers(const LessonGuide& guide);
// Whether there are answers to such a lesson that could be saved as a file.
bool has_own_answers(const LessonGuide& guide);

void start_walk(UiContext& ui, LessonGuide& guide);
void leave_walk(LessonGuide& guide);

Departure departure_from(const Layer& expected, const Layer& now);
// Whether only steps of the lesson have changed the document: it contains no changes of the reader.
bool only_guided(const LessonGuide& guide, const Document& document);
// Whether the document is a lesson that was never saved as a file: closing it discards changes without
// asking.
bool is_lesson_copy(const LessonGuide& guide, const Document& document);

}  // namespace headlight
