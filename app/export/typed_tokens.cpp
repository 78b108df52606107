#include "app/export/typed_tokens.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 24;  // bytes of a file with a token a line

// The parts that are not empty.
std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(between, begin), text.size());
    std::string part = text.substr(begin, end - begin);
    if (between == '\n' && part.ends_with('\r')) part.pop_back();
    if (!part.empty()) parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> words_in(const std::string& typed) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(typed, failure)) return parts_of(typed, ',');
  require_file(typed, kMostTokens);
  return parts_of(read_text_file(typed), '\n');
}

}  // namespace

TokenIds typed_tokens(const Network& network, const std::string& typed) {
  TokenIds ids;
  for (const std::string& word : words_in(typed)) {
    try {
      const TypedTarget token = typed_target(network, word);
      if (!token.said.empty())
        throw Error("'" + word + "' is several tokens", "tokens",
                    "list words of the vocabulary, with the blank that they begin with, or ids as #42");
      ids.push_back(token.id);
    } catch (const Error& failure) {
      throw Error(failure.summary(), "tokens", failure.hint());
    }
  }
  if (ids.empty())
    throw Error("there is no token in '" + typed + "'", "tokens", "list words or ids, as #5,#42");
  return ids;
}

std::string tokens_text(const TokenIds& ids) {
  std::string text;
  for (const std::int32_t id : ids)
    text += (text.empty() ? "#" : ",#") + std::to_string(id);
  return text;
}

}  // namespace headlight
