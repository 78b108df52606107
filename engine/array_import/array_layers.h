// The layers that one file holds: as an axis of one array, by numbered names, or as separate arrays.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"

namespace headlight {

// Whether the first axis of attention weights can count layers: L x H x Tq x Tk, L x B x H x Tq x Tk.
bool layers_possible(const std::vector<Index>& shape);
// Whether it probably does: five axes, or four if the name is not that of a single layer's array.
bool layers_likely(const std::string& name, const std::vector<Index>& shape);
// The shape without its first axis.
std::vector<Index> layer_shape(const std::vector<Index>& shape);
// One layer of the array. Throws Error when it has no such layer.
NamedArray layer_slice(const NamedArray& array, Index layer);

struct LayerSource {               // the location of one layer's arrays
  std::string label;               // "h.3", or "3" on an axis
  std::vector<std::string> names;  // one per placed array, in the same order
  std::optional<Index> slice;      // index on the axis that counts layers
};
// The layers of the file that have an array of the same shape for each entry of `chosen`; at most one if
// there are no others. sliced: the entry whose first axis counts layers, if any. Otherwise layers are found
// by the numbers in the names (h.3.attn.c_attn.weight); with attention_alone, a single chosen array that has
// no other such layers has as layers all arrays of its shape.
std::vector<LayerSource> layers_of(const std::vector<ArrayEntry>& entries,
                                   const std::vector<std::size_t>& chosen, std::optional<std::size_t> sliced,
                                   bool attention_alone);

}  // namespace headlight
