// What is changed on the way of a text through a model, from there on: heads that are left out, and numbers
// of a stage that are overwritten (activation patching).
#pragma once

#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

enum class HeadState {
  On,
  Off,   // its columns of concat are zeros
  Mean,  // they are the mean over the tokens of the text
};
// A state of each head; empty: all are on.
using HeadStates = std::vector<HeadState>;

// Residual: the stream as it enters the layer; of layer L as it leaves the last one. Input: what attention
// reads of it, behind the norm. Queries and keys: positions turned into them. Context: before heads are left
// out. AttentionAdded, MlpAdded: what goes into the sums.
enum class PatchStage { Residual, Input, Queries, Keys, Values, Weights, Context, AttentionAdded, MlpAdded };

struct Patch {
  PatchStage stage = PatchStage::Residual;
  Index layer = 0;
  Index head = 0;             // of stages of heads; of keys and values one of theirs
  Index row = 0, column = 0;  // where the values begin
  Matrix values;
  bool operator==(const Patch& other) const;
};

}  // namespace headlight
