// The layout of the pipeline strip: the layer as one connected diagram, from the embeddings to the output.
// Computed, not painted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "engine/model/stage.h"

namespace headlight {

// A node: the picture of a stage, the chip of a weight matrix, or the chip of the other sequence's
// embeddings, from which keys and values are computed.
struct PipelineNode {
  std::optional<Stage> stage;
  std::optional<Parameter> parameter;  // no stage, no parameter: the other sequence's embeddings
  Rect place;                          // of the picture or chip
  Rect caption;                        // the stage's name below it
  bool idle = false;                   // the stage does not change its input: drawn small

  const Rect& hit() const { return stage ? caption : place; }  // its area as a widget
};

// The line from one node to the next, with at most one bend up or down. Highlighted together with the node it
// leads to.
struct PipelineWire {
  Point from, to;
  Stage leads_to = Stage::Output;
  bool joins = false;  // ends in a join
};

// The mark where two lines meet, with the operation done there: "Q Kᵀ".
struct PipelineJoin {
  Point at;
  std::string operation;
  Stage makes = Stage::Scores;
};

// The settings that are placed at the point where they act, on the line into a stage.
enum class PipelineSetting { Scale, Mask, Normalization, Dropout };
struct PipelineSlot {
  PipelineSetting setting = PipelineSetting::Scale;
  Rect place;
};

struct PipelinePlan {
  std::vector<PipelineNode> nodes;  // in the order of computation
  std::vector<PipelineWire> wires;
  std::vector<PipelineJoin> joins;
  std::vector<PipelineSlot> slots;
  // The area is too small for a diagram: the stages are shown as a line of names, and nothing above is
  // planned.
  bool names_only = false;
};

// In pixels: the size of the diagram; `scale` device pixels per planned pixel; the heights of a line of
// controls and of a caption. heads: how many heads a picture of a T x T stage shows (0: all).
struct PipelineArea {
  double width = 0, height = 0, scale = 1, control_height = 28, caption_height = 14;
  int heads = 0;
};

// Whether the stage does not change its input in this model: no mask, no dropout, one head to join, ...
bool is_idle(const Model& model, Stage stage);

// Whether the diagram has one row: given weights alone, without queries, keys and values.
bool in_one_row(const Model& model);

// Plans the diagram with its origin at (0, 0).
PipelinePlan plan_pipeline(const Model& model, const PipelineArea& room);

}  // namespace headlight
