#include "app/ui/main_window/action_table.h"

#include <algorithm>
#include <stdexcept>

#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/main_window/keyboard_reach.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/views/compare_view.h"

namespace headlight {
namespace {

template <Action what>
void act(UiContext& ui, WorkbenchState&) {
  ui.act(what);
}

// Of the stage that is shown at large.
template <Action what>
void act_on_stage(UiContext& ui, WorkbenchState&) {
  ui.actions.push_back({what, {}, ui.view.opened_stage.value_or(ui.view.focused_stage)});
}

// The numbers of that stage: of the chosen head, or of all.
template <FileFormat format>
void copy_numbers(UiContext& ui, WorkbenchState&) {
  ui.actions.push_back(
      {Action::CopyNumbers, {}, ui.view.opened_stage.value_or(ui.view.focused_stage), format});
}

void toggle_look(UiContext& ui, WorkbenchState&) {
  ui.preferences.look = ui.theme.kind == ThemeKind::Dark ? Look::Light : Look::Dark;
}

template <int steps>
void step_text_size(UiContext& ui, WorkbenchState&) {
  ui.preferences.text_scale = stepped_text_scale(ui.preferences.text_scale, steps);
}

void toggle_full_size(UiContext& ui, WorkbenchState&) {
  ui.view.opened_stage = ui.view.opened_stage ? std::nullopt : std::optional<Stage>(ui.view.focused_stage);
}

template <FocusView view>
void show_view(UiContext& ui, WorkbenchState&) {
  ui.view.focus_view = view;
}

void step_through(UiContext& ui, WorkbenchState& state) {
  state.side_tab = 2;
  start_walk(ui, state.lesson.guide);
}

void keep_as_a(UiContext& ui, WorkbenchState& state) {
  constexpr double kGoodNewsSeconds = 8;
  keep_state(ui);
  if (ui.view.focus_view == FocusView::Compare) return;
  state.message = {"Kept as A. The view “compare” shows it beside what you go on to change (" +
                       action_keys(action_info("view_compare")) + ")",
                   false, ImGui::GetTime() + kGoodNewsSeconds};
}

bool is_kept(const UiContext& ui) {
  return ui.view.kept.model != nullptr;
}
bool has_heads(const UiContext& ui) {
  return ui.model().head_count() > 1;
}
bool can_undo(const UiContext& ui) {
  return ui.document.can_undo();
}
bool can_redo(const UiContext& ui) {
  return ui.document.can_redo();
}

bool has_steps(const UiContext& ui) {
  return ui.document.session().lesson && !ui.document.session().lesson->steps.empty();
}
bool guided(const UiContext& ui) {
  return has_steps(ui) || ui.view.walking;
}

bool has_model(const UiContext& ui) {
  return ui.view.model.work != nullptr;
}

bool has_layers(const UiContext& ui) {
  return ui.view.layers.count > 1;
}

template <int steps>
void step_layer(UiContext& ui, WorkbenchState&) {
  LayersView& layers = ui.view.layers;
  const auto last = static_cast<std::ptrdiff_t>(layers.count) - 1;
  const auto at = static_cast<std::ptrdiff_t>(layers.at) + steps;
  layers.asked = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, last));
}

constexpr double kStepsOfKey = 2;  // of the wheel

struct ActionRun {
  std::string_view id;
  void (*run)(UiContext& ui, WorkbenchState& state);
  bool (*possible)(const UiContext& ui) = nullptr;
};

// In the large picture.
std::vector<ActionRun> picture_runs() {
  return {
      {"zoom_in", [](UiContext& ui, WorkbenchState&) { zoom_by_steps(ui, kStepsOfKey); }, can_zoom_large},
      {"zoom_out", [](UiContext& ui, WorkbenchState&) { zoom_by_steps(ui, -kStepsOfKey); }, is_large_zoomed},
      {"zoom_all", [](UiContext& ui, WorkbenchState&) { show_everything(ui); }, is_large_zoomed},
      {"overwrite", [](UiContext& ui, WorkbenchState&) { ask_to_overwrite(ui); }, can_overwrite},
      {"zoom_selection", [](UiContext& ui, WorkbenchState&) { zoom_to_selection(ui); },
       can_zoom_to_selection}};
}

std::vector<ActionRun> make_runs() {
  return {{"new", act<Action::New>},
          {"open", act<Action::Open>},
          {"open_arrays", act<Action::OpenArrays>},
          {"open_model", act<Action::OpenModel>},
          {"save", act<Action::Save>},
          {"save_as", act<Action::SaveAs>},
          {"kept", act<Action::ShowRecovered>},
          {"export", act_on_stage<Action::ExportStage>},
          {"copy_picture", act_on_stage<Action::CopyPicture>},
          {"copy_tsv", copy_numbers<FileFormat::Tsv>},
          {"copy_csv", copy_numbers<FileFormat::Csv>},
          {"copy_latex", copy_numbers<FileFormat::Latex>},
          {"copy_markdown", copy_numbers<FileFormat::Markdown>},
          {"copy_pytorch", act_on_stage<Action::CopyPyTorch>},
          {"copy_numpy", act_on_stage<Action::CopyNumPy>},
          {"quit", act<Action::Quit>},
          {"text", [](UiContext& ui, WorkbenchState& state) { open_text_dialog(state.text, ui.model()); }},
          {"undo", act<Action::Undo>, can_undo},
          {"redo", act<Action::Redo>, can_redo},
          {"palette",
           [](UiContext&, WorkbenchState& state) { open_palette(state.palette, PaletteKind::Everything); }},
          {"manual", [](UiContext&, WorkbenchState& state) { state.show_manual = true; }},
          {"keys", [](UiContext&, WorkbenchState& state) { state.show_keys = true; }},
          {"find_token",
           [](UiContext&, WorkbenchState& state) { open_palette(state.palette, PaletteKind::Tokens); }},
          {"start", act<Action::ShowStart>},
          {"lesson.next",
           [](UiContext& ui, WorkbenchState& state) { go_by_steps(ui, state.lesson.guide, 1); }, guided},
          {"lesson.back",
           [](UiContext& ui, WorkbenchState& state) { go_by_steps(ui, state.lesson.guide, -1); }, guided},
          {"lesson.restore",
           [](UiContext& ui, WorkbenchState& state) { restore_lesson(ui, state.lesson.guide); }, has_steps},
          {"present", [](UiContext&, WorkbenchState& state) { state.presenting = !state.presenting; }},
          {"walk", step_through},
          {"hint", act<Action::ShowStart>},
          {"next_place", go_to_next_place},
          {"full_size", toggle_full_size},
          {"view_heatmap", show_view<FocusView::Heatmap>},
          {"view_flow", show_view<FocusView::Flow>},
          {"view_row", show_view<FocusView::Row>},
          {"view_vectors", show_view<FocusView::Vectors>},
          {"by_head",
           [](UiContext& ui, WorkbenchState& state) {
             const bool shown = state.stages.by_head && ui.view.focused_stage == Stage::Output;
             state.stages.by_head = !shown;
             ui.view.focused_stage = Stage::Output;
             if (ui.view.opened_stage) ui.view.opened_stage = Stage::Output;
             ui.view.focus_view = FocusView::Heatmap;
           },
           [](const UiContext& ui) { return ui.model().head_count() > 1; }},
          {"heads_table", [](UiContext&, WorkbenchState& state) { state.show_head_table = true; }, has_heads},
          {"view_compare", show_view<FocusView::Compare>},
          {"view_model", show_view<FocusView::Model>, has_model},
          {"layer_next", step_layer<1>, has_layers},
          {"layer_back", step_layer<-1>, has_layers},
          {"compare_keep", keep_as_a},
          {"compare_restore", [](UiContext& ui, WorkbenchState&) { swap_states(ui); }, is_kept},
          {"compare_forget", [](UiContext& ui, WorkbenchState&) { forget_state(ui); }, is_kept},
          {"colours", [](UiContext&, WorkbenchState& state) { state.stages.colors.asked = true; }},
          {"toggle_theme", toggle_look},
          {"larger", step_text_size<1>},
          {"smaller", step_text_size<-1>},
          {"usual_size", [](UiContext& ui, WorkbenchState&) { ui.preferences.text_scale = 1; }}};
}

}  // namespace

const std::vector<ActionEntry>& action_table() {
  static const std::vector<ActionEntry> table = [] {
    std::vector<ActionRun> runs = make_runs();
    const std::vector<ActionRun> of_picture = picture_runs();
    runs.insert(runs.end(), of_picture.begin(), of_picture.end());
    std::vector<ActionEntry> all;
    for (const ActionInfo& info : action_infos()) {
      const auto found =
          std::find_if(runs.begin(), runs.end(), [&](const ActionRun& run) { return run.id == info.id; });
      if (found == runs.end()) throw std::logic_error("nothing to run for " + std::string(info.id));
      all.push_back({info, found->run, found->possible});
    }
    return all;
  }();
  return table;
}

const ActionEntry& action_entry(std::string_view id) {
  const auto found = std::find_if(action_table().begin(), action_table().end(),
                                  [id](const ActionEntry& entry) { return entry.id == id; });
  if (found == action_table().end()) throw std::logic_error("no action " + std::string(id));
  return *found;
}

bool action_possible(const ActionEntry& entry, const UiContext& ui) {
  return !entry.possible || entry.possible(ui);
}

void run_pressed_action(UiContext& ui, WorkbenchState& state) {
  for (const ActionEntry& entry : action_table()) {
    const bool asked = std::any_of(entry.chords.begin(), entry.chords.end(), chord_pressed);
    if (!asked || !action_possible(entry, ui) || (entry.of_picture && !picture_has_keys(ui))) continue;
    entry.run(ui, state);
    return;
  }
}

}  // namespace headlight
