// The layers that one file holds: as an axis of one array, as names, or as arrays one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"

namespace headlight {

// Whether the first axis of weights of attention can count layers: L x H x Tq x Tk, L x B x H x Tq x Tk.
bool layers_possible(const std::vector<Index>& shape);
// Whether it is likely to: five axes, or four of an array that is not called as those of one layer are.
bool layers_likely(const std::string& name, const std::vector<Index>& shape);
// The shape without its first axis.
std::vector<Index> layer_shape(const std::vector<Index>& shape);
// One layer of the array. Throws Error when it has no such layer.
NamedArray layer_slice(const NamedArray& array, Index layer);

struct LayerSource {               // where one layer's arrays are
  std::string label;               // "h.3"; "3" of an axis
  std::vector<std::string> names;  // one for each array that was placed, in their order
  std::optional<Index> slice;      // of the array whose first axis counts layers
};
// The layers of the file that have an array of the same shape for each of those at `chosen`; one or none when
// there are no others. sliced: the entry whose first axis counts layers, if one does. Otherwise layers are
// told by the numbers in the names (h.3.attn.c_attn.weight), and weights of attention that are chosen alone
// by all arrays of their shape in the file.
std::vector<LayerSource> layers_of(const std::vector<ArrayEntry>& entries,
                                   const std::vector<std::size_t>& chosen, std::optional<std::size_t> sliced,
                                   bool attention_alone);

}  // namespace headlight
