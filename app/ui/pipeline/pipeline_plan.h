// The layout of the pipeline strip: the layer as one connected diagram, from the embeddings to the output.
// Computed, not painted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/pipeline/strip_content.h"
#include "engine/layer/stage.h"

namespace headlight {

// A node: the picture of a stage, the chip of a weight matrix, or the chip of the other sequence's
// embeddings, from which keys and values are computed.
struct PipelineNode {
  std::optional<Stage> stage;
  std::optional<Parameter> parameter;  // no stage, no parameter: the other sequence's embeddings
  Rect place;                          // of the picture or chip
  Rect caption;                        // the name below it; a chip has its name inside
  bool idle = false;                   // the stage does not change its input: drawn small

  const Rect& hit() const { return stage ? caption : place; }  // its area as a widget
};

// The line from the right edge of one picture to the left edge of the next. Between two points of the path it
// is straight if they are at one height, else a curve that is level at both ends.
struct PipelineWire {
  StripSource comes_from;
  Stage leads_to = Stage::Output;
  std::vector<Point> path;
};

// The points of a wire as it is drawn.
std::vector<Point> wire_points(const PipelineWire& wire);

// A setting that stands above the stage that it makes.
enum class PipelineSetting { Scale, Mask, Normalization, Dropout };
struct PipelineSlot {
  PipelineSetting setting = PipelineSetting::Scale;
  Rect place;
  Stage makes = Stage::Scaled;
};

// The operation of a stage without a setting above it: "Q Kᵀ". In a line of words the arrow before it.
struct PipelineLabel {
  Rect place;
  std::string operation;
  Stage makes = Stage::Scores;
};

// Pictures: live pictures with their operations and settings above them. Names: small nodes with their names.
// List: no room for a diagram, and nothing below is planned.
enum class PipelineForm { Pictures, Names, List };

struct PipelinePlan {
  PipelineForm form = PipelineForm::List;
  std::vector<PipelineNode> nodes;  // stages in the order of computation, then the matrices
  std::vector<PipelineWire> wires;
  std::vector<PipelineLabel> labels;
  std::vector<PipelineSlot> slots;
  std::optional<Rect> more;      // the button "+", behind the last stage
  double width = 0, height = 0;  // of the whole diagram
};

// In pixels: the size of the diagram; `scale` device pixels per planned pixel; the heights of a line of
// controls and of a caption. heads: how many heads a picture of a T x T stage shows (0: all).
struct PipelineArea {
  double width = 0, height = 0, scale = 1, control_height = 28, caption_height = 14;
  int heads = 0;
  std::function<double(const std::string&)> text_width;  // of a caption
};

// Whether the diagram has one row: given weights alone, without queries, keys and values.
bool in_one_row(const Layer& layer);

// Plans the diagram with its origin at (0, 0): with pictures if there is room for them, else with names.
PipelinePlan plan_pipeline(const Layer& layer, const StripContent& content, const PipelineArea& room);
// The form without pictures, as low as it can be; if its width does not suffice, without the stages between
// the scores and the weights and the like. A line then leads from one drawn stage to the next.
PipelinePlan plan_names(const Layer& layer, const StripContent& content, const PipelineArea& room);

}  // namespace headlight
