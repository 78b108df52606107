// A set of texts that an analysis is asked about, one after the other, and averaged over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

using TokenIds = std::vector<std::int32_t>;

struct TextSet {
  std::vector<TokenIds> texts;
  // What stands behind a tab in each line: the token that should follow the text. Empty: no line has a tab.
  std::vector<std::optional<std::int32_t>> targets;
};
// Reads a text from each line, or TEXT<tab>ANSWER, the answer as typed_target() reads it; a line break at the
// end of the last line adds none. where: the file's name. Throws Error, with the line, for an empty line or
// text, for a second tab, and for what Network::encode and typed_target() reject: a text that is longer than
// the model's positions, or has no tokens; also if there is no line. Throws Stopped.
TextSet parse_text_set(const Network& network, const std::string& content, const std::string& where);

// Throws Error, with the line, if two sets of texts are not pairs of as many tokens.
void require_pairs(const std::vector<TokenIds>& texts, const std::vector<TokenIds>& others);

// Throws Error if a layer has a mask or a bias of its own that is not for texts of that many tokens.
void require_fitting(Index layer, const OwnSettings& own, Index tokens);

// Sets a text, or leaves the image of a model of images; changes of the pass stay, `patches` among them.
// types: as for NetworkPass::set_ids. Throws Error if one does not fit the text: a patch beyond its end, a
// mask for another number of tokens.
void take_text(NetworkPass& pass, const TokenIds& ids, const std::vector<Patch>& patches,
               const std::vector<std::int32_t>& types = {});

}  // namespace headlight
