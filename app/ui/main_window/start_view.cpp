// The start screen, with the dialogs and keys that also work there.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/lesson_progress.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/key_sheet.h"
#include "app/ui/main_window/top_bar_parts.h"
#include "app/ui/main_window/workbench.h"

namespace headlight {
namespace {

bool anything_open() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

void leave_start(WorkbenchState& state) {
  state.show_start = false;
  state.memory.hint_seen = true;
}

// Arrays and words go into a session of their own, never into the one behind the start screen, whose changes
// are asked about first.
void fill_new_session(UiContext& ui, WorkbenchState& state, StartChoice choice) {
  const auto fill = [choice](UiContext& now, WorkbenchState& workbench) {
    if (choice == StartChoice::Arrays)
      now.act(Action::OpenArrays);
    else
      open_text_dialog(workbench.text, now.layer());
  };
  state.after_opening = {fill, {}, ui.document.opening()};
  ui.act(Action::New);
}

// What a reader chose for the pages and pictures of what was open is not carried into a lesson, whose texts
// and pictures are its own, nor out of one.
void end_choices(UiContext& ui, WorkbenchState& state) {
  if (std::exchange(state.choices_of, ui.document.opening()) == ui.document.opening()) return;
  const bool reads = ui.document.session().lesson.has_value();
  if (!std::exchange(state.chosen_in_lesson, reads) && !reads) return;
  state.stages.model.measure.reset();
  state.stages.model.sorted = state.stages.by_head = state.strip.unfolded = false;
  state.stages.vectors = {};
  state.checkpoints = {};
}

StartChoice draw_start(UiContext& ui, WorkbenchState& state) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("start screen", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar(2);
  if (!state.message.is_error) message_line(ui, state);  // ends it after a while
  start_bar(ui, state);
  const StartChoice choice = start_screen(
      ui, state.start,
      {state.lesson.entries, state.memory, state.message.is_error ? state.message.text : "",
       state.message.is_error ? "" : state.message.text,
       state.opened ? std::optional(ui.document.session().title) : std::nullopt, bar_height(ui.theme)});
  ImGui::End();
  return choice;
}

}  // namespace

void start_view(UiContext& ui, WorkbenchState& state) {
  ui.view.lesson.fading = false;
  state.from_start = true;
  const StartChoice choice = draw_start(ui, state);
  if (choice == StartChoice::Arrays || choice == StartChoice::Sentence) fill_new_session(ui, state, choice);
  if (choice == StartChoice::Close) {
    leave_start(state);
    state.start.continue_at.reset();
    state.message = {};
  }
  help_windows(ui, state);
  palette(ui, state);
  train_dialog(ui, state.train);
  message_over_dialog(ui, state.message);
  keep_dimming(ui, state);
  if (!anything_open()) run_pressed_action(ui, state);
}

bool works_on_start(const ActionEntry& entry) {
  constexpr std::string_view kThere[] = {"new",          "open",   "open_arrays",  "open_model",
                                         "train_model",  "kept",   "save_picture", "quit",
                                         "palette",      "manual", "keys",         "start",
                                         "toggle_theme", "larger", "smaller",      "usual_size"};
  return std::find(std::begin(kThere), std::end(kThere), entry.id) != std::end(kThere);
}

void begin_opened(UiContext& ui, WorkbenchState& state) {
  end_choices(ui, state);
  if (const auto step = std::exchange(state.start.continue_at, std::nullopt))
    go_to_step(state.lesson.guide, *step);
  if (state.after_opening.run && state.after_opening.opening != ui.document.opening()) {
    const AfterOpening due = std::exchange(state.after_opening, {});
    if (due.path == state.memory.last) due.run(ui, state);
  }
  note_lesson(ui, state.lesson.entries, state.lesson.guide, state.memory);
}

}  // namespace headlight
