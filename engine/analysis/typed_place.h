// Places in a model and in a text, as they are typed.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/ablation.h"
#include "engine/analysis/path_patching.h"
#include "engine/analysis/text_set.h"

namespace headlight {

// "embedding", "0.1" (layer and head), "mlp.0". Throws Error, at `where`, for anything else and for a place
// that the model does not have.
StreamPart typed_sender(const NetworkConfig& config, const std::string& typed, const char* where);
std::string typed_word(const StreamPart& sender);
// "queries.2.3", "keys.2.3", "values.2.3", "mlp.2", "logits". Throws as typed_sender().
StreamReader typed_receiver(const NetworkConfig& config, const std::string& typed, const char* where);
std::string typed_word(const StreamReader& receiver);
// "2.1,2.3": layers and heads. Throws as typed_sender().
std::vector<HeadPlace> typed_heads(const NetworkConfig& config, const std::string& typed, const char* where);
std::string typed_word(const std::vector<HeadPlace>& heads);

// A whole number from 0. Throws Error, at `where`, for anything else.
Index typed_number(const std::string& typed, const char* where);

// A token of a text: its number from 0, as 4 or #4, from the end with a minus, as #-1; or its words, of one
// token alone. Blanks at both ends of words do not count. Throws Error, at `where`, if the text has no such
// token, or several.
Index typed_position(const Network& network, const TokenIds& ids, const std::string& typed,
                     const char* where);
// Words with commas between them, without the blanks at their ends.
std::vector<std::string> typed_list(const std::string& typed);
// In their order, and each once, however often it is named.
std::vector<Index> each_once(std::vector<Index> positions);
// Several, with commas between them; each_once().
std::vector<Index> typed_positions(const Network& network, const TokenIds& ids, const std::string& typed,
                                   const char* where);

}  // namespace headlight
