// What the tables of BERT and of the families derived from it have in common.
#pragma once

#include <string_view>

#include "engine/architecture/family.h"

namespace headlight {

// Learned positions and token types with a norm; a norm behind each sum; attention both ways.
NetworkConfig bert_base();
ConfigFieldList bert_fields(std::string_view positions, std::string_view token_types,
                            const ConfigFieldList& more);
std::vector<ConfigLimit> bert_limits();
// is_decoder: each token sees those before it.
void read_decoder(const ConfigFields& json, NetworkConfig& c);

}  // namespace headlight
