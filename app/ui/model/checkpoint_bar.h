// The bar below the panels that leads through the training of the open model: a slider over its checkpoints,
// and for every head a measure, or the weight that one token gives to another, as a curve over them; or the
// loss of the open text, or those of the training. Names: "model.checkpoint" (the slider; left and right keys
// where it has the keyboard), "model.checkpoint.curve", "model.checkpoint.axis" (in a high window),
// "model.checkpoint.measure"; of a training that goes on "training.text", "training.pause", "training.stop",
// "training.save", "training.follow", "training.close".
#pragma once

#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// What the curves are of.
enum class CurvesOf { Heads, TrainingLoss, TextLoss };
struct CurveChoice {
  std::optional<HeadMeasure> measure;  // of heads; none: the weight that `query` gives to `key`
  Index query = 0, key = 0;
  CurvesOf of = CurvesOf::Heads;
};

struct CheckpointBarState {
  bool chosen = false;                 // else the pair where there is one, and induction where not
  CurvesOf of = CurvesOf::Heads;       // the chosen one; of a training that goes on its losses, unless it was
  std::optional<HeadMeasure> measure;  // else the chosen one; none: a pair
  bool has_keys = false;               // the slider was clicked last
  bool took_arrows = false;
};

// The height of the bar in a window of that height; 0: the model is no checkpoint of a training. In a low
// window the curves are left out.
float checkpoint_bar_height(const UiContext& ui, float window);
void checkpoint_bar(UiContext& ui, CheckpointBarState& state, const Area& area);

// The head whose curve is drawn thick: the chosen one, else the one with the largest value at any checkpoint.
// layer * heads + head; none while nothing is computed.
std::optional<std::size_t> leading_curve(const CheckpointsView& view, const CurveChoice& choice,
                                         std::optional<std::size_t> chosen);

}  // namespace headlight
