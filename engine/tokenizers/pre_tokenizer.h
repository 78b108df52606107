// The pre-tokenizer of a tokenizer.json: a text becomes the words that the model looks at by themselves.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/patterns/allowance.h"

namespace headlight {

// A part of a text; none that is kept is empty.
struct Fragment {
  std::string text;
  bool begins_text = false;  // whether nothing stands in front of it in the text as typed
};
using PreTokenizerStep = std::function<std::vector<Fragment>(std::vector<Fragment>)>;

class PreTokenizer {
 public:
  // value: null for one that leaves the text whole. Throws Error with a place from "pre_tokenizer" on.
  static PreTokenizer read(const Json* value);

  // Throws Error when an expression does not end, or the text grows too long.
  std::vector<Fragment> cut(Fragment whole, Allowance& allowance) const;
  std::vector<Fragment> cut(const Fragment& whole) const;  // with an allowance for this text alone

 private:
  std::vector<PreTokenizerStep> steps_;
};

}  // namespace headlight
