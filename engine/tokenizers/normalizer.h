// The normalizer of a tokenizer.json: changes a text before it is split.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/allowance.h"

namespace headlight {

// Throws `Error` when the text grows beyond the allowance.
using NormalizerStep = std::function<std::string(std::string text, const Allowance& allowance)>;

class Normalizer {
 public:
  // value: null for no steps. Throws `Error` with a place that begins with "normalizer".
  static Normalizer read(const Json* value);

  // text: UTF-8, and so is the result. Throws `Error` when an expression takes too long, or the text grows
  // too long.
  std::string apply(std::string text, Allowance& allowance) const;
  std::string apply(const std::string& text) const;  // with an allowance for this text alone

 private:
  std::vector<NormalizerStep> steps_;
};

}  // namespace headlight
