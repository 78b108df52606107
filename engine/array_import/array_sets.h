// Finds the arrays of a file that belong together, by their names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"

namespace headlight {

struct ArraySet {  // those of one layer, and those of no particular layer
  struct Member {
    std::size_t entry = 0;  // index in the list of arrays
    RoleProposal proposal;
  };
  std::string layer;  // common beginning of the names; empty for a file without layers
  std::vector<Member> members;
};

// The layers whose arrays name their places, in the order of the list. Of several arrays for one place the
// first is taken. A mask that a module stores for longer texts (GPT-2's attn.bias) is left out. A file whose
// names have no layers is one set; one without such names has none.
std::vector<ArraySet> find_array_sets(const std::vector<ArrayEntry>& entries, const Layer& layer);

}  // namespace headlight
