// A set of texts that a question is asked about, one after the other, and averaged over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

using TokenIds = std::vector<std::int32_t>;

// Reads a text from each line; a line break at the end of the last one adds none. where: the file's name.
// Throws Error, with the line, for an empty line, and for what Network::encode rejects: a text that is longer
// than the model's positions, or has no tokens; also if there is no line. Throws Stopped.
std::vector<TokenIds> parse_text_set(const Network& network, const std::string& content,
                                     const std::string& where);

// Throws Error, with the line, if two sets of texts are not pairs of as many tokens.
void require_pairs(const std::vector<TokenIds>& texts, const std::vector<TokenIds>& others);

// Sets a text, or leaves the image of a model of images; changes of the pass stay, `patches` among them.
// Throws Error if one does not fit the text: a patch beyond its end, a mask for another number of tokens.
void take_text(NetworkPass& pass, const TokenIds& ids, const std::vector<Patch>& patches);

}  // namespace headlight
