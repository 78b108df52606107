#include "app/ui/array_dialog/array_file.h"

#include <new>
#include <utility>

#include "engine/arrays/catalog.h"
#include "engine/model/weight_report.h"
#include "engine/placing/array_layers.h"
#include "engine/views/matrix_tile.h"

namespace headlight {
namespace {

// Carries `work` out; what it throws becomes the result's problem.
template <class Result, class Work>
Result guarded(const std::filesystem::path& path, Work work) {
  Result result;
  try {
    work(result);
  } catch (const Error& error) {
    result.problem = error;
  } catch (const std::bad_alloc&) {
    // NOLINTNEXTLINE(bugprone-throw-keyword-missing): the result carries it home
    result.problem = Error("there is not enough memory for it", path.string(), "close other programs first");
  } catch (const std::exception& error) {
    // NOLINTNEXTLINE(bugprone-throw-keyword-missing): as above
    result.problem = Error(error.what(), path.string(), "");
  }
  return result;
}

// The first matrix of the array; one of fewer dimensions is a row.
Matrix first_matrix(const NamedArray& array) {
  const std::size_t dimensions = array.shape.size();
  const Index columns = dimensions > 0 ? array.shape.back() : 1;
  const Index rows = dimensions > 1 ? array.shape[dimensions - 2] : 1;
  return Eigen::Map<const Matrix>(array.values.data(), rows, columns);
}

// Whether the layer that the model has now, if it is of this file, has the settings that this one has.
bool same_settings(const ArrayOrder& order, const std::vector<PlacedArray>& arrays) {
  if (order.instead_of.size() != arrays.size()) return false;
  std::vector<ArrayChoice> now, before;
  for (const PlacedArray& placed : arrays) {
    now.push_back({placed.array.name, placed.array.shape, placed.role, placed.layout, false});
    before.push_back(now.back());
    before.back().name = order.instead_of[before.size() - 1];
  }
  return layer_settings(now, order.hints) == layer_settings(before, order.hints);
}

std::string name_of_place(const NamedArray& array, Index matrix, const std::vector<Index>& last) {
  std::vector<Index> places = last;
  for (std::size_t axis = array.shape.size() - 2; axis-- > 0; matrix /= array.shape[axis])
    places.insert(places.begin(), matrix % array.shape[axis]);
  std::string text = array.name + "[";
  for (std::size_t i = 0; i < places.size(); ++i)
    text.append(i == 0 ? "" : ", ").append(std::to_string(places[i]));
  return text + "]";
}

std::string as_weights(const NamedArray& array) {
  const std::size_t axes = array.shape.size();
  if (axes < 2 || array.values.empty()) return {};
  const Index rows = array.shape[axes - 2], columns = array.shape[axes - 1];
  std::vector<MatrixRef> matrices;
  const auto count = static_cast<Index>(array.values.size());
  for (Index begin = 0; begin < count; begin += rows * columns)
    matrices.emplace_back(Eigen::Map<const Matrix>(array.values.data() + begin, rows, columns));
  return report_text(report_weights(matrices),
                     {[&](const WeightPlace& at) { return name_of_place(array, at.matrix, {at.query}); },
                      [&](const WeightPlace& at) {
                        return name_of_place(array, at.matrix, {at.query, at.key});
                      }});
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
  return guarded<ArrayListing>(path, [&](ArrayListing& listing) {
    listing.entries = list_arrays(path);
    try {
      listing.config = read_layer_config(path);
    } catch (const Error& error) {
      listing.config_problem = error;
    }
    if (listing.entries.empty()) throw Error("there is no array in it", path.string(), "choose another file");
  });
}

ArrayLook look_at_array(const std::filesystem::path& path, const std::string& name, std::size_t entry) {
  ArrayLook result = guarded<ArrayLook>(path, [&](ArrayLook& look) {
    const NamedArray array = read_array(path, name);
    look.summary = summary_of(array);
    look.values = values_problem(array);
    look.as_weights = as_weights(array);
    if (!array.values.empty())
      look.tile = matrix_tile(first_matrix(array), kMostThumbnailCells, kMostThumbnailCells);
  });
  result.entry = entry;
  return result;
}

ArrayCheck check_array(const std::filesystem::path& path, const std::string& name, std::size_t entry) {
  ArrayCheck result = guarded<ArrayCheck>(path, [&](ArrayCheck& check) {
    const NamedArray array = read_array(path, name);
    check.problem = values_problem(array);
    check.as_weights = as_weights(array);
  });
  result.entry = entry;
  return result;
}

bool ReadArrays::outdated(const std::filesystem::path& path) const {
  std::error_code gone;
  const auto now = std::filesystem::last_write_time(path, gone);
  const std::uintmax_t size = gone ? 0 : std::filesystem::file_size(path, gone);
  return !gone && (now != written || size != bytes);
}

ArrayOutcome place_from_file(const ArrayOrder& order) {
  return guarded<ArrayOutcome>(order.path, [&](ArrayOutcome& outcome) {
    ReadArrays& read = outcome.read;
    read = order.read;
    if (read.arrays.empty() || read.outdated(order.path)) {
      // Before it is read: what is written meanwhile counts as newer.
      std::error_code gone;
      read = {{}, std::filesystem::last_write_time(order.path, gone), 0};
      read.bytes = gone ? 0 : std::filesystem::file_size(order.path, gone);
    }
    std::vector<PlacedArray> arrays;
    for (const ArrayOrder::Part& part : order.parts) {
      std::shared_ptr<const NamedArray>& kept = read.arrays[part.name];
      if (!kept) kept = std::make_shared<const NamedArray>(read_array(order.path, part.name));
      NamedArray array = part.layer ? layer_slice(*kept, *part.layer) : *kept;
      arrays.push_back({std::move(array), part.place.role, part.place.layout, part.row_labels});
    }
    LayerHints hints = order.hints;
    hints.settled = same_settings(order, arrays);
    outcome.model =
        std::make_shared<Model>(place_arrays(std::move(arrays), order.num_heads, *order.model, hints));
  });
}

}  // namespace headlight
