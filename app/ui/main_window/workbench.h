// The whole window: the bars, and between them the pipeline, the inputs, the stages and the inspector.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/settings/preferences.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/dialogs/text_dialog.h"
#include "app/ui/inputs/inputs_panel.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/learning/learning_panel.h"
#include "app/ui/lesson/lesson_panel.h"
#include "app/ui/main_window/derivation_card.h"
#include "app/ui/main_window/palette.h"
#include "app/ui/manual/manual_window.h"
#include "app/ui/model/checkpoint_bar.h"
#include "app/ui/model/intervention_dialog.h"
#include "app/ui/model/model_panel.h"
#include "app/ui/model/overwrite_dialog.h"
#include "app/ui/model/set_table.h"
#include "app/ui/model/train_dialog.h"
#include "app/ui/picture/arrival.h"
#include "app/ui/pipeline/pipeline_panel.h"
#include "app/ui/start/line_editor.h"
#include "app/ui/start/start_screen.h"
#include "app/ui/views/stages_panel.h"
#include "app/ui/widgets/focus_ring.h"

namespace headlight {

// A line for the user: what happened, or what is wrong and how to fix it. Shown until the next one, until it
// is closed, or, if it is good news, for some seconds.
struct Message {
  std::string text;
  bool is_error = false;
  double until_seconds = 0;  // on ImGui's clock; 0: until closed
  bool over_dialog = false;  // reported while a dialog was open that would hide it
};

// Whether the pointer lies where it was when something began, as a session that was opened: it points at
// nothing yet, whatever came to be below it.
class RestingPointer {
 public:
  // Call once a frame. `what`: a number that is another one once it begins again.
  bool rests(std::uint64_t what, ImVec2 pointer) {
    if (std::exchange(what_, what) != what) at_ = pointer;
    if (at_ && (at_->x != pointer.x || at_->y != pointer.y)) at_.reset();
    return at_.has_value();
  }

 private:
  std::uint64_t what_ = 0;
  std::optional<ImVec2> at_;
};

// The line of words above the strip: the word under the pointer, in the last frame and in this one.
struct SentenceLineState {
  std::optional<Index> pointed, pointed_next;
  BeamGrowth growth;
  std::shared_ptr<const OpenModel> read;  // whose pieces of words are known
  std::vector<bool> pieces;               // of each token whether it belongs to the word before it
  std::vector<ShownWord> shown;           // in this frame
  bool arrives = false;                   // its words come from the start screen, and are drawn on their way
  LineEditor editor;
  RestingPointer resting;    // since typing has begun
  bool took_arrows = false;  // the keyboard was at a word in the last frame
  // Of the word that asks, in the last frame: as the row of the selected cell, and as the position whose next
  // word is told.
  std::optional<Index> selected, position;
};

// The parts of the window that the keyboard goes through, in this order.
enum class KeyPlace { Bar, Sentence, Strip, Embeddings, Weights, Picture, Text };
inline constexpr int kKeyPlaces = 7;

struct WorkbenchState;

// What is to be done once the file that was just asked for is open; forgotten if another one is opened.
struct AfterOpening {
  std::function<void(UiContext&, WorkbenchState&)> run;  // empty: nothing
  std::filesystem::path path;                            // WindowMemory::last once it is open; empty: New
  std::uint64_t opening = 0;                             // Document::opening() when it was asked for
};

struct WorkbenchState {
  InputsPanelState inputs;
  ModelPanelState model;
  CheckpointBarState checkpoints;
  SentenceLineState line;
  SetTableState set_table;
  PipelinePanelState strip;
  StagesPanelState stages;
  LearningPanelState learning;
  WindowMemory memory;
  bool show_start = false;  // the start screen replaces everything else
  StartScreenState start;
  bool from_start = false;  // the start screen was shown in the last frame
  Arrival arrival;
  bool opened = false;  // there is a session behind the start screen that the user has opened
  AfterOpening after_opening;
  bool presenting = false;  // only the step's text and the picture, in large type
  bool dark = false;        // and for a while nothing
  bool show_keys = false;
  bool show_manual = false;
  ManualWindowState manual;
  bool show_head_table = false;
  PaletteState palette;
  TextDialogState text;
  OverwriteDialogState overwrite;
  InterventionDialogState intervention;
  TrainDialogState train;
  LessonPanelState lesson;
  InspectorState inspector;
  DerivationCardState card;
  Rect picture_at;               // the panel of the picture while a lesson is read
  std::uint64_t folds_of = 0;    // Document::opening() that the folds of the inputs belong to
  std::uint64_t choices_of = 0;  // and the choices for pages and pictures
  bool chosen_in_lesson = false;
  RestingPointer resting_pointer;
  int side_tab = 0;  // of a narrow window: inputs, inspector, lesson
  Message message;
  FocusRing focus;
  std::optional<KeyPlace> key_place;       // that the keyboard was brought to last
  std::optional<std::size_t> played_step;  // of a walk, whose motion has begun
  double edit_to_picture_ms = 0;           // of the last change
  float popup_seconds = 0;                 // since a popup opened, while the window behind it dims
};

// Draws one frame. The window's keys (Ctrl+Z, Ctrl+S, ...) are handled here.
void workbench(UiContext& ui, WorkbenchState& state);

// Parts that a lesson while it is read shares with the workbench: the inputs, which are the text of a whole
// model and the numbers of the shown layer, or one of them if both do not fit; and the pipeline strip at
// `at`, `size.x` wide in a window of height `size.y`, with the edge below it to drag, which returns the top
// of what stands below it.
void inputs_side(UiContext& ui, WorkbenchState& state);
// The height that this side needs of an open model in a lesson that does not ask for its text; else all is
// used.
std::optional<float> model_side_height(const UiContext& ui, const WorkbenchState& state);
float strip_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size);
// A lesson while it is read: its text, the picture and what the step names, in the window between the bar at
// the top and the bar at the bottom.
void reading_view(UiContext& ui, WorkbenchState& state, const Rect& content);
// In the presenter's view: the column of its text with what the step names, and above the picture what its
// question supposes, which returns its bottom.
void presented_column(UiContext& ui, WorkbenchState& state, const Rect& place);
float presented_chip(UiContext& ui, WorkbenchState& state, ImVec2 at, float width);

// Parts in other files.
void top_bar(UiContext& ui, WorkbenchState& state);
float bar_height(const Theme& theme);
void status_bar(UiContext& ui, WorkbenchState& state);
void message_line(UiContext& ui, WorkbenchState& state);
// Draws a message with `over_dialog` in front of the open dialog.
void message_over_dialog(const UiContext& ui, const Message& message);
// Draws the presenter's view instead of the bars and panels.
void presenter(UiContext& ui, WorkbenchState& state, ImVec2 window);
// By how much text is larger while presenting, in a window of this width at scale 1. Legible from the last
// row when a screen-wide window is projected on a wall, where a narrow one has larger pixels.
float presented_type(float width);
void begin_presenting(WorkbenchState& state);  // with the beginning of the step's text
void end_presenting(WorkbenchState& state);
// The height of the lines of an error above the status bar; 0 without one.
float message_height(const UiContext& ui, const WorkbenchState& state);
// The height of the status bar, with the lines of an error above it.
float status_height(const UiContext& ui, const WorkbenchState& state);
// Draws the manual and the key sheet while they are shown.
void help_windows(UiContext& ui, WorkbenchState& state);
// Draws the start screen instead of the panels, with the dialogs that can be opened over it.
void start_view(UiContext& ui, WorkbenchState& state);
// Carries out the choices of the start screen that require the opened session.
void begin_opened(UiContext& ui, WorkbenchState& state);
// Requests the frames in which Dear ImGui dims the window behind a dialog.
void keep_dimming(UiContext& ui, WorkbenchState& state);
// Begins the motion of the step that a walk has come to. Call after follow_guide.
void play_step_of_walk(UiContext& ui, WorkbenchState& state);
void window_keys(UiContext& ui, WorkbenchState& state);

// The file name of the session; without a file "lesson" or "new session".
std::string session_name(const Document& document);

}  // namespace headlight
