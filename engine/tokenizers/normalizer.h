// The normalizer of a tokenizer.json: what is done to a text before it is cut.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"

namespace headlight {

using NormalizerStep = std::function<std::string(std::string)>;

class Normalizer {
 public:
  // value: null for one that does nothing. Throws Error with a place from "normalizer" on.
  static Normalizer read(const Json* value);

  // text: UTF-8, and so is the result. Throws Error when an expression does not end, or the text grows too
  // long.
  std::string apply(std::string text) const;

 private:
  std::vector<NormalizerStep> steps_;
};

}  // namespace headlight
