#include "engine/session/array_field.h"

#include <algorithm>
#include <cmath>

#include "engine/arrays/catalog.h"
#include "engine/arrays/json_fields.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string cell_name(Index row, std::size_t column) {
  return "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1);
}

// values: one row of JSON numbers. target: as many cells.
void fill_row(const Json& values, Index row, float* target, const std::string& place) {
  for (std::size_t c = 0; c < values.size(); ++c) {
    const Json& value = values[c];
    if (!value.is_number())
      throw Error(
          cell_name(row, c) + " is " + json_kind(value) + ", expected a number", place,
          value.is_string() ? "write numbers without quotation marks" : "every cell holds one finite number");
    target[c] = static_cast<float>(value.get<double>());
    if (!std::isfinite(target[c]))
      throw Error(cell_name(row, c) + " is too large for float32", place, "values stay below 3.4e38 in size");
  }
}

Matrix matrix_from_rows(const Json& rows, const std::string& place) {
  const char* hint = "write rows of numbers, such as [[1, 2], [3, 4]]";
  if (rows.empty()) throw Error("has no rows", place, hint);
  if (!rows[0].is_array())
    throw Error("row 1 is " + json_kind(rows[0]) + ", expected a list of numbers", place, hint);
  const std::size_t columns = rows[0].size();
  if (columns == 0) throw Error("row 1 is empty", place, hint);
  Matrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(columns));
  for (Index r = 0; r < matrix.rows(); ++r) {
    const Json& row = rows[static_cast<std::size_t>(r)];
    const std::string name = "row " + std::to_string(r + 1);
    if (!row.is_array())
      throw Error(name + " is " + json_kind(row) + ", expected a list of numbers", place, hint);
    if (row.size() != columns)
      throw Error(
          name + " has " + std::to_string(row.size()) + " numbers, row 1 has " + std::to_string(columns),
          place, "make all rows equally long");
    fill_row(row, r, matrix.row(r).data(), place);
  }
  return matrix;
}

// Part number `at` of an array whose last two dimensions are rows and columns.
Matrix matrix_from_array(const NamedArray& array, Index at, Index rows, Index columns) {
  return Eigen::Map<const Matrix>(array.values.data() + at * rows * columns, rows, columns);
}

fs::path path_inside(const fs::path& folder, const std::string& file, const std::string& place) {
  const fs::path relative(file);
  const char* hint = "put the array file beside the session file or into a folder there";
  if (file.empty()) throw Error("the file has no name", place, hint);
  if (relative.is_absolute()) throw Error(in_quotes(file) + " is an absolute path", place, hint);
  if (std::find(relative.begin(), relative.end(), "..") != relative.end())
    throw Error(in_quotes(file) + " leads out of the session's folder", place, hint);
  // Links are followed before the comparison: what counts is where the bytes lie.
  std::error_code code;
  const fs::path root = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, code);
  const fs::path full = code ? fs::path() : fs::weakly_canonical(root / relative, code);
  if (code) throw Error(in_quotes(file) + " cannot be found: " + code.message(), place, hint);
  if (std::mismatch(root.begin(), root.end(), full.begin(), full.end()).first != root.end())
    throw Error(in_quotes(file) + " is a link that leads out of the session's folder", place, hint);
  return full;
}

NamedArray read_file_array(const fs::path& path, const std::string& name, const std::string& place) {
  if (!name.empty() && !names_its_arrays(array_file_kind(path)))
    throw Error("a " + path.extension().string() + " file holds one array without a name", place + ".name",
                "remove \"name\"");
  return read_array(path, name);
}

NamedArray referenced_array(const fs::path& folder, const Json& value, const std::string& place) {
  const JsonFields fields(value, place, {"file", "name"});
  fields.require("file", "a reference is {\"file\": \"x.npy\"}, with \"name\" for .npz and .safetensors");
  const fs::path path = path_inside(folder, fields.text("file", ""), fields.place("file"));
  const std::string name = fields.text("name", "");
  NamedArray array;
  try {
    array = read_file_array(path, name, place);
  } catch (const Error& error) {
    throw error.where().starts_with(place) ? error : error.inside(place);
  }
  for (Index size : array.shape)
    if (size == 0)
      throw Error("the array in " + path.filename().string() + " is empty", place, "save it again");
  return array;
}

[[noreturn]] void fail_shape(const NamedArray& array, const std::string& wanted, const std::string& place) {
  throw Error("the array has shape " + shape_text(array.shape) + ", expected " + wanted, place,
              "reshape it before you save it");
}

[[noreturn]] void fail_kind(const Json& value, const std::string& wanted, const std::string& place) {
  throw Error("is " + json_kind(value) + ", expected " + wanted, place,
              "write rows of numbers, or a reference such as {\"file\": \"x.npy\"}");
}

}  // namespace

Matrix ArrayField::matrix(const Json& value, const std::string& place) const {
  if (value.is_array()) return matrix_from_rows(value, place);
  if (!value.is_object()) fail_kind(value, "a matrix", place);
  const NamedArray array = referenced_array(folder_, value, place);
  if (array.shape.size() != 2) fail_shape(array, "rows x columns", place);
  return matrix_from_array(array, 0, array.shape[0], array.shape[1]);
}

Matrix ArrayField::vector(const Json& value, const std::string& place) const {
  if (value.is_array()) {
    if (value.empty()) throw Error("has no numbers", place, "write a list such as [0, 0]");
    Matrix row(1, static_cast<Index>(value.size()));
    fill_row(value, 0, row.data(), place);
    return row;
  }
  if (!value.is_object()) fail_kind(value, "a list of numbers", place);
  const NamedArray array = referenced_array(folder_, value, place);
  const bool one_row = array.shape.size() == 2 && array.shape[0] == 1;
  if (array.shape.size() != 1 && !one_row) fail_shape(array, "one dimension", place);
  return matrix_from_array(array, 0, 1, array.shape.back());
}

std::vector<Matrix> ArrayField::batch(const Json& value, const std::string& place) const {
  std::vector<Matrix> matrices;
  if (value.is_array()) {
    const bool nested = !value.empty() && value[0].is_array() && !value[0].empty() && value[0][0].is_array();
    if (!nested) return {matrix_from_rows(value, place)};
    for (std::size_t b = 0; b < value.size(); ++b) {
      const std::string part = place + "[" + std::to_string(b) + "]";
      if (!value[b].is_array()) fail_kind(value[b], "a matrix", part);
      matrices.push_back(matrix_from_rows(value[b], part));
    }
    return matrices;
  }
  if (!value.is_object()) fail_kind(value, "a matrix", place);
  const NamedArray array = referenced_array(folder_, value, place);
  const std::size_t dimensions = array.shape.size();
  if (dimensions != 2 && dimensions != 3)
    fail_shape(array, "tokens x d_in or sequences x tokens x d_in", place);
  const Index count = dimensions == 3 ? array.shape[0] : 1;
  for (Index b = 0; b < count; ++b)
    matrices.push_back(matrix_from_array(array, b, array.shape[dimensions - 2], array.shape[dimensions - 1]));
  return matrices;
}

}  // namespace headlight
