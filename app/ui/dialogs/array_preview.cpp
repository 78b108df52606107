#include "app/ui/dialogs/array_preview.h"

#include <exception>
#include <new>

#include "engine/arrays/catalog.h"
#include "engine/views/matrix_tile.h"

namespace headlight {
namespace {

// The last two axes of the array at index 0 of the others; a vector is a row.
Matrix first_matrix(const NamedArray& array) {
  const std::size_t dimensions = array.shape.size();
  const Index columns = dimensions > 0 ? array.shape.back() : 1;
  const Index rows = dimensions > 1 ? array.shape[dimensions - 2] : 1;
  return Eigen::Map<const Matrix>(array.values.data(), rows, columns);
}

void look(const std::filesystem::path& path, const std::string& name, ArrayPreview& result) {
  const NamedArray array = read_array(path, name, TextArrays::Read);
  result.summary = summary_of(array);
  if (array.values.empty()) return;
  result.facts = facts_of(array);
  result.tile = matrix_tile(first_matrix(array), kMostThumbnailCells, kMostThumbnailCells);
}

}  // namespace

ArrayPreview preview_array(const std::filesystem::path& path, const std::string& name, std::size_t entry) {
  ArrayPreview result;
  result.entry = entry;
  try {
    look(path, name, result);
  } catch (const Error& error) {
    result.problem = error;
  } catch (const std::bad_alloc&) {
    result.problem.emplace("there is not enough memory for it", path.string(), "close other programs first");
  } catch (const std::exception& error) {
    result.problem.emplace(error.what(), path.string(), "");
  }
  if (result.problem) result.facts.unreadable = result.problem;
  return result;
}

}  // namespace headlight
