// The questions that every class asks about attention, each as a small change of the open layer.
#pragma once

#include <string>
#include <vector>

#include "engine/layer/layer.h"
#include "engine/layer/stage.h"

namespace headlight {

struct WhatIf {
  std::string question;  // "What if all tokens were averaged?"
  std::string words;     // others that people ask with
  std::string told;  // what was changed, in the past: "The scale is 0: every query looks at all keys alike"
  Stage stage = Stage::Weights;  // where the change is seen
  void (*change)(Layer& layer) = nullptr;
};

// The entries that change this layer, and leave it valid.
std::vector<WhatIf> what_ifs(const Layer& layer);

}  // namespace headlight
