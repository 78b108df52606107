#include "engine/array_import/array_layers.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "engine/array_import/array_names.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

const ArrayEntry* find(const std::vector<ArrayEntry>& entries, const std::string& name,
                       const std::vector<Index>& shape) {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const ArrayEntry& entry) {
    return entry.name == name && entry.shape == shape && !entry.problem;
  });
  return at == entries.end() ? nullptr : &*at;
}

std::vector<std::string> names_of(const std::vector<ArrayEntry>& entries,
                                  const std::vector<std::size_t>& chosen) {
  std::vector<std::string> names;
  names.reserve(chosen.size());
  for (const std::size_t entry : chosen)
    names.push_back(entries[entry].name);
  return names;
}

// The chosen arrays' names in another layer; empty if one of them is missing there.
std::optional<std::vector<std::string>> names_in(const std::vector<ArrayEntry>& entries,
                                                 const std::vector<std::size_t>& chosen,
                                                 const std::string& layer) {
  std::vector<std::string> names;
  for (const std::size_t at : chosen) {
    const ArrayEntry& entry = entries[at];
    const std::size_t own = numbered_layer_of(entry.name).size();
    std::string name = own == 0 ? entry.name : layer + entry.name.substr(own);
    // T5 has one bias for all layers, in the first of them.
    const bool shared = read_array_name(name, entry.shape.size()).role == ArrayRole::RelativeBias;
    if (shared && !find(entries, name, entry.shape)) name = entry.name;
    if (!find(entries, name, entry.shape)) return std::nullopt;
    names.push_back(name);
  }
  return names;
}

// The layer without its number: "encoder.layer." of encoder.layer.11.
std::string_view stem_of(std::string_view layer) {
  while (!layer.empty() && std::isdigit(static_cast<unsigned char>(layer.back())))
    layer.remove_suffix(1);
  return layer;
}

long number_of(const std::string& layer) {
  return std::strtol(layer.c_str() + stem_of(layer).size(), nullptr, 10);
}

std::vector<LayerSource> named_layers(const std::vector<ArrayEntry>& entries,
                                      const std::vector<std::size_t>& chosen) {
  std::string_view own;
  for (const std::size_t at : chosen)
    if (own.empty()) own = numbered_layer_of(entries[at].name);
  if (own.empty()) return {};
  std::vector<std::string> layers;
  for (const ArrayEntry& entry : entries) {
    const std::string layer(numbered_layer_of(entry.name));
    if (!layer.empty() && stem_of(layer) == stem_of(own) &&
        std::find(layers.begin(), layers.end(), layer) == layers.end())
      layers.push_back(layer);
  }
  std::sort(layers.begin(), layers.end(),
            [](const auto& a, const auto& b) { return number_of(a) < number_of(b); });
  std::vector<LayerSource> sources;
  for (const std::string& layer : layers)
    if (auto names = names_in(entries, chosen, layer)) sources.push_back({layer, *std::move(names), {}});
  return sources;
}

}  // namespace

bool layers_possible(const std::vector<Index>& shape) {
  return shape.size() == 4 || shape.size() == 5;
}

bool layers_likely(const std::string& name, const std::vector<Index>& shape) {
  if (shape.size() != 4) return shape.size() == 5;
  const auto role = read_array_name(name, shape.size()).role;
  const bool of_all = name.find("attentions") != std::string::npos;
  const bool of_one = role == ArrayRole::AttentionWeights || role == ArrayRole::Scores;
  return shape[0] > 1 && (of_all || !of_one);
}

std::vector<Index> layer_shape(const std::vector<Index>& shape) {
  return {shape.begin() + 1, shape.end()};
}

NamedArray layer_slice(const NamedArray& array, Index layer) {
  if (array.shape.empty() || layer < 0 || layer >= array.shape[0])
    throw Error("there is no layer " + std::to_string(layer), array.name,
                "its shape is " + shape_text(array.shape) + ": layers are counted from 0 on the first axis");
  const auto count = static_cast<std::ptrdiff_t>(array.values.size()) / array.shape[0];
  const auto begin = array.values.begin() + count * layer;
  return {array.name, layer_shape(array.shape), {begin, begin + count}};
}

std::vector<LayerSource> layers_of(const std::vector<ArrayEntry>& entries,
                                   const std::vector<std::size_t>& chosen, std::optional<std::size_t> sliced,
                                   bool attention_alone) {
  std::vector<LayerSource> sources;
  if (sliced) {
    for (Index layer = 0; layer < entries[*sliced].shape[0]; ++layer)
      sources.push_back({std::to_string(layer), names_of(entries, chosen), layer});
    return sources;
  }
  sources = named_layers(entries, chosen);
  if (sources.size() > 1 || !attention_alone || chosen.size() != 1) return sources;
  sources.clear();
  for (const ArrayEntry& entry : entries)
    if (!entry.problem && entry.shape == entries[chosen.front()].shape)
      sources.push_back({entry.name, {entry.name}, {}});
  return sources;
}

}  // namespace headlight
