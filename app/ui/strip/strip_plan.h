// Where everything of the strip goes: the layer as one connected drawing, from the embeddings to the output.
// Computed, not painted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "engine/model/stage.h"

namespace headlight {

// A picture of a stage, the chip of a matrix that is multiplied with, or that of the other tokens whose keys
// and values are attended to.
struct StripNode {
  std::optional<Stage> stage;
  std::optional<Parameter> parameter;  // neither: the embeddings of the other tokens
  Rect place;                          // of the picture or chip
  Rect caption;                        // of the stage's name, below
  bool idle = false;                   // it passes on what it is given: drawn small

  const Rect& hit() const { return stage ? caption : place; }  // what stands for it as a widget
};

// Way of the numbers from one node to the next, with at most one bend up or down. Lit with the node it leads
// to.
struct StripWire {
  Point from, to;
  Stage leads_to = Stage::Output;
  bool joins = false;  // ends in a mark where two ways meet
};

// Where two ways meet, and what is done there: "Q Kᵀ".
struct StripJoin {
  Point at;
  std::string operation;
  Stage makes = Stage::Scores;
};

// The settings that stand where they act, on the way into a stage.
enum class StripSetting { Scale, Mask, Normalization, Dropout };
struct StripSlot {
  StripSetting setting = StripSetting::Scale;
  Rect place;
};

struct StripPlan {
  std::vector<StripNode> nodes;  // in the order of computation
  std::vector<StripWire> wires;
  std::vector<StripJoin> joins;
  std::vector<StripSlot> slots;
  // There is no room for a drawing: the stages are a line of names instead, and nothing above is planned.
  bool names_only = false;
};

// In pixels: the room of the drawing, `scale` device pixels for each planned one, heights of a line of
// controls and of a caption, and how many heads a picture of pairs shows (0: all).
struct StripRoom {
  double width = 0, height = 0, scale = 1, control_height = 28, caption_height = 14;
  int heads = 0;
};

// Whether the stage of this model hands on what it is given: no mask, no dropout, one head to join.
bool is_idle(const Model& model, Stage stage);

// Whether it is drawn in one row: of weights that are given alone, without queries, keys and values.
bool in_one_row(const Model& model);

// The drawing, from (0, 0) on.
StripPlan plan_strip(const Model& model, const StripRoom& room);

}  // namespace headlight
