// What the tables of GPT-2 and of the families derived from it have in common.
#pragma once

#include <string_view>

#include "engine/architecture/family.h"

namespace headlight {

// The sizes by GPT-2's names, and the members that follow, each with the family's default.
ConfigFieldList gpt_fields(std::string_view positions, std::string_view activation, std::string_view tied,
                           const ConfigFieldList& more);
// GPT-2's tensors, without those of queries, keys and values.
TensorNames gpt_tensors();

// Attention and MLP beside each other behind one norm, neighbouring pairs; without the tensors of queries,
// keys and values.
NetworkConfig gptj_like_base();
// A table of that kind. needs: as in Family.
Family gptj_like_family(std::string_view name, const NetworkConfig& base, std::string_view needs);
void read_rotary_dim(const ConfigFields& json, NetworkConfig& c);

}  // namespace headlight
