// What is shown, not what is computed: by subject. Not part of the session, never undone.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/color/color_scale.h"
#include "app/figure/color/held_ranges.h"
#include "app/figure/motion/screen_change.h"
#include "app/ui/context/map_region.h"
#include "app/ui/context/model_view.h"
#include "app/ui/context/offered_controls.h"
#include "app/ui/context/probe.h"
#include "engine/learning/weight_goals.h"
#include "engine/session/lesson.h"
#include "engine/worker/worker.h"

namespace headlight {

// The order of the heads: by number, or by a measure.
struct HeadSorting {
  std::optional<HeadMeasure> by;  // nullopt: by number
  bool ascending = false;         // the least value first
  bool operator==(const HeadSorting&) const = default;
};

// How the chosen stage is drawn at large. Layer: all layers of the open whole model.
enum class FocusView { Heatmap, Flow, Row, Vectors, Compare, Model };

// The baseline A that the present state B is compared with.
struct Baseline {
  std::shared_ptr<const Layer> layer;          // null: there is no baseline
  std::string title;                           // of the session that it was taken from
  std::shared_ptr<const OpenModel> work = {};  // of the whole model, if one was open
  std::string layer_name = {};                 // shown_layer() at that time
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

// What parts of a frame find under the pointer or the keyboard. All parts read what the last frame has found,
// so that none depends on which is drawn first.
template <class T>
struct Pointed {
  std::optional<T> last, now;  // now: in this frame, as far as it has been drawn
  void begin_frame() { now.reset(); }
  void end_frame() { last = now; }
};

// What is chosen and pointed at: written by pictures, grids and lists, where they are clicked.
struct Selection {
  std::optional<CellAddress> cell;
  Pointed<CellAddress> hovered;
  // Where the large picture has drawn the selected query and key in this frame: as a cell, a line or a bar.
  std::optional<Stroke> pair;
  std::optional<InputId> input;  // the grid that has the keyboard focus
  // The factor of a derivation that is under the pointer: its grid comes to the front and highlights it.
  Pointed<InputCell> pointed;
  std::optional<InputCell> asked;  // a clicked factor: the grid's cursor moves to it
  // While gradients are shown, the cell of a grid whose gradient is derived: under the pointer, or where the
  // keyboard is.
  Pointed<InputCell> gradient;
  std::string note;  // statistics of the cells selected in a grid, written in this frame
};

// How several heads are drawn: written by the menu of the large picture and by the table of heads.
struct HeadsShown {
  HeadPool pool = HeadPool::Each;  // of all heads: side by side, or one heatmap of them together
  // Of more heads than can be read side by side: the one drawn large, and the selected cell that last set it.
  Index large = 0;
  std::optional<CellAddress> large_of;
  bool one_large = false;  // in the last frame
  HeadSorting sorting;     // of the large pictures of weights and of the table of heads
  HeadSorting large_by;    // the order whose first head was last made the large one
  HeadPicture picture;     // the picture of HeadMeasure::LikePicture
};

// How matrices are drawn: written by the menu of the large picture and its colours.
struct PictureShown {
  bool by_value = false;  // pictures of weights: each times the length of what its value adds to the output
  bool without_first = false;  // heatmaps of weights: without the first key, each row summing to 1 again
  bool numbered = false;       // in the last frame cells of the large picture had their numbers
  bool paints_mask = false;    // clicks on the large picture of `masked` change the mask
  std::array<StageColors, kStageCount> colors = first_window_colors();
  HeldRanges held_ranges;  // of all pictures
  int decimals = 4;        // decimals of the numbers in cells
  // The visible region of the large heatmaps, by the meaning of their columns; empty: the whole matrix.
  // Stages with the same axes share it, so that switching between them keeps the place.
  std::array<CellBlock, kColumnAxes> regions;
  // Of a flow with many tokens or heads: the picked heads (none: the large one), and the least weight that
  // gets a line.
  std::vector<Index> flow_heads;
  float flow_least = 0.2f;

  StageColors& colors_of(Stage stage) { return colors[static_cast<std::size_t>(stage)]; }
  const StageColors& colors_of(Stage stage) const { return colors[static_cast<std::size_t>(stage)]; }
};

// Goal, gradients and training: written by the panel *Learning* and by the lesson.
struct LearningShown {
  std::optional<GoalBrush> brush;   // clicks on the large picture paint the goal
  float brush_number = 0;           // what a brush wants of numbers that are no weights
  bool plays = false;               // training plays: every picture changes in each frame
  bool gradients = false;           // pictures show how fast the loss changes with each number
  std::optional<bool> panel_asked;  // whether the panel *Learning* shall be open from now on
  std::optional<Index> until;       // the step that a question waits for, written in each frame
};

// What a lesson points at: written by the lesson's guide and its texts.
struct LessonShown {
  std::string_view pointed_control;     // probe name of the control whose name in a text is under the pointer
  std::optional<LessonStep> spotlight;  // its cells are outlined, and its stage's name is brighter
  float light = 0;                      // strength of the outline, 0 to 1
  bool fading = false;                  // `light` is changing: this frame is not the final picture
  // The stages that the change of a question reaches, while it runs along them; nullopt: nothing runs.
  struct AnswerRun {
    StageSet stages = 0;
    double seconds = 0;  // since it began
  };
  std::optional<AnswerRun> answer_run;
  bool walking = false;   // *Step through* is running
  std::string explained;  // the meaning of the term that was clicked in a text
};

// Where the keyboard is: written by the ring around the control that has it.
struct KeyboardShown {
  std::string at;    // the control that the focus ring is around; "": the ring is not shown
  std::string next;  // the control that the ring shall move to after this frame; "": none
  // How the names of the bars or cells begin that a question waits for: the first Tab leads there; "": none.
  std::string_view asked;
  bool takes_arrows = false;  // a control of a lesson uses the arrow keys in this frame: pictures do not
};

struct ViewState {
  Index sequence = 0;
  std::optional<Index> head;             // nullopt: all heads side by side
  Stage focused_stage = Stage::Weights;  // the stage that is drawn large below the pipeline
  std::optional<Stage> opened_stage;     // a card opened to full size
  FocusView focus_view = FocusView::Heatmap;
  Selection selection;
  HeadsShown heads;
  PictureShown picture;
  LearningShown learning;
  LessonShown lesson;
  KeyboardShown keyboard;
  TipRest tip;
  std::vector<OpenDialog> dialogs;  // in opening order: only the last is drawn until it closes
  OfferedControls offered;
  Baseline baseline;
  Baseline baseline_asked;  // becomes `baseline` once its layer is computed; no `work`: none is asked for
  LayersView layers;
  ModelView model;

  // Whether the pages about the whole model are in sight, and this one of them.
  bool shows_pages() const { return model.pages_beside || focus_view == FocusView::Model; }
  bool shows_page(ModelPage page) const { return shows_pages() && model.page == page; }
};

}  // namespace headlight
