// How the weights of one head are made from its scores.
#pragma once

#include "engine/core/matrix.h"

namespace headlight {

class MaskStrips;

struct StripRules {
  float factor = 1;                  // scaled = score * factor
  bool causal = false;               // or
  const Matrix* allowed = nullptr;   // the model's own mask, T x T of 0 and 1
  const MaskStrips* mask = nullptr;  // the same
  const Matrix* noise = nullptr;     // multipliers of dropout, T x T
};

}  // namespace headlight
