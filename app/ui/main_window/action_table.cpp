#include "app/ui/main_window/action_table.h"

#include <algorithm>
#include <stdexcept>

#include "app/ui/context/intervening.h"
#include "app/ui/context/score_question.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/main_window/keyboard_navigation.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/views/compare_view.h"
#include "app/ui/views/motion_player.h"

namespace headlight {
namespace {

KeyChord ctrl(Key key) {
  return {key, true, false, false, true};
}
KeyChord ctrl_shift(Key key) {
  return {key, true, true, false, true};
}
// Does not fire while a text field has the keyboard: the field handles these keys itself.
KeyChord outside_text(KeyChord chord) {
  chord.repeats = true;
  chord.while_typing = false;
  return chord;
}
KeyChord alone(Key key) {
  return {key, false, false, false, true};
}
KeyChord shifted(Key key) {
  return {key, false, true, false, true};
}
KeyChord alt(Key key) {
  return {key, false, false, false, true, true};
}

template <Action what>
void act(UiContext& ui, WorkbenchState&) {
  ui.act(what);
}

// Acts on the stage that is drawn large.
template <Action what>
void act_on_stage(UiContext& ui, WorkbenchState&) {
  ui.actions.push_back({what, {}, ui.view.opened_stage.value_or(ui.view.focused_stage)});
}

// Copies the numbers of that stage: those of the chosen head, or of all heads.
template <FileFormat format>
void copy_numbers(UiContext& ui, WorkbenchState&) {
  ui.actions.push_back(
      {Action::CopyNumbers, {}, ui.view.opened_stage.value_or(ui.view.focused_stage), format});
}

// A view that has no figure of its own is saved as it is on screen.
void save_picture(UiContext& ui, WorkbenchState& state) {
  if (state.show_start) return ui.act(Action::SaveSentence);
  const FocusView view = ui.view.focus_view;
  const Stage stage = ui.view.opened_stage.value_or(ui.view.focused_stage);
  const bool by_head = view == FocusView::Heatmap && stage == Stage::Output && state.stages.by_head;
  const bool figure = view != FocusView::Vectors && view != FocusView::Model && !by_head;
  ui.actions.push_back({figure ? Action::SavePicture : Action::SaveWindowPicture, {}, stage});
}

bool can_animate(const UiContext& ui) {
  return can_play(ui) || shows_way(ui);
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

void keep_state(UiContext& ui, WorkbenchState& state) {
  constexpr double kGoodNewsSeconds = 8;
  set_baseline(ui);
  if (ui.view.focus_view == FocusView::Compare) return;
  state.message = {"Kept. The view “compare” shows this state beside what you go on to change (" +
                       action_keys(action_entry("view_compare")) + ")",
                   false, ImGui::GetTime() + kGoodNewsSeconds};
}

// Where a ring is around a control, Space presses that control.
void play(UiContext& ui, WorkbenchState& state) {
  const bool pressed = key_down(Key::Space);
  if (pressed && (state.focus.shown || state.presenting)) return;
  play_or_pause(ui, state.stages.motion);
}

bool is_kept(const UiContext& ui) {
  return ui.view.baseline.layer != nullptr;
}
bool has_heads(const UiContext& ui) {
  return ui.layer().head_count() > 1;
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
  return has_steps(ui) || ui.view.lesson.walking;
}

bool has_model(const UiContext& ui) {
  return ui.view.model.work != nullptr;
}

bool reads_texts(const UiContext& ui) {
  return has_model(ui) && !ui.view.model.work->image;
}

bool shows_image(const UiContext& ui) {
  return has_model(ui) && ui.view.model.work->image;
}

bool is_one_layer(const UiContext& ui) {
  return !ui.view.model.work;
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

constexpr double kStepsOfKey = 2;  // steps of the mouse wheel per key press

using Run = void (*)(UiContext& ui, WorkbenchState& state);
using Possible = bool (*)(const UiContext& ui);

ActionEntry of_picture(std::string_view id, std::string_view name, std::string_view what, KeyChord chord,
                       Run run, Possible possible) {
  return {{id, "In the large picture", name, what, {outside_text(chord)}, true}, run, possible};
}

std::vector<ActionEntry> session_actions() {
  constexpr std::string_view kSession = "Session";
  return {{{"new", kSession, "New session", "Start with six tokens of three numbers", {ctrl(Key::N)}},
           act<Action::New>},
          {{"open", kSession, "Open…", "Open a session file", {ctrl(Key::O)}}, act<Action::Open>},
          {{"open_arrays",
            kSession,
            "Open array file…",
            "Bring arrays of a .npy, .npz, .safetensors, .csv or .tsv file into the session",
            {ctrl_shift(Key::O)}},
           act<Action::OpenArrays>},
          {{"open_model",
            kSession,
            "Open model folder…",
            "Open a whole model: a folder with config.json, its weights and its tokenizer, or a GGUF file",
            {}},
           act<Action::OpenModel>},
          {{"open_image",
            kSession,
            "Open image…",
            "Show another image to the open model of images: a PNG or JPEG picture, or a .npy array",
            {}},
           act<Action::ChooseImage>,
           shows_image},
          {{"open_set",
            kSession,
            "Open data set…",
            "Open a table of texts beside the model's: texts A and B, targets and named tokens, a row each",
            {}},
           act<Action::ChooseDataSet>,
           reads_texts},
          {{"train_model",
            kSession,
            "Train a model…",
            "Train the open model, or a new small one, on a text: its checkpoints are saved and shown",
            {}},
           [](UiContext& ui, WorkbenchState&) { ui.view.model.training.dialog_asked = true; }},
          {{"save", kSession, "Save", "Save the session", {ctrl(Key::S)}}, act<Action::Save>},
          {{"save_as", kSession, "Save as…", "Save the session under another name", {ctrl_shift(Key::S)}},
           act<Action::SaveAs>},
          {{"kept",
            kSession,
            "Kept sessions…",
            "What was not saved when a program ended: recover it, look at it or discard it",
            {}},
           act<Action::ShowRecovered>}};
}

std::vector<ActionEntry> sharing_actions() {
  constexpr std::string_view kSession = "Session";
  return {{{"export",
            kSession,
            "Export…",
            "Save the picture or its numbers: PNG, SVG, PDF, CSV, NumPy, LaTeX and more",
            {ctrl(Key::E)}},
           act_on_stage<Action::ExportStage>},
          {{"save_picture",
            kSession,
            "Save picture…",
            "Save what the large picture shows: PNG, PDF or SVG, as it was last",
            {ctrl_shift(Key::E)}},
           save_picture},
          {{"save_page",
            kSession,
            "Page…",
            "Save the session as one HTML file that shows and computes it in any browser, to be sent",
            {}},
           act<Action::SavePage>},
          {{"save_animation",
            kSession,
            "Animation…",
            "Save how the cell is computed, as Play shows it, or of Compare the way from kept to now: GIF or "
            "WebP",
            {}},
           act<Action::SaveAnimation>,
           can_animate},
          {{"save_bundle",
            kSession,
            "Bundle…",
            "Save the session with its model and report as one file that opens on another machine",
            {}},
           act<Action::SaveBundle>},
          {{"add_to_report",
            kSession,
            "Add to report",
            "Put the large picture into the report beside the session, with what it is of",
            {}},
           act_on_stage<Action::AddToReport>},
          {{"report",
            kSession,
            "Report…",
            "The report beside the session: edit it, save it as a page or PDF",
            {}},
           act<Action::ShowReport>}};
}

std::vector<ActionEntry> copy_actions() {
  constexpr std::string_view kSession = "Session";
  return {
      {{"copy_picture",
        kSession,
        "Copy picture",
        "The large picture to the clipboard, as it was last exported",
        {}},
       act_on_stage<Action::CopyPicture>},
      {{"copy_tsv",
        kSession,
        "Copy as TSV",
        "The numbers of the large stage as a table with tabs, for a spreadsheet",
        {}},
       copy_numbers<FileFormat::Tsv>},
      {{"copy_csv", kSession, "Copy as CSV", "The numbers of the large stage as a table with commas", {}},
       copy_numbers<FileFormat::Csv>},
      {{"copy_latex", kSession, "Copy as LaTeX", "The numbers of the large stage as a table for a paper", {}},
       copy_numbers<FileFormat::Latex>},
      {{"copy_markdown",
        kSession,
        "Copy as Markdown",
        "The numbers of the large stage as a table for notes",
        {}},
       copy_numbers<FileFormat::Markdown>},
      {{"copy_pytorch",
        kSession,
        "Copy as PyTorch",
        "A program that rebuilds this state and prints the large stage",
        {}},
       act_on_stage<Action::CopyPyTorch>},
      {{"copy_command",
        kSession,
        "Copy as command",
        "The command line that saves the numbers of the large stage",
        {}},
       act_on_stage<Action::CopyCommand>},
      {{"copy_numpy",
        kSession,
        "Copy as NumPy",
        "The same without PyTorch: weights and dropout written out",
        {}},
       act_on_stage<Action::CopyNumPy>},
      {{"quit", kSession, "Quit", "Leave; asks when changes are not saved", {ctrl(Key::Q)}},
       act<Action::Quit>}};
}

std::vector<ActionEntry> editing_actions() {
  constexpr std::string_view kEdit = "Editing";
  return {{{"text", kEdit, "Tokens from text…", "Replace the tokens by the words of a sentence", {}},
           [](UiContext& ui, WorkbenchState& state) { open_text_dialog(state.text, ui.layer()); }},
          {{"undo", kEdit, "Undo", "Take the last change back", {outside_text(ctrl(Key::Z))}},
           act<Action::Undo>,
           can_undo},
          {{"redo",
            kEdit,
            "Redo",
            "Make the change again that was taken back",
            {outside_text(ctrl_shift(Key::Z)), outside_text(ctrl(Key::Y))}},
           act<Action::Redo>,
           can_redo},
          {{"leave_model",
            kEdit,
            "Layer alone",
            "Take the shown layer out of its model, to change its heads, widths and tokens",
            {}},
           [](UiContext& ui, WorkbenchState&) { ui.send(LeaveModel{}); },
           has_model}};
}

std::vector<ActionEntry> finding_actions() {
  constexpr std::string_view kHelp = "Finding things";
  return {{{"palette",
            kHelp,
            "Commands…",
            "Every action, setting, analysis, lesson and page by name",
            {ctrl(Key::K), ctrl(Key::P)}},
           [](UiContext&, WorkbenchState& state) { open_palette(state.palette, PaletteKind::Everything); }},
          {{"manual", kHelp, "Manual", "The manual, in this window", {alone(Key::F1)}},
           [](UiContext&, WorkbenchState& state) { state.show_manual = true; }},
          {{"keys", kHelp, "Keys", "This sheet of all keys", {shifted(Key::F1)}},
           [](UiContext&, WorkbenchState& state) { state.show_keys = true; }},
          {{"find_token",
            kHelp,
            "Find a token…",
            "A token by its text or its number: its embedding and its row are selected",
            {ctrl(Key::F)}},
           [](UiContext&, WorkbenchState& state) { open_palette(state.palette, PaletteKind::Tokens); }},
          {{"start",
            kHelp,
            "Start screen",
            "What may be opened, and all lessons with their pictures",
            {ctrl(Key::L)}},
           act<Action::ShowStart>},
          {{"hint", kHelp, "First steps", "What there is to do, in a line below the start screen", {}},
           act<Action::ShowStart>}};
}

std::vector<ActionEntry> lesson_actions() {
  constexpr std::string_view kLesson = "Lessons";
  return {{{"lesson.next", kLesson, "Next step", "Go on in the lesson or the walk", {alt(Key::PageDown)}},
           [](UiContext& ui, WorkbenchState& state) { go_by_steps(ui, state.lesson.guide, 1); },
           guided},
          {{"lesson.back", kLesson, "Previous step", "Go back in the lesson or the walk", {alt(Key::PageUp)}},
           [](UiContext& ui, WorkbenchState& state) { go_by_steps(ui, state.lesson.guide, -1); },
           guided},
          {{"lesson.restore",
            kLesson,
            "Restore the lesson",
            "Bring the lesson's own inputs, settings and wishes back; undo takes that back",
            {}},
           [](UiContext& ui, WorkbenchState& state) { restore_lesson(ui, state.lesson.guide); },
           has_steps},
          {{"lesson.text",
            kLesson,
            "The lesson's text",
            "Show the text of the lesson, or all panels in its place",
            {}},
           [](UiContext&, WorkbenchState& state) { state.lesson.show_notes = !state.lesson.show_notes; },
           has_steps},
          {{"lesson.answers",
            kLesson,
            "Save my answers…",
            "A file with the answers to this lesson's questions, to compare those of a class",
            {}},
           act<Action::SaveAnswers>,
           has_steps},
          {{"present",
            kLesson,
            "Present",
            "The step's words and the picture, large: Page Down or Space goes on, P plays, B is dark, F5 or "
            "Escape leaves",
            {alone(Key::F5)}},
           [](UiContext&, WorkbenchState& state) {
             (state.presenting ? end_presenting : begin_presenting)(state);
           }},
          {{"walk", kLesson, "Step through", "One forward pass for the selected query, stage by stage", {}},
           step_through}};
}

std::vector<ActionEntry> place_actions() {
  constexpr std::string_view kView = "View";
  return {{{"next_place",
            kView,
            "Next place",
            "The keyboard goes to the next part of the window",
            {alone(Key::F6)}},
           go_to_next_place},
          {{"place_before",
            kView,
            "Place before",
            "The keyboard goes back to the part before it",
            {shifted(Key::F6)}},
           go_to_place_before},
          {{"full_size",
            kView,
            "Full size",
            "The large picture over the whole centre, and back",
            {alone(Key::F11)}},
           toggle_full_size}};
}

std::vector<ActionEntry> view_actions() {
  constexpr std::string_view kView = "View";
  return {
      {{"view_heatmap", kView, "View: heatmap", "The chosen stage as heatmaps", {alt(Key::Num1)}},
       show_view<FocusView::Heatmap>},
      {{"view_flow", kView, "View: flow", "Weights as lines from queries to keys", {alt(Key::Num2)}},
       show_view<FocusView::Flow>},
      {{"view_row", kView, "View: row", "One query's way through the stages, as bars", {alt(Key::Num3)}},
       show_view<FocusView::Row>},
      {{"view_vectors",
        kView,
        "View: vectors",
        "Tokens as points in the plane, with arrows for what attention moved",
        {alt(Key::Num4)}},
       show_view<FocusView::Vectors>},
      {{"by_head",
        kView,
        "Output by head",
        "What each head adds to the output, and the output whole again",
        {}},
       [](UiContext& ui, WorkbenchState& state) {
         const bool shown = state.stages.by_head && ui.view.focused_stage == Stage::Output;
         state.stages.by_head = !shown;
         ui.view.focused_stage = Stage::Output;
         if (ui.view.opened_stage) ui.view.opened_stage = Stage::Output;
         ui.view.focus_view = FocusView::Heatmap;
       },
       [](const UiContext& ui) { return ui.layer().head_count() > 1; }},
      {{"heads_table", kView, "Table of heads…", "All heads and their measures, to sort and to save", {}},
       [](UiContext&, WorkbenchState& state) { state.show_head_table = true; },
       has_heads},
      {{"diagram",
        kView,
        "Diagram of the layer",
        "The layer as a diagram, or as a line of words",
        {alt(Key::S)}},
       [](UiContext&, WorkbenchState& state) { state.strip.toggled = true; },
       [](const UiContext& ui) { return !ui.view.offered.few; }},
      {{"step_code",
        kView,
        "Lines of PyTorch",
        "Below each step of a derivation the line of PyTorch that makes it, or no longer",
        {}},
       [](UiContext&, WorkbenchState& state) { state.inspector.code.shown = !state.inspector.code.shown; }},
      {{"view_compare",
        kView,
        "View: compare",
        "Compare: a kept state beside the present one, and what changed",
        {alt(Key::Num5)}},
       show_view<FocusView::Compare>},
      {{"view_model",
        kView,
        "View: model",
        "Model: every head of every layer, and what makes its predictions",
        {alt(Key::Num6)}},
       show_view<FocusView::Model>,
       has_model}};
}

std::vector<ActionEntry> learning_actions() {
  constexpr std::string_view kView = "View";
  return {{{"gradients", kView, "Gradients ∂", "Gradients in place of numbers", {alt(Key::D)}},
           [](UiContext& ui, WorkbenchState& state) { toggle_gradients(ui, state.learning); },
           is_one_layer},
          {{"learning", kView, "Learning", "Goals and training of the layer", {alt(Key::L)}},
           [](UiContext&, WorkbenchState& state) { state.learning.shown = !state.learning.shown; },
           is_one_layer}};
}

std::vector<ActionEntry> compare_and_layer_actions() {
  constexpr std::string_view kView = "View";
  return {{{"layer_next",
            kView,
            "Next layer",
            "The next layer of the model, or of the file that the arrays came from",
            {alt(Key::Down)},
            true},
           step_layer<1>,
           has_layers},
          {{"layer_back",
            kView,
            "Previous layer",
            "The layer before in the model, or in the file that the arrays came from",
            {alt(Key::Up)},
            true},
           step_layer<-1>,
           has_layers},
          {{"compare_keep",
            kView,
            "Keep this state",
            "Keep the present state, to compare what comes with it",
            {ctrl_shift(Key::K)}},
           keep_state},
          {{"compare_restore",
            kView,
            "Swap kept and now",
            "Go back to the kept state as one undo step; the present one is kept instead",
            {}},
           [](UiContext& ui, WorkbenchState&) { swap_with_baseline(ui); },
           is_kept},
          {{"compare_forget", kView, "Forget the kept state", "Keep no state to compare with", {}},
           [](UiContext& ui, WorkbenchState&) { clear_baseline(ui); },
           is_kept}};
}

std::vector<ActionEntry> look_actions() {
  constexpr std::string_view kView = "View";
  return {{{"colours", kView, "Colours…", "Colour map, range and decimals of the large picture", {}},
           [](UiContext&, WorkbenchState& state) { state.stages.colors.asked = true; }},
          {{"toggle_theme", kView, "Light or dark", "Switch between the dark and the light look", {}},
           toggle_look},
          {{"larger", kView, "Larger text", "Everything in the window larger", {ctrl(Key::Plus)}},
           step_text_size<1>},
          {{"smaller", kView, "Smaller text", "Everything in the window smaller", {ctrl(Key::Minus)}},
           step_text_size<-1>},
          {{"usual_size",
            kView,
            "Usual text size",
            "Everything as large as the screen asks for",
            {ctrl(Key::Num0)}},
           [](UiContext& ui, WorkbenchState&) { ui.preferences.text_scale = 1; }}};
}

std::vector<ActionEntry> picture_actions() {
  return {
      {{"play",
        "In the large picture",
        "Play",
        "How the cell is computed, in motion",
        {KeyChord{Key::Space, false, false, false, false}},
        true},
       play,
       can_play},
      of_picture(
          "zoom_in", "Zoom in",
          "Fewer cells, larger, about the selected one; so does the wheel at the pointer", alone(Key::Plus),
          [](UiContext& ui, WorkbenchState&) { zoom_by_steps(ui, kStepsOfKey); }, can_zoom_large),
      of_picture(
          "zoom_out", "Zoom out", "More cells, smaller", alone(Key::Minus),
          [](UiContext& ui, WorkbenchState&) { zoom_by_steps(ui, -kStepsOfKey); }, is_large_zoomed),
      of_picture(
          "zoom_all", "Show everything", "The whole of the matrix; so does a double-click", alone(Key::Num0),
          [](UiContext& ui, WorkbenchState&) { show_everything(ui); }, is_large_zoomed),
      of_picture(
          "zoom_selection", "Zoom to selection", "The numbers around the selected cell", alt(Key::Z),
          [](UiContext& ui, WorkbenchState&) { zoom_to_selection(ui); }, can_zoom_to_selection),
      of_picture(
          "overwrite", "Overwrite…",
          "In a whole model: the selected number, its row or its head becomes another one, from here on",
          alt(Key::O), [](UiContext& ui, WorkbenchState&) { ask_to_overwrite(ui); }, can_overwrite),
      {{"why_score",
        "In the large picture",
        "Why this score?",
        "In a whole model: the parts of the query and of the key that the selected score or weight comes "
        "from",
        {}},
       [](UiContext& ui, WorkbenchState&) { ask_selected_score(ui); },
       can_ask_selected_score},
      {{"intervene",
        "In the large picture",
        "Intervene…",
        "In a whole model: set numbers to zero, to a mean, to another text's or to given ones, or move them",
        {}},
       [](UiContext& ui, WorkbenchState&) { ask_to_intervene(ui); },
       can_intervene}};
}

}  // namespace

const std::vector<ActionEntry>& action_table() {
  static const std::vector<ActionEntry> table = [] {
    std::vector<ActionEntry> all;
    for (const auto& actions :
         {session_actions(), sharing_actions(), copy_actions(), editing_actions(), finding_actions(),
          lesson_actions(), place_actions(), view_actions(), learning_actions(), compare_and_layer_actions(),
          look_actions(), picture_actions()})
      all.insert(all.end(), actions.begin(), actions.end());
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

const ActionInfo& action_info(std::string_view id) {
  return action_entry(id);
}

bool action_possible(const ActionEntry& entry, const UiContext& ui) {
  return !entry.possible || entry.possible(ui);
}

void run_pressed_action(UiContext& ui, WorkbenchState& state) {
  for (const ActionEntry& entry : action_table()) {
    const bool asked = std::any_of(entry.chords.begin(), entry.chords.end(), chord_pressed);
    if (state.show_start && !works_on_start(entry)) continue;
    if (!asked || !action_possible(entry, ui) || (entry.of_picture && !picture_has_keys(ui))) continue;
    entry.run(ui, state);
    return;
  }
}

}  // namespace headlight
