#include "app/ui/context/actions.h"

#include <algorithm>
#include <stdexcept>

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

ActionInfo of_picture(std::string_view id, std::string_view name, std::string_view what, Key key) {
  KeyChord chord;
  chord.key = key;
  chord.repeats = true;
  chord.while_typing = false;
  return {id, "In the large picture", name, what, {chord}, true};
}

// Opening and saving.
std::vector<ActionInfo> file_infos() {
  constexpr std::string_view kSession = "Session";
  return {
      {"new", kSession, "New session", "Start with six tokens of three numbers", {ctrl(Key::N)}},
      {"open", kSession, "Open…", "Open a session file", {ctrl(Key::O)}},
      {"open_arrays",
       kSession,
       "Open array file…",
       "Bring arrays of a .npy, .npz, .safetensors, .csv or .tsv file into the session",
       {ctrl_shift(Key::O)}},
      {"open_model",
       kSession,
       "Open model folder…",
       "Open a whole model: a folder with config.json, its weights and its tokenizer",
       {}},
      {"save", kSession, "Save", "Save the session", {ctrl(Key::S)}},
      {"save_as", kSession, "Save as…", "Save the session under another name", {ctrl_shift(Key::S)}},
  };
}

std::vector<ActionInfo> make_infos() {
  constexpr std::string_view kSession = "Session", kEdit = "Editing", kView = "View", kLesson = "Lessons",
                             kHelp = "Finding things";
  return {
      {"kept",
       kSession,
       "Kept sessions…",
       "What was not saved when a program ended: recover it, look at it or discard it",
       {}},
      {"export",
       kSession,
       "Export…",
       "Save the picture or its numbers: PNG, SVG, PDF, CSV, NumPy, LaTeX and more",
       {ctrl(Key::E)}},
      {"copy_picture",
       kSession,
       "Copy picture",
       "The large picture to the clipboard, as it was last exported",
       {}},
      {"copy_tsv",
       kSession,
       "Copy as TSV",
       "The numbers of the large stage as a table with tabs, for a spreadsheet",
       {}},
      {"copy_csv", kSession, "Copy as CSV", "The numbers of the large stage as a table with commas", {}},
      {"copy_latex", kSession, "Copy as LaTeX", "The numbers of the large stage as a table for a paper", {}},
      {"copy_markdown",
       kSession,
       "Copy as Markdown",
       "The numbers of the large stage as a table for notes",
       {}},
      {"copy_pytorch",
       kSession,
       "Copy as PyTorch",
       "A program that rebuilds this state and prints the large stage",
       {}},
      {"copy_numpy",
       kSession,
       "Copy as NumPy",
       "The same without PyTorch: weights and dropout written out",
       {}},
      {"quit", kSession, "Quit", "Leave; asks when changes are not saved", {ctrl(Key::Q)}},
      {"text", kEdit, "Tokens from text…", "Replace the tokens by the words of a sentence", {}},
      {"undo", kEdit, "Undo", "Take the last change back", {outside_text(ctrl(Key::Z))}},
      {"redo",
       kEdit,
       "Redo",
       "Make the change again that was taken back",
       {outside_text(ctrl_shift(Key::Z)), outside_text(ctrl(Key::Y))}},
      {"palette", kHelp, "Commands…", "Every action, setting, lesson and stage by name", {ctrl(Key::P)}},
      {"manual", kHelp, "Manual", "The manual, in this window", {alone(Key::F1)}},
      {"keys", kHelp, "Keys", "This sheet of all keys", {shifted(Key::F1)}},
      {"find_token",
       kHelp,
       "Find a token…",
       "A token by its text or its number: its embedding and its row are selected",
       {ctrl(Key::F)}},
      {"start",
       kHelp,
       "Start screen",
       "What may be opened, and all lessons with their pictures",
       {ctrl(Key::L)}},
      {"lesson.next", kLesson, "Next step", "Go on in the lesson or the walk", {alt(Key::PageDown)}},
      {"lesson.back", kLesson, "Previous step", "Go back in the lesson or the walk", {alt(Key::PageUp)}},
      {"lesson.restore",
       kLesson,
       "Restore the lesson",
       "Bring the lesson's own inputs and settings back; undo takes that back",
       {}},
      {"present",
       kLesson,
       "Present",
       "The step's words and the picture, large: Page Down goes on, F5 or Escape leaves",
       {alone(Key::F5)}},
      {"walk", kLesson, "Step through", "One forward pass for the selected query, stage by stage", {}},
      {"hint", kHelp, "First steps", "What there is to do, in three lines above the start screen", {}},
      {"next_place",
       kView,
       "Next place",
       "The keys go on: embeddings, weights, the large picture",
       {alone(Key::F6)}},
      {"full_size",
       kView,
       "Full size",
       "The large picture over the whole centre, and back",
       {alone(Key::F11)}},
      {"view_heatmap", kView, "View: heatmap", "The chosen stage as heatmaps", {alt(Key::Num1)}},
      {"view_flow", kView, "View: flow", "Weights as lines from queries to keys", {alt(Key::Num2)}},
      {"view_row", kView, "View: row", "One query's way through the stages, as bars", {alt(Key::Num3)}},
      {"view_vectors",
       kView,
       "View: vectors",
       "Tokens as points in the plane, with arrows for what attention moved",
       {alt(Key::Num4)}},
      {"by_head",
       kView,
       "Output by head",
       "What each head adds to the output, and the output whole again",
       {}},
      {"heads_table", kView, "Table of heads…", "All heads and their measures, to sort and to save", {}},
      {"view_compare",
       kView,
       "View: compare",
       "Compare: a kept state beside the present one, and what changed",
       {alt(Key::Num5)}},
      {"view_model",
       kView,
       "View: model",
       "Model: every head of every layer, and what makes its predictions",
       {alt(Key::Num6)}},
      {"layer_next",
       kView,
       "Next layer",
       "The next layer of the model, or of the file that the arrays came from",
       {alt(Key::Down)},
       true},
      {"layer_back",
       kView,
       "Previous layer",
       "The layer before in the model, or in the file that the arrays came from",
       {alt(Key::Up)},
       true},
      {"compare_keep",
       kView,
       "Keep as A",
       "Keep the present state, to compare what comes with it",
       {ctrl(Key::K)}},
      {"compare_restore",
       kView,
       "Swap A and B",
       "Go back to A as one undo step; the present state is kept as A instead",
       {}},
      {"compare_forget", kView, "Forget A", "Keep no state to compare with", {}},
      {"colours", kView, "Colours…", "Colour map, range and decimals of the large picture", {}},
      {"toggle_theme", kView, "Light or dark", "Switch between the dark and the light look", {}},
      {"larger", kView, "Larger text", "Everything in the window larger", {ctrl(Key::Plus)}},
      {"smaller", kView, "Smaller text", "Everything in the window smaller", {ctrl(Key::Minus)}},
      {"usual_size",
       kView,
       "Usual text size",
       "Everything as large as the screen asks for",
       {ctrl(Key::Num0)}},
      of_picture("zoom_in", "Zoom in",
                 "Fewer cells, larger, about the selected one; so does the wheel at the pointer", Key::Plus),
      of_picture("zoom_out", "Zoom out", "More cells, smaller", Key::Minus),
      of_picture("zoom_all", "Show everything", "The whole of the matrix; so does a double-click", Key::Num0),
      of_picture("zoom_selection", "Zoom to selection", "The numbers around the selected cell", Key::Z),
      of_picture(
          "overwrite", "Overwrite…",
          "In a whole model: the selected number, its row or its head becomes another one, from here on",
          Key::O)};
}

std::vector<ActionInfo> all_infos() {
  std::vector<ActionInfo> all = file_infos();
  const std::vector<ActionInfo> others = make_infos();
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace

const std::vector<ActionInfo>& action_infos() {
  static const std::vector<ActionInfo> infos = all_infos();
  return infos;
}

const ActionInfo& action_info(std::string_view id) {
  const auto found = std::find_if(action_infos().begin(), action_infos().end(),
                                  [id](const ActionInfo& info) { return info.id == id; });
  if (found == action_infos().end()) throw std::logic_error("no action " + std::string(id));
  return *found;
}

std::string action_keys(const ActionInfo& info) {
  return info.chords.empty() ? std::string() : chord_text(info.chords.front());
}

std::string all_action_keys(const ActionInfo& info) {
  std::string keys;
  for (const KeyChord& chord : info.chords)
    keys += (keys.empty() ? "" : ", ") + chord_text(chord);
  return keys;
}

std::string action_tip(std::string_view id) {
  const ActionInfo& info = action_info(id);
  const std::string keys = action_keys(info);
  return std::string(info.what) + (keys.empty() ? "" : " (" + keys + ")");
}

}  // namespace headlight
