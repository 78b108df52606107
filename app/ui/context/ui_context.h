// What every panel is given: read-only facts, its view state, and ways to ask for change.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/document.h"
#include "app/figure/color/color_scale.h"
#include "app/figure/paint/file_format.h"
#include "app/platform/texture_store.h"
#include "app/settings/preferences.h"
#include "app/ui/context/map_region.h"
#include "app/ui/context/model_view.h"
#include "app/ui/context/probe.h"
#include "app/ui/context/theme.h"
#include "app/ui/context/waking.h"
#include "engine/core/counting.h"
#include "engine/worker/worker.h"

namespace headlight {

// Which head stands first: as they are numbered, or the one with the most or the least of a measure.
struct HeadSorting {
  std::optional<HeadMeasure> by;  // none: as they are numbered
  bool ascending = false;         // the one with the least first
  bool operator==(const HeadSorting&) const = default;
};

// How the chosen stage is drawn at large.
// Model: of all layers of the whole model that is open.
enum class FocusView { Heatmap, Flow, Row, Vectors, Compare, Model };

// A state that was kept, to compare the present one with: A beside B.
struct KeptState {
  std::shared_ptr<const Model> model;          // none: nothing is kept
  std::string title;                           // of the session it was kept from
  std::shared_ptr<const ModelWork> work = {};  // of the whole model, where one was open
  std::string layer = {};                      // as shown_layer() told it then
};

// What is shown, not what is computed: never part of the session, never undone.
// The layers of the file that the model came from.
struct LayersView {
  std::vector<std::string> names;    // as its arrays have them
  std::size_t count = 0, at = 0;     // count 0: there is no choice
  std::optional<std::size_t> asked;  // another one is wished for
};

// How long the pointer has rested on what has a tooltip.
struct TipRest {
  Rect item = {};
  double since = 0;      // on ImGui's clock
  int frame = -1;        // of ImGui, in which it was last there
  bool pressed = false;  // the control has been used since: nobody needs to be told what it does
};

// A dialog that is open, by its number with ImGui.
struct OpenDialog {
  unsigned id = 0;
  int frame = -1;  // of ImGui, in which it was last asked for
};

// A number of the inputs, as the grids on the left show it.
struct InputCell {
  InputId input;
  Index row = 0, column = 0;
  bool operator==(const InputCell&) const = default;
};

struct ViewState {
  Index sequence = 0;
  std::optional<Index> head;  // one head, or all side by side
  // Of the heads that are too many to be read side by side: the one drawn large, and the selected cell that
  // it last came from.
  Index large_head = 0;
  std::optional<CellAddress> large_head_of;
  bool one_large = false;                // in the last frame
  HeadSorting head_sorting;              // of the large pictures of weights, and of the table of heads
  HeadSorting large_head_by;             // the order whose first head was made the large one
  HeadPicture head_picture;              // that heads are compared with, for HeadMeasure::LikePicture
  Stage focused_stage = Stage::Weights;  // the stage that is drawn large below the pipeline
  std::optional<Stage> opened_stage;     // a card opened to full size
  FocusView focus_view = FocusView::Heatmap;
  std::optional<CellAddress> selected;
  std::optional<CellAddress> hovered;       // under the pointer in the last frame
  std::optional<CellAddress> hovered_next;  // under the pointer in this frame, as far as it is drawn
  std::optional<InputId> edited_input;      // the grid with the keyboard's focus
  // A number that a derivation multiplies with, under the pointer there: its grid comes to the front and
  // lights it. As with `hovered`: in the last frame, and in this one as far as it is drawn.
  std::optional<InputCell> pointed_input, pointed_input_next;
  std::optional<InputCell> asked_input;  // clicked there: the grid's cursor goes to it
  bool paints_mask = false;              // clicks on the large picture of `masked` forbid and allow
  std::string selection_note;            // what the cells selected in a grid add up to, told in this frame
  // The step of a lesson that points at something: its stage and cells glow, the rest stands back.
  std::optional<LessonStep> spotlight;
  float light = 0;      // of the outline around what a lesson speaks of: 0 none, 1 in full
  bool fading = false;  // that light is on its way: this is not the final picture
  TipRest tip;
  std::vector<OpenDialog> dialogs;  // as they were opened: the last one is drawn, the others wait for its end
  // Where on the screen the large outline was drawn in this frame, to be joined to the lesson's text.
  std::optional<Rect> lit_at;
  bool walking = false;        // a forward pass is stepped through
  std::string_view explained;  // the meaning of the term that was clicked in a lesson's text
  std::array<StageColors, kStageCount> colors;
  int decimals = 4;  // of the numbers in the cells
  // What is in sight of the large heatmaps, by the axis that their columns are; empty: everything. Stages
  // with the same axes share it, so that switching between them keeps the place.
  std::array<CellBlock, kColumnAxes> regions;
  KeptState kept;
  LayersView layers;
  ModelView model;

  StageColors& colors_of(Stage stage) { return colors[static_cast<std::size_t>(stage)]; }
  const StageColors& colors_of(Stage stage) const { return colors[static_cast<std::size_t>(stage)]; }
};

// What a panel asks of the program beyond a change of the model.
enum class Action {
  Undo,
  Redo,
  New,
  Open,
  OpenArrays,
  OpenModel,
  OpenPath,
  OpenLesson,
  Save,
  SaveAs,
  ExportStage,
  CopyPyTorch,
  CopyNumPy,
  CopyPicture,
  CopyNumbers,
  CopyHeads,
  SaveHeads,
  ShowStart,
  ShowKept,
  Recover,
  LookAtKept,
  Quit,
};
struct ActionRequest {
  Action action;
  std::filesystem::path path;    // OpenPath, OpenLesson; Recover and LookAtKept: what was kept, by name
  Stage stage = Stage::Weights;  // ExportStage and all that copy
  FileFormat format = FileFormat::Tsv;  // CopyNumbers, CopyHeads, SaveHeads
};

struct UiContext {
  const Document& document;
  // The newest the engine gave, without what is of an earlier model (answer_since); null before the first.
  const Answer* answer = nullptr;
  const Theme& theme;
  ViewState& view;
  Probe& probe;
  TextureStore& textures;
  std::vector<Command>& commands;  // carried out after the frame, in order
  std::vector<ActionRequest>& actions;
  Wish& wish;  // collected anew each frame
  Preferences& preferences;
  Waking& waking;
  std::optional<double> progress = {};  // of the engine's work, from 0 to 1, when it takes long

  void send(Command command) const { commands.push_back(std::move(command)); }
  // Something moves or waits: another frame is needed within so many seconds.
  void wake_within(double seconds) const { waking.within(seconds); }
  void act(Action action) const { actions.push_back({action, {}, Stage::Weights}); }
  const Model& model() const { return document.model(); }
  // The head that a view of one head shows: the one that is chosen, else the one that is large beside the
  // others, else that of the selected cell.
  Index shown_head() const {
    const Index heads = model().head_count();
    if (view.head && *view.head < heads) return *view.head;
    const auto& cell = view.selected;
    if (view.one_large && (!cell || cell == view.large_head_of)) return std::min(view.large_head, heads - 1);
    if (!cell || stage_info(cell->stage).heads == StageHeads::None) return 0;
    const bool of_keys = stage_info(cell->stage).heads == StageHeads::Keys;
    const Index head = of_keys ? cell->head * (heads / model().kv_head_count()) : cell->head;
    return head < heads ? head : 0;
  }
  // Which session is open, and which layer of its model or file: numbers of another one are no earlier state.
  std::uint64_t opened_layer() const {
    constexpr int kLayers = 20;  // bits for them
    const auto layer = view.model.work ? static_cast<std::uint64_t>(view.model.work->layer) : view.layers.at;
    return (document.opening() << kLayers) + layer;
  }
  // As the open lesson's text counts, else as the person has chosen.
  Counting counting() const {
    const auto& lesson = document.session().lesson;
    return {lesson_counts() ? *lesson->count_from : preferences.count_from};
  }
  bool lesson_counts() const {
    const auto& lesson = document.session().lesson;
    return lesson && lesson->count_from;
  }
};

}  // namespace headlight
