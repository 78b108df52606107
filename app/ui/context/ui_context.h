// The context of every panel: the read-only state, the view state, and the requests for changes.
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
#include "app/figure/color/held_ranges.h"
#include "app/figure/motion/screen_change.h"
#include "app/figure/paint/file_format.h"
#include "app/platform/texture_store.h"
#include "app/settings/preferences.h"
#include "app/ui/context/action_info.h"
#include "app/ui/context/map_region.h"
#include "app/ui/context/model_view.h"
#include "app/ui/context/offered_controls.h"
#include "app/ui/context/probe.h"
#include "app/ui/context/redraw_timer.h"
#include "app/ui/context/theme.h"
#include "engine/core/counting.h"
#include "engine/goals/weight_goals.h"
#include "engine/worker/worker.h"

namespace headlight {

// The order of the heads: by number, or by a measure.
struct HeadSorting {
  std::optional<HeadMeasure> by;  // nullopt: by number
  bool ascending = false;         // the least value first
  bool operator==(const HeadSorting&) const = default;
};

// How the chosen stage is drawn at large. Model: all layers of the open whole model.
enum class FocusView { Heatmap, Flow, Row, Vectors, Compare, Model };

// The baseline A that the present state B is compared with.
struct Baseline {
  std::shared_ptr<const Model> model;          // null: there is no baseline
  std::string title;                           // of the session that it was taken from
  std::shared_ptr<const OpenModel> work = {};  // of the whole model, if one was open
  std::string layer = {};                      // shown_layer() at that time
};

// The layers of the file that the model was read from.
struct LayersView {
  std::vector<std::string> names;    // as they occur in the names of its arrays
  std::size_t count = 0, at = 0;     // count 0: there are no layers to choose from
  std::optional<std::size_t> asked;  // the layer that the user has chosen
};

// How long the pointer has rested on an item with a tooltip. Only an item that the pointer has moved onto has
// one: not what came to be below it as the window changed, and after a click nothing until it has left that.
struct TipRest {
  Rect item = {};
  double since = 0;     // on ImGui's clock
  int frame = -1;       // ImGui frame in which it was last there
  bool silent = false;  // the item has no tooltip yet
  double wait = 0.6;    // seconds until the tooltip appears
  // The pointer in the last frame, whether it has moved since, and the smallest rectangle around its way
  // since the last click; none before the first.
  float x = -1, y = -1;
  bool moved = false;
  std::optional<Rect> way;
  int followed = -1;  // ImGui frame that these are of
};

// An open dialog, by its ImGui id.
struct OpenDialog {
  unsigned id = 0;
  int frame = -1;  // ImGui frame in which it was last drawn
};

// The view state: what is shown, not what is computed. Not part of the session, never undone.
struct ViewState {
  Index sequence = 0;
  std::optional<Index> head;       // nullopt: all heads side by side
  HeadPool pool = HeadPool::Each;  // of all heads: side by side, or one heatmap of them together
  bool by_value = false;  // pictures of weights: each times the length of what its value adds to the output
  bool without_first = false;  // heatmaps of weights: without the first key, each row summing to 1 again
  // Of more heads than can be read side by side: the one drawn large, and the selected cell that last set it.
  Index large_head = 0;
  std::optional<CellAddress> large_head_of;
  bool one_large = false;                // in the last frame
  bool numbered = false;                 // in the last frame cells of the large picture had their numbers
  HeadSorting head_sorting;              // of the large pictures of weights and of the table of heads
  HeadSorting large_head_by;             // the order whose first head was last made the large one
  HeadPicture head_picture;              // the picture of HeadMeasure::LikePicture
  Stage focused_stage = Stage::Weights;  // the stage that is drawn large below the pipeline
  std::optional<Stage> opened_stage;     // a card opened to full size
  FocusView focus_view = FocusView::Heatmap;
  std::optional<CellAddress> selected;
  std::optional<CellAddress> hovered;       // under the pointer in the last frame
  std::optional<CellAddress> hovered_next;  // under the pointer in this frame, as far as it has been drawn
  // Where the large picture has drawn the selected query and key in this frame: as a cell, a line or a bar.
  std::optional<Stroke> pair;
  std::optional<InputId> edited_input;  // the grid that has the keyboard focus
  // The factor of a derivation that is under the pointer: its grid comes to the front and highlights it. As
  // with `hovered`: in the last frame, and in this one as far as it has been drawn.
  std::optional<InputCell> pointed_input, pointed_input_next;
  std::string_view pointed_control;  // probe name of the control whose name in a text is under the pointer
  std::optional<InputCell> asked_input;  // a clicked factor: the grid's cursor moves to it
  bool paints_mask = false;              // clicks on the large picture of `masked` change the mask
  std::optional<GoalBrush> goal_brush;   // clicks on the large picture paint the goal
  float goal_number = 0;                 // what a brush wants of numbers that are no weights
  // While gradients are shown, the cell of a grid whose gradient is derived: under the pointer, or where the
  // keyboard is. As with `hovered`: in the last frame, and in this one as far as it has been drawn.
  std::optional<InputCell> gradient_cell, gradient_cell_next;
  bool learns = false;                 // training plays: every picture changes in each frame
  bool gradients = false;              // pictures show how fast the loss changes with each number
  std::optional<bool> learning_asked;  // whether the panel *Learning* shall be open from now on
  std::optional<Index> learns_until;   // the step that a question waits for, written in each frame
  std::string selection_note;          // statistics of the cells selected in a grid, written in this frame
  // The lesson step that points at something: its cells are outlined, and its stage's name is brighter.
  std::optional<LessonStep> spotlight;
  float light = 0;      // strength of the lesson's outline, 0 to 1
  bool fading = false;  // `light` is changing: this frame is not the final picture
  // The stages that the change of a question reaches, while it runs along them; nullopt: nothing runs.
  struct AnswerRun {
    StageSet stages = 0;
    double seconds = 0;  // since it began
  };
  std::optional<AnswerRun> answer_run;
  TipRest tip;
  std::vector<OpenDialog> dialogs;  // in opening order: only the last is drawn until it closes
  bool walking = false;             // *Step through* is running
  OfferedControls offered;
  std::string keyboard_at;    // the control that the focus ring is around; "": the ring is not shown
  std::string keyboard_next;  // the control that the ring shall move to after this frame; "": none
  bool takes_arrows = false;  // a control of a lesson uses the arrow keys in this frame: pictures do not
  std::string explained;      // the meaning of the term that was clicked in a lesson's text
  std::array<StageColors, kStageCount> colors = first_window_colors();
  HeldRanges held_ranges;  // of all pictures
  int decimals = 4;        // decimals of the numbers in cells
  // The visible region of the large heatmaps, by the meaning of their columns; empty: the whole matrix.
  // Stages with the same axes share it, so that switching between them keeps the place.
  std::array<CellBlock, kColumnAxes> regions;
  Baseline baseline;
  LayersView layers;
  ModelView model;

  // Of a flow with many tokens or heads: the picked heads (none: the large one), and the least weight that
  // gets a line.
  std::vector<Index> flow_heads;
  float flow_least = 0.2f;

  StageColors& colors_of(Stage stage) { return colors[static_cast<std::size_t>(stage)]; }
  const StageColors& colors_of(Stage stage) const { return colors[static_cast<std::size_t>(stage)]; }
  // Whether the pages about the whole model are in sight, and this one of them.
  bool shows_pages() const { return model.pages_beside || focus_view == FocusView::Model; }
  bool shows_page(ModelPage page) const { return shows_pages() && model.page == page; }
};

// What a panel requests of the program beyond a change of the model.
enum class Action {
  Undo,
  Redo,
  New,
  Open,
  OpenArrays,
  OpenModel,
  ChooseImage,  // asks for the file
  OpenImage,
  ChooseTrainingText,
  OpenPath,
  OpenLesson,
  Save,
  SaveAs,
  SaveAnswers,
  ExportStage,
  SavePicture,        // of the stage, with the options that were used last
  SaveSentence,       // of the start screen, as a figure
  SaveWindowPicture,  // the pixels of the large picture: a view that has no figure
  CopyPyTorch,
  CopyNumPy,
  CopyCommand,  // that saves the numbers of the stage
  CopyPicture,
  CopyNumbers,
  CopyHeads,
  SaveHeads,
  ShowStart,
  OpenSentence,
  ShowRecovered,
  Recover,
  ViewRecovered,
  Quit,
  ContinueText,
  StopContinuing,
  ComputePatches,
  StopPatches,
  SaveFinding,
};
struct ActionRequest {
  Action action;
  // OpenPath, OpenImage, OpenLesson; Recover and ViewRecovered: the recovery file.
  std::filesystem::path path = {};
  Stage stage = Stage::Weights;                             // ExportStage and all Copy actions
  FileFormat format = FileFormat::Tsv;                      // CopyNumbers, CopyHeads, SaveHeads, SaveFinding
  Index tokens = 0;                                         // ContinueText: how many are added
  std::shared_ptr<const QuestionResult> finding = nullptr;  // SaveFinding
};

struct UiContext {
  const Document& document;
  // The newest view result, without parts that belong to an earlier model (result_since); null before the
  // first.
  const ViewResult* answer = nullptr;
  const Theme& theme;
  ViewState& view;
  Probe& probe;
  TextureStore& textures;
  std::vector<Command>& commands;  // run in order after the frame
  std::vector<ActionRequest>& actions;
  ViewRequest& requested;  // collected in each frame
  Preferences& preferences;
  RedrawTimer& redraw_timer;
  const ActionInfo& (*find_action)(std::string_view id);  // precondition: the action exists
  std::optional<double> progress = {};                    // 0 to 1, of engine work that takes long

  void send(Command command) const { commands.push_back(std::move(command)); }
  // Requests another frame within so many seconds, for animations and delays.
  void wake_within(double seconds) const { redraw_timer.within(seconds); }
  std::string action_tip(std::string_view id) const { return headlight::action_tip(find_action(id)); }
  void act(Action action) const { actions.push_back({action, {}, Stage::Weights}); }
  void continue_text(Index tokens) const {
    actions.push_back({Action::ContinueText, {}, Stage::Weights, FileFormat::Tsv, tokens});
  }
  const Model& model() const { return document.model(); }
  // The head of a view that shows one head: the chosen head, else the one drawn large, else the head of the
  // selected cell.
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
  // Whether pictures of stages and grids of inputs show gradients: that takes a goal.
  bool shows_gradients() const { return view.gradients && document.session().goal && !view.model.work; }
  // Identifies the open session and its layer: numbers of another layer are not an earlier state of this one.
  std::uint64_t opened_layer() const {
    constexpr int kLayers = 20;  // bits for the layer
    const auto& work = view.model.work;
    const std::size_t layer =
        work ? static_cast<std::size_t>(row_of(work->network->config(), work->layer)) : view.layers.at;
    return (document.opening() << kLayers) + layer;
  }
  // Whether shares of attention are shown as per cent: as the reader chose, else with a whole model. A layer
  // alone shows decimals, as notebooks and the texts of the course print them.
  bool percent() const {
    return preferences.shares ? *preferences.shares == ShareForm::PerCent : view.model.work != nullptr;
  }
  // The numbering of the open lesson's text if it has one, else the user's preference.
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
