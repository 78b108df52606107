#include "engine/questions/text_set.h"

#include <algorithm>

#include "engine/core/error.h"

namespace headlight {
namespace {

std::string line_name(std::size_t line) {
  return "line " + std::to_string(line + 1);
}

}  // namespace

std::vector<TokenIds> parse_text_set(const Network& network, const std::string& content,
                                     const std::string& where) {
  std::vector<TokenIds> texts;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty())
      throw Error("it is empty", line_name(texts.size()), "give one text a line, and no empty lines")
          .inside(where);
    try {
      texts.push_back(network.encode(line));
    } catch (const Error& failure) {
      throw Error(failure.summary(), line_name(texts.size()), failure.hint()).inside(where);
    }
    begin = end + 1;
  }
  if (texts.empty()) throw Error("there is no text in it", where, "give one text a line");
  return texts;
}

void require_pairs(const std::vector<TokenIds>& texts, const std::vector<TokenIds>& others) {
  if (texts.size() != others.size())
    throw Error("there are " + std::to_string(texts.size()) + " texts, and " + std::to_string(others.size()) +
                    " to take numbers from",
                "texts", "give a line in one file for each line of the other");
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].size() != others[i].size())
      throw Error("one text has " + std::to_string(texts[i].size()) + " tokens, its pair has " +
                      std::to_string(others[i].size()),
                  line_name(i), "patches go from token to token: give texts of as many tokens");
}

void take_text(NetworkPass& pass, const TokenIds& ids, const std::vector<Patch>& patches) {
  for (Index layer = 0; layer < pass.network().config().layers; ++layer) {
    const Index length = pass.layer_frame(layer).custom_mask.rows();
    if (length > 0 && length != static_cast<Index>(ids.size()))
      throw Error("layer " + std::to_string(layer) + " has a mask for " + std::to_string(length) +
                      " tokens, but the text has " + std::to_string(ids.size()),
                  "texts", "switch the mask off, or give texts of that length");
  }
  pass.set_patches({});
  if (!pass.network().reads_images()) pass.set_ids(ids);
  pass.set_patches(patches);
}

}  // namespace headlight
