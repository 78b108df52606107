// The pre-tokenizer of a tokenizer.json: splits a text into the words that the model encodes separately.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/allowance.h"

namespace headlight {

// A part of a text, which is not empty in a result.
struct Fragment {
  std::string text;
  bool begins_text = false;  // whether it is at the beginning of the text as typed
};
using PreTokenizerStep = std::function<std::vector<Fragment>(std::vector<Fragment>)>;

class PreTokenizer {
 public:
  // value: null for no splitting. Throws `Error` with a place that begins with "pre_tokenizer".
  static PreTokenizer read(const Json* value);

  // Throws `Error` when an expression takes too long, or the text grows too long.
  std::vector<Fragment> cut(Fragment whole, Allowance& allowance) const;
  std::vector<Fragment> cut(const Fragment& whole) const;  // with an allowance for this text alone

 private:
  std::vector<PreTokenizerStep> steps_;
};

}  // namespace headlight
