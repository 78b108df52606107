// A search of a tokenizer: for a literal text or a regular expression.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/allowance.h"
#include "engine/tokenizers/splitting.h"

namespace headlight {

class Pattern {
 public:
  // {"String": "..."} or {"Regex": "..."}. Throws Error.
  static Pattern read(const Json& value, const std::string& place);
  // place: the name in messages.
  static Pattern literal(const std::string& text, const std::string& place);
  // In the dialect of the Rust library, which is Oniguruma's. Throws `Error` when it cannot be compiled.
  static Pattern expression(const std::string& text, const std::string& place);

  // The whole text in order: the matches and the stretches between them; matches do not overlap and may be
  // empty. text: UTF-8. Throws `Error` when the expression takes too many steps or too long; `Stopped`.
  // Thread-safe.
  std::vector<Stretch> stretches(std::string_view text) const;

  // Replaces each match. Throws `Error` as stretches() does, and as soon as the allowance is exceeded.
  std::string replaced(std::string_view text, const std::string& content, const Allowance& allowance) const;

 private:
  // Receives the stretches one by one.
  using Found = std::function<void(const Stretch&)>;
  using Search = std::function<void(std::string_view, const Found&)>;
  Pattern(Search search, std::string place) : search_(std::move(search)), place_(std::move(place)) {}

  Search search_;
  std::string place_;
};

}  // namespace headlight
