// Interventions in a pass: heads that are switched off or replaced by their mean, and numbers of a stage that
// are overwritten (activation patching). Everything computed from them follows.
#pragma once

#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

enum class HeadState {
  On,
  Off,   // its columns of concat are zero
  Mean,  // its columns are their mean over the tokens of the text
};
// One state per head, from head 0 on; heads without one are on.
using HeadStates = std::vector<HeadState>;

// Residual: the stream that enters the layer; of layer L, the one that leaves the last layer. Input: what
// attention reads of it, after the norm. Queries and Keys: with rotary positions applied. Context: before
// heads are switched off. AttentionAdded, MlpAdded: what is added to the stream.
enum class PatchStage { Residual, Input, Queries, Keys, Values, Weights, Context, AttentionAdded, MlpAdded };

struct Patch {
  PatchStage stage = PatchStage::Residual;
  Index layer = 0;
  Index head = 0;             // in stages with heads; for Keys and Values, a head of keys and values
  Index row = 0, column = 0;  // where the values begin
  Matrix values;
  bool operator==(const Patch& other) const;
};

}  // namespace headlight
