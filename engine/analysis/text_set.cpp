#include "engine/analysis/text_set.h"

#include <algorithm>
#include <utility>

#include "engine/analysis/analysis.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

std::string line_name(std::size_t line) {
  return "line " + std::to_string(line + 1);
}

// Adds TEXT or TEXT<tab>ANSWER.
void take_line(const Network& network, const std::string& line, TextSet& set) {
  const std::size_t tab = line.find('\t');
  if (line.empty() || tab == 0)
    throw Error("it is empty", "line", "give one text a line, and no empty lines");
  if (tab != std::string::npos && line.find('\t', tab + 1) != std::string::npos)
    throw Error("it has two tabs", "line",
                "give a text alone, or a text, a tab and the token that follows it");
  TokenIds ids = network.encode(line.substr(0, tab));
  std::optional<std::int32_t> answer;
  if (tab != std::string::npos) answer = typed_target(network, line.substr(tab + 1)).id;
  set.texts.push_back(std::move(ids));
  set.targets.push_back(answer);
}

}  // namespace

TextSet parse_text_set(const Network& network, const std::string& content, const std::string& where) {
  TextSet set;
  bool targeted = false;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    try {
      take_line(network, line, set);
    } catch (const Error& failure) {
      throw Error(failure.summary(), line_name(set.texts.size()), failure.hint()).inside(where);
    }
    targeted |= set.targets.back().has_value();
    begin = end + 1;
  }
  if (set.texts.empty()) throw Error("there is no text in it", where, "give one text a line");
  if (!targeted) set.targets.clear();
  return set;
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

void require_fitting(Index layer, const OwnSettings& own, Index tokens) {
  for (const LayerSetting setting : kLayerSettings)
    if (const auto& value = own[static_cast<std::size_t>(setting)];
        value && !setting_fits(*value, tokens, tokens))
      throw Error("layer " + std::to_string(layer) + ": " + setting_text(setting, *value) +
                      " for texts of another length than " + std::to_string(tokens) + " tokens",
                  "texts", "switch it off, or give texts of that length");
}

void take_text(NetworkPass& pass, const TokenIds& ids, const std::vector<Patch>& patches,
               const std::vector<std::int32_t>& types) {
  for (Index layer = 0; layer < pass.network().config().layers; ++layer)
    require_fitting(layer, pass.settings(layer), static_cast<Index>(ids.size()));
  pass.set_patches({});
  if (!pass.network().reads_images()) pass.set_ids(ids, types);
  pass.set_patches(patches);
}

}  // namespace headlight
