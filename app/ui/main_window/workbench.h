// The whole window: bars above and below, inputs, stages and inspector between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/settings/preferences.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/dialogs/text_dialog.h"
#include "app/ui/inputs/inputs_panel.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/lesson/lesson_panel.h"
#include "app/ui/lesson/start_screen.h"
#include "app/ui/main_window/palette.h"
#include "app/ui/manual/manual_window.h"
#include "app/ui/model/model_panel.h"
#include "app/ui/model/overwrite_dialog.h"
#include "app/ui/pipeline/pipeline_panel.h"
#include "app/ui/stages/stages_panel.h"
#include "app/ui/widgets/focus_ring.h"

namespace headlight {

// A line to the person: what happened, or what is wrong and how to mend it. It stays until the next one,
// until it is closed, or - when it is good news - for some seconds.
struct Message {
  std::string text;
  bool is_error = false;
  double until_seconds = 0;  // on ImGui's clock; 0: until closed
  bool over_dialog = false;  // it came while a dialog was open, which would hide it
};

struct WorkbenchState {
  InputsPanelState inputs;
  ModelPanelState model;
  PipelinePanelState strip;
  StagesPanelState stages;
  WindowMemory memory;
  bool show_start = false;  // the start screen stands in place of everything else
  StartScreenState start;
  bool presenting = false;  // the step's words and the picture, large, and nothing else
  bool show_keys = false;
  bool show_manual = false;
  ManualWindowState manual;
  bool show_head_table = false;
  PaletteState palette;
  TextDialogState text;
  OverwriteDialogState overwrite;
  LessonPanelState lesson;
  InspectorState inspector;
  int side_tab = 0;  // of a narrow window: inputs, inspector, lesson
  Message message;
  FocusRing focus;
  double edit_to_picture_ms = 0;  // of the last change
  float popup_seconds = 0;        // since a popup opened: the window behind it dims meanwhile
};

// Draws one frame. The window's keys (Ctrl+Z, Ctrl+S, ...) are handled here.
void workbench(UiContext& ui, WorkbenchState& state);

// Parts with files of their own.
void top_bar(UiContext& ui, WorkbenchState& state);
void status_bar(UiContext& ui, WorkbenchState& state);
void message_line(UiContext& ui, WorkbenchState& state);
// One that came while a dialog was open, in front of it, as long as one is.
void message_over_dialog(const UiContext& ui, const Message& message);
// In place of the bars and panels.
void presenter(UiContext& ui, WorkbenchState& state, ImVec2 window);
// Of the bar at the bottom, with the lines of an error above it.
float status_height(const UiContext& ui, const WorkbenchState& state);
// The manual and the sheet of keys, while they are shown.
void help_windows(UiContext& ui, WorkbenchState& state);
// The start screen with what may be opened over it, in place of the panels.
void start_view(UiContext& ui, WorkbenchState& state);
// What was asked for on the start screen and waits for the session that has been opened.
void begin_opened(UiContext& ui, WorkbenchState& state);
// Dear ImGui dims the window behind a dialog over some frames, which nothing else would ask for.
void keep_dimming(UiContext& ui, WorkbenchState& state);
void window_keys(UiContext& ui, WorkbenchState& state);

// The first line of the session's place: its file name, or "not saved yet".
std::string session_name(const Document& document);

}  // namespace headlight
