// The decoder of a tokenizer.json: converts words back to text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/allowance.h"

namespace headlight {

struct DecoderStep {
  // Throws `Error` when the text grows beyond the allowance.
  std::function<std::vector<std::string>(std::vector<std::string>, Allowance&)> words;
  // The change of one word at any position; its bytes need not be UTF-8. Null for none.
  std::function<std::string(const std::string&)> label;
};

class Decoder {
 public:
  // value: null for spaces between words. Throws `Error` with a place that begins with "decoder".
  static Decoder read(const Json* value);

  // Invalid UTF-8 becomes U+FFFD, as in the Rust library. Throws `Error` when the text grows too long.
  std::string text_of(std::vector<std::string> words) const;
  // One word as a reader would write it, with its space; invalid UTF-8 as "\xE2". Throws as text_of does.
  std::string label(const std::string& word) const;

 private:
  std::vector<DecoderStep> steps_;
};

}  // namespace headlight
