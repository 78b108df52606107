#include "engine/array_import/array_file.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/array_import/acting_names.h"
#include "engine/array_import/array_layers.h"
#include "engine/array_import/array_names.h"
#include "engine/arrays/catalog.h"
#include "engine/core/ascii.h"

namespace headlight {
namespace {

// Runs `work`; an exception becomes the result's problem.
template <class Result, class Work>
Result guarded(const std::filesystem::path& path, Work work) {
  Result result;
  try {
    work(result);
  } catch (const Error& error) {
    result.problem = error;
  } catch (const std::bad_alloc&) {
    // NOLINTNEXTLINE(bugprone-throw-keyword-missing): stored in the result
    result.problem = Error("there is not enough memory for it", path.string(), "close other programs first");
  } catch (const std::exception& error) {
    // NOLINTNEXTLINE(bugprone-throw-keyword-missing): as above
    result.problem = Error(error.what(), path.string(), "");
  }
  return result;
}

// Whether the model's current layer, if it is from this file, has the same settings as the new one.
bool same_settings(const PlacementRequest& order, const std::vector<PlacedArray>& arrays) {
  if (order.instead_of.size() != arrays.size()) return false;
  std::vector<ArrayChoice> now, before;
  for (const PlacedArray& placed : arrays) {
    now.push_back({placed.array.name, placed.array.shape, placed.role, placed.layout, false});
    before.push_back(now.back());
    before.back().name = order.instead_of[before.size() - 1];
  }
  return layer_settings(now, order.hints) == layer_settings(before, order.hints);
}

// Whether it may be a mask, weights or scores, which only the values distinguish.
bool role_depends_on_values(const ArrayEntry& entry) {
  if (entry.problem || entry.text) return false;
  if (acting_name(entry.name)) return true;
  if (entry.shape.empty()) return false;
  const auto role = read_array_name(entry.name, entry.shape.size()).role;
  if (role)
    return *role == ArrayRole::Mask || *role == ArrayRole::KeyMask || *role == ArrayRole::ScoreBias ||
           *role == ArrayRole::AttentionWeights || *role == ArrayRole::Scores;
  const std::size_t axes = entry.shape.size();
  return axes > 2 || (axes == 2 && entry.name.find('.') == std::string::npos);
}

void read_all_facts(const std::filesystem::path& path, ArrayListing& listing) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  std::uint64_t bytes = 0;
  listing.facts.resize(listing.entries.size());
  for (std::size_t i = 0; i < listing.entries.size(); ++i) {
    const ArrayEntry& entry = listing.entries[i];
    if (!role_depends_on_values(entry) || entry.bytes > kMostBytes - bytes) continue;
    bytes += entry.bytes;
    listing.facts[i] = read_facts(path, entry.name);
  }
}

// The weights times the scales of their rows, of their columns, or of all of them.
NamedArray scaled(NamedArray weights, const NamedArray& scales) {
  const Index rows = weights.shape[0],
              columns = static_cast<Index>(weights.values.size()) / std::max<Index>(rows, 1);
  const auto count = static_cast<Index>(scales.values.size());
  // bitsandbytes writes the largest number of each row, as which 127 stands.
  const float unit = lowered(scales.name).ends_with("scb") ? 127.0f : 1.0f;
  const bool by_column =
      count == columns && (count != rows || (scales.shape.size() == 2 && scales.shape[0] == 1));
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column)
      weights.values[static_cast<std::size_t>(row * columns + column)] *=
          scales.values[static_cast<std::size_t>(count == 1  ? 0
                                                 : by_column ? column
                                                             : row)] /
          unit;
  return weights;
}

NamedArray read_part(const PlacementRequest& order, const PlacementRequest::Part& part, ReadArrays& read) {
  std::shared_ptr<const NamedArray>& kept = read.arrays[part.name];
  if (!kept) {
    NamedArray array = read_array(order.path, part.name, TextArrays::Read);
    if (!part.scaled_by.empty()) array = scaled(std::move(array), read_array(order.path, part.scaled_by));
    kept = std::make_shared<const NamedArray>(std::move(array));
  }
  NamedArray array = ordered(part.layer ? layer_slice(*kept, *part.layer) : *kept, part.place.order);
  if (part.truth == MaskTruth::Forbidden)
    for (float& value : array.values)
      value = value == 0 ? 1.0f : value == 1 ? 0.0f : value;
  return array;
}

// Names unnamed tokens; if there are fewer queries than keys and as many names as keys, it names the keys.
void name_tokens(Layer& layer, const std::vector<std::string>& tokens) {
  const auto count = static_cast<Index>(tokens.size());
  const Index queries = layer.token_count(), keys = layer.key_count();
  if (count == keys && queries < keys) {
    layer.key_tokens = tokens;
    const bool last = layer.query_offset(0) == keys - queries;
    if (last) layer.tokens = {tokens.end() - queries, tokens.end()};
    return;
  }
  if (count != queries)
    throw Error("there are " + std::to_string(count) + " tokens, T is " + std::to_string(queries), "--tokens",
                "give one for each row");
  layer.tokens = tokens;
}

Index number_count(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index size : shape)
    count *= size;
  return count;
}

std::vector<ArrayEntry>::iterator entry_named(std::vector<ArrayEntry>& entries, const std::string& name) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const ArrayEntry& entry) { return entry.name == name; });
}

// Weights of one byte each, with a scale for each row or column, are one array: the scales are no entries of
// their own. Weights with zero points, packed ones and those without scales are left as they are, and asked
// about.
void join_scales(std::vector<ArrayEntry>& entries) {
  std::vector<std::string> joined;
  for (ArrayEntry& entry : entries) {
    const bool bytes = entry.type == "I8" || entry.type == "|i1" || entry.type == "<i1";
    if (!bytes || entry.problem || entry.shape.size() != 2) continue;
    std::string stem = entry.name;
    for (const std::string_view ending : {".weight", "/kernel", ".kernel", "_weight"})
      if (entry.name.ends_with(ending)) stem.resize(entry.name.size() - ending.size());
    const auto has = [&](const std::string& name) { return entry_named(entries, name) != entries.end(); };
    if (has(stem + ".zero_point") || has(stem + ".weight_zero_point") || has(stem + ".zeros")) continue;
    for (const std::string& name :
         {stem + ".scale", stem + ".scales", stem + ".weight_scale", stem + ".SCB", stem + "_scale",
          entry.name + "_scale", entry.name + ".scale", entry.name + ".SCB"}) {
      const auto scales = entry_named(entries, name);
      if (scales == entries.end() || scales->problem) continue;
      const Index count = number_count(scales->shape);
      if (count != 1 && count != entry.shape[0] && count != entry.shape[1]) continue;
      entry.scaled_by = name;
      joined.push_back(name);
      break;
    }
  }
  std::erase_if(entries, [&](const ArrayEntry& entry) {
    return std::find(joined.begin(), joined.end(), entry.name) != joined.end();
  });
}

// SciPy and PyTorch write sparse matrices as several arrays.
void refuse_sparse(std::vector<ArrayEntry>& entries, const std::string& where) {
  const auto has = [&](const char* name) { return entry_named(entries, name) != entries.end(); };
  const bool scipy =
      has("data") && has("shape") && (has("indptr") || has("row") || has("offsets") || has("format"));
  if (scipy)
    throw Error("it is a sparse matrix of SciPy, of which only some numbers are in the file", where,
                "save all of them: numpy.save(path, scipy.sparse.load_npz(path).toarray())");
  if (has("values") && (has("crow_indices") || has("ccol_indices")))
    throw Error("it is a sparse tensor of PyTorch, of which only some numbers are in the file", where,
                "save all of them: numpy.save(path, tensor.to_dense().numpy())");
}

}  // namespace

bool is_array_file(const std::filesystem::path& path) {
  try {
    array_file_kind(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

ArrayListing list_array_file(const std::filesystem::path& path) {
  ArrayListing listed = guarded<ArrayListing>(path, [&](ArrayListing& listing) {
    listing.entries = list_arrays(path);
    try {
      listing.config = read_layer_config(path);
    } catch (const Error& error) {
      listing.config_problem = error;
    }
    if (listing.entries.empty()) throw Error("there is no array in it", path.string(), "choose another file");
    refuse_sparse(listing.entries, path.string());
    join_scales(listing.entries);
    read_all_facts(path, listing);
  });
  if (listed.problem) listed.entries.clear();
  return listed;
}

ArrayFacts read_facts(const std::filesystem::path& path, const std::string& name) {
  struct Read {
    ArrayFacts facts;
    std::optional<Error> problem;
  };
  Read read = guarded<Read>(path, [&](Read& result) {
    const NamedArray array = read_array(path, name, TextArrays::Read);
    if (array.texts.empty()) result.facts = facts_of(array);
  });
  read.facts.unreadable = std::move(read.problem);
  return std::move(read.facts);
}

bool ReadArrays::outdated(const std::filesystem::path& path) const {
  std::error_code gone;
  const auto now = std::filesystem::last_write_time(path, gone);
  const std::uintmax_t size = gone ? 0 : std::filesystem::file_size(path, gone);
  return !gone && (now != written || size != bytes);
}

ArrayOutcome place_from_file(const PlacementRequest& order) {
  return guarded<ArrayOutcome>(order.path, [&](ArrayOutcome& outcome) {
    ReadArrays& read = outcome.read;
    read = order.read;
    if (read.arrays.empty() || read.outdated(order.path)) {
      // Before the file is read, so that a later write counts as newer.
      std::error_code gone;
      read = {{}, std::filesystem::last_write_time(order.path, gone), 0};
      read.bytes = gone ? 0 : std::filesystem::file_size(order.path, gone);
    }
    std::vector<PlacedArray> arrays;
    for (const PlacementRequest::Part& part : order.parts) {
      NamedArray array = read_part(order, part, read);
      const Index heads = heads_in_weights(read.arrays[part.name]->shape, part.place.order);
      arrays.push_back(
          {std::move(array), part.place.role, part.place.layout, part.row_labels, heads, part.by_groups});
    }
    LayerHints hints = order.hints;
    hints.settled = same_settings(order, arrays);
    hints.same_tokens = !order.instead_of.empty();
    Layer layer = place_arrays(std::move(arrays), order.num_heads, *order.model, hints);
    if (order.tokens) name_tokens(layer, *order.tokens);
    outcome.layer = std::make_shared<Layer>(std::move(layer));
  });
}

}  // namespace headlight
