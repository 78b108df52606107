// The checkpoints of the open model's training as the panels see them, and the one that they ask for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint_series.h"
#include "engine/core/matrix.h"
#include "engine/views/head_measures.h"

namespace headlight {

// What the curves are drawn from: of one checkpoint on the open text.
struct CheckpointHeads {
  std::vector<HeadMeasures> measures;  // layer * heads + head; empty: it cannot be computed
  // T x T of each head, and the likeliest next token at each position. Empty for a long text, of which all
  // checkpoints together would have too many numbers, and the second for a model that predicts nothing.
  std::vector<Matrix> weights;
  std::vector<std::int32_t> likeliest;
  std::optional<double> loss;  // of the text: the mean of -ln p; none: the model does not predict it
};

struct CheckpointsView {
  // Written by the program.
  std::vector<SavedStep> steps;  // by step; empty: the model is no checkpoint of a training
  std::size_t current = 0;       // the one that is open
  // The steps from left to right: those of `steps` and, while a training goes on, those that are still to
  // come.
  std::vector<std::int64_t> axis;
  std::vector<LoggedLoss> losses;  // as the training wrote them down; empty: it has not
  bool inside = false;             // the opened folder holds them, and is not one of them
  std::string trouble;             // why the one that was asked for could not be opened; "" if it could
  // Of each checkpoint on the open text with its changes; null until it is computed.
  std::vector<std::shared_ptr<const CheckpointHeads>> heads;

  // Set by the panels.
  std::optional<std::size_t> asked;  // the one to be opened; reset when it is
  std::uint64_t gesture = 0;         // one drag of the slider is one step of undo

  // The one that the slider stands at.
  std::size_t shown() const { return asked.value_or(current); }
};

}  // namespace headlight
