// The decoder of a tokenizer.json: words become the text again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/patterns/allowance.h"

namespace headlight {

struct DecoderStep {
  // Throws Error where the text grows beyond the allowance.
  std::function<std::vector<std::string>(std::vector<std::string>, Allowance&)> words;
  // What it does to one word wherever it stands; its bytes need not be UTF-8. Null for nothing.
  std::function<std::string(const std::string&)> label;
};

class Decoder {
 public:
  // value: null for one that puts spaces between words. Throws Error with a place from "decoder" on.
  static Decoder read(const Json* value);

  // What is no UTF-8 becomes U+FFFD, as in the Rust library. Throws Error when the text grows too long.
  std::string text_of(std::vector<std::string> words) const;
  // One word as a reader would write it, with its space; bytes that are no UTF-8 as "\xE2". Throws as
  // text_of.
  std::string label(const std::string& word) const;

 private:
  std::vector<DecoderStep> steps_;
};

}  // namespace headlight
