#include "app/ui/frame/action_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/ui/frame/keyboard_reach.h"
#include "app/ui/frame/workbench.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/picture/zoom_actions.h"
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
  start_walk(ui, state.guide);
}

void keep_as_a(UiContext& ui, WorkbenchState& state) {
  constexpr double kGoodNewsSeconds = 8;
  keep_state(ui);
  if (ui.view.focus_view == FocusView::Compare) return;
  state.message = {"Kept as A. The view “compare” shows it beside what you go on to change (" +
                       action_keys(action_entry("view_compare")) + ")",
                   false, ImGui::GetTime() + kGoodNewsSeconds};
}

bool is_kept(const UiContext& ui) {
  return ui.view.kept.model != nullptr;
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

KeyChord ctrl(Key key) {
  return {key, true, false, false, true};
}
KeyChord ctrl_shift(Key key) {
  return {key, true, true, false, true};
}
// Of the text itself while one types.
KeyChord outside_text(KeyChord chord) {
  chord.repeats = true;
  chord.while_typing = false;
  return chord;
}
KeyChord alone(Key key) {
  return {key, false, false, false, true};
}
KeyChord alt(Key key) {
  return {key, false, false, false, true, true};
}

std::vector<ActionEntry> make_table() {
  constexpr std::string_view kSession = "Session", kEdit = "Editing", kView = "View", kLesson = "Lessons",
                             kHelp = "Finding things";
  return {
      {"new",
       kSession,
       "New session",
       "Start with six tokens of three numbers",
       {ctrl(Key::N)},
       act<Action::New>},
      {"open", kSession, "Open…", "Open a session file", {ctrl(Key::O)}, act<Action::Open>},
      {"open_arrays",
       kSession,
       "Open array file…",
       "Bring arrays of a .npy, .npz, .safetensors, .csv or .tsv file into the session",
       {ctrl_shift(Key::O)},
       act<Action::OpenArrays>},
      {"save", kSession, "Save", "Save the session", {ctrl(Key::S)}, act<Action::Save>},
      {"save_as",
       kSession,
       "Save as…",
       "Save the session under another name",
       {ctrl_shift(Key::S)},
       act<Action::SaveAs>},
      {"export",
       kSession,
       "Export…",
       "Save the picture or its numbers: PNG, SVG, PDF, CSV, NumPy, LaTeX and more",
       {ctrl(Key::E)},
       act_on_stage<Action::ExportStage>},
      {"copy_picture",
       kSession,
       "Copy picture",
       "The large picture to the clipboard, as it was last exported",
       {},
       act_on_stage<Action::CopyPicture>},
      {"copy_tsv",
       kSession,
       "Copy as TSV",
       "The numbers of the large stage as a table with tabs, for a spreadsheet",
       {},
       copy_numbers<FileFormat::Tsv>},
      {"copy_csv",
       kSession,
       "Copy as CSV",
       "The numbers of the large stage as a table with commas",
       {},
       copy_numbers<FileFormat::Csv>},
      {"copy_latex",
       kSession,
       "Copy as LaTeX",
       "The numbers of the large stage as a table for a paper",
       {},
       copy_numbers<FileFormat::Latex>},
      {"copy_markdown",
       kSession,
       "Copy as Markdown",
       "The numbers of the large stage as a table for notes",
       {},
       copy_numbers<FileFormat::Markdown>},
      {"copy_pytorch",
       kSession,
       "Copy as PyTorch",
       "A program that rebuilds this state and prints the large stage",
       {},
       act_on_stage<Action::CopyPyTorch>},
      {"copy_numpy",
       kSession,
       "Copy as NumPy",
       "The same without PyTorch: weights and dropout written out",
       {},
       act_on_stage<Action::CopyNumPy>},
      {"quit", kSession, "Quit", "Leave; asks when changes are not saved", {ctrl(Key::Q)}, act<Action::Quit>},
      {"text",
       kEdit,
       "Tokens from text…",
       "Replace the tokens by the words of a sentence",
       {},
       [](UiContext& ui, WorkbenchState& state) { open_text_dialog(state.text, ui.model()); }},
      {"undo",
       kEdit,
       "Undo",
       "Take the last change back",
       {outside_text(ctrl(Key::Z))},
       act<Action::Undo>,
       can_undo},
      {"redo",
       kEdit,
       "Redo",
       "Make the change again that was taken back",
       {outside_text(ctrl_shift(Key::Z)), outside_text(ctrl(Key::Y))},
       act<Action::Redo>,
       can_redo},
      {"palette",
       kHelp,
       "Commands…",
       "Every action, setting, lesson and stage by name",
       {ctrl(Key::P)},
       [](UiContext&, WorkbenchState& state) { open_palette(state.palette, PaletteKind::Everything); }},
      {"keys",
       kHelp,
       "Keys",
       "This sheet of all keys",
       {alone(Key::F1)},
       [](UiContext&, WorkbenchState& state) { state.show_keys = true; }},
      {"find_token",
       kHelp,
       "Find a token…",
       "A token by its text or its number: its embedding and its row are selected",
       {ctrl(Key::F)},
       [](UiContext&, WorkbenchState& state) { open_palette(state.palette, PaletteKind::Tokens); }},
      {"start",
       kHelp,
       "Start screen",
       "All lessons, chapter by chapter",
       {ctrl(Key::L)},
       act<Action::ShowStart>},
      {"lesson.next",
       kLesson,
       "Next step",
       "Go on in the lesson or the walk",
       {alt(Key::PageDown)},
       [](UiContext& ui, WorkbenchState& state) { go_by_steps(ui, state.guide, 1); },
       guided},
      {"lesson.back",
       kLesson,
       "Previous step",
       "Go back in the lesson or the walk",
       {alt(Key::PageUp)},
       [](UiContext& ui, WorkbenchState& state) { go_by_steps(ui, state.guide, -1); },
       guided},
      {"lesson.restore",
       kLesson,
       "Restore the lesson",
       "Bring the lesson's own inputs and settings back; undo takes that back",
       {},
       [](UiContext& ui, WorkbenchState& state) { restore_lesson(ui, state.guide); },
       has_steps},
      {"walk",
       kLesson,
       "Step through",
       "One forward pass for the selected query, stage by stage",
       {},
       step_through},
      {"hint",
       kHelp,
       "First steps",
       "What there is to do, in three lines",
       {},
       [](UiContext&, WorkbenchState& state) { state.show_hint = true; }},
      {"next_place",
       kView,
       "Next place",
       "The keys go on: embeddings, weights, the large picture",
       {alone(Key::F6)},
       go_to_next_place},
      {"full_size",
       kView,
       "Full size",
       "The large picture over the whole centre, and back",
       {alone(Key::F11)},
       toggle_full_size},
      {"view_heatmap",
       kView,
       "View: heatmap",
       "The chosen stage as heatmaps",
       {alt(Key::Num1)},
       show_view<FocusView::Heatmap>},
      {"view_flow",
       kView,
       "View: flow",
       "Weights as lines from queries to keys",
       {alt(Key::Num2)},
       show_view<FocusView::Flow>},
      {"view_row",
       kView,
       "View: row",
       "One query's way through the stages, as bars",
       {alt(Key::Num3)},
       show_view<FocusView::Row>},
      {"view_vectors",
       kView,
       "View: vectors",
       "Tokens as points in the plane, with arrows for what attention moved",
       {alt(Key::Num4)},
       show_view<FocusView::Vectors>},
      {"by_head",
       kView,
       "Output by head",
       "What each head adds to the output, and the output whole again",
       {},
       [](UiContext& ui, WorkbenchState& state) {
         const bool shown = state.stages.by_head && ui.view.focused_stage == Stage::Output;
         state.stages.by_head = !shown;
         ui.view.focused_stage = Stage::Output;
         if (ui.view.opened_stage) ui.view.opened_stage = Stage::Output;
         ui.view.focus_view = FocusView::Heatmap;
       },
       [](const UiContext& ui) { return ui.model().head_count() > 1; }},
      {"view_compare",
       kView,
       "View: compare",
       "Compare: a kept state beside the present one, and what changed",
       {alt(Key::Num5)},
       show_view<FocusView::Compare>},
      {"compare_keep",
       kView,
       "Keep as A",
       "Keep the present state, to compare what comes with it",
       {ctrl(Key::K)},
       keep_as_a},
      {"compare_restore",
       kView,
       "Swap A and B",
       "Go back to A as one undo step; the present state is kept as A instead",
       {},
       [](UiContext& ui, WorkbenchState&) { swap_states(ui); },
       is_kept},
      {"compare_forget",
       kView,
       "Forget A",
       "Keep no state to compare with",
       {},
       [](UiContext& ui, WorkbenchState&) { forget_state(ui); },
       is_kept},
      {"colours",
       kView,
       "Colours…",
       "Colour map, range and decimals of the large picture",
       {},
       [](UiContext&, WorkbenchState& state) { state.stages.colors.asked = true; }},
      {"toggle_theme", kView, "Light or dark", "Switch between the dark and the light look", {}, toggle_look},
      {"larger",
       kView,
       "Larger text",
       "Everything in the window larger",
       {ctrl(Key::Plus)},
       step_text_size<1>},
      {"smaller",
       kView,
       "Smaller text",
       "Everything in the window smaller",
       {ctrl(Key::Minus)},
       step_text_size<-1>},
      {"usual_size",
       kView,
       "Usual text size",
       "Everything as large as the screen asks for",
       {ctrl(Key::Num0)},
       [](UiContext& ui, WorkbenchState&) { ui.preferences.text_scale = 1; }},
  };
}

}  // namespace

const std::vector<ActionEntry>& action_table() {
  static const std::vector<ActionEntry> table = [] {
    std::vector<ActionEntry> all = make_table();
    for (ActionEntry& entry : zoom_actions())
      all.push_back(std::move(entry));
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

std::string action_keys(const ActionEntry& entry) {
  return entry.chords.empty() ? std::string() : chord_text(entry.chords.front());
}

std::string action_tip(std::string_view id) {
  const ActionEntry& entry = action_entry(id);
  const std::string keys = action_keys(entry);
  return std::string(entry.what) + (keys.empty() ? "" : " (" + keys + ")");
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
