// The normalizer of a tokenizer.json: what is done to a text before it is cut.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/patterns/allowance.h"

namespace headlight {

// Throws Error where the text grows beyond the allowance.
using NormalizerStep = std::function<std::string(std::string text, const Allowance& allowance)>;

class Normalizer {
 public:
  // value: null for one that does nothing. Throws Error with a place from "normalizer" on.
  static Normalizer read(const Json* value);

  // text: UTF-8, and so is the result. Throws Error when an expression does not end, or the text grows too
  // long.
  std::string apply(std::string text, Allowance& allowance) const;
  std::string apply(const std::string& text) const;  // with an allowance for this text alone

 private:
  std::vector<NormalizerStep> steps_;
};

}  // namespace headlight
