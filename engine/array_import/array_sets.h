// Arrays of a file that belong together, told from their names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"

namespace headlight {

struct ArraySet {  // those of one layer, and those of no layer in particular
  struct Member {
    std::size_t entry = 0;  // its place in the list
    RoleProposal proposal;
  };
  std::string layer;  // what their names begin with; empty: of a file without layers
  std::vector<Member> members;
};

// The layers whose arrays say by name where they go, in the order of the list. A place is filled once: the
// first array that names it wins. A mask that a module keeps for longer texts (GPT-2's attn.bias) is left
// out. A file whose names have no layers is one set; one without such names has none.
std::vector<ArraySet> find_array_sets(const std::vector<ArrayEntry>& entries, const Model& model);

}  // namespace headlight
