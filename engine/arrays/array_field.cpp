#include "engine/arrays/array_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>

#include "engine/arrays/catalog.h"
#include "engine/arrays/npy_stream.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_fields.h"
#include "engine/layer/layer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string cell_name(Index row, std::size_t column) {
  return "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1);
}

// Whether the value is a list, packed or not.
bool is_list(const Json& value) {
  return value.is_array() || is_packed(value);
}
std::size_t list_size(const Json& value) {
  return is_packed(value) ? packed_size(value) : value.size();
}

// JSON has no numbers for values that are not finite: they are stored as text.
std::optional<float> number_beyond_json(const Json& value) {
  if (value == "nan") return std::numeric_limits<float>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<float>::infinity();
  if (value == "-inf") return -std::numeric_limits<float>::infinity();
  return std::nullopt;
}

void require_float(float value, Index row, std::size_t column, const std::string& place) {
  if (std::isfinite(value)) return;
  throw Error(cell_name(row, column) + " is too large for float32", place,
              "values stay below 3.4e38 in size");
}

// values: one row of JSON numbers. target: as many cells.
void fill_row(const Json& values, Index row, float* target, const std::string& place) {
  if (is_packed(values)) {
    const std::vector<float> numbers = packed_numbers(values);
    for (std::size_t c = 0; c < numbers.size(); ++c)
      require_float(target[c] = numbers[c], row, c, place);
    return;
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    const Json& value = values[c];
    if (const auto beyond = number_beyond_json(value)) {
      target[c] = *beyond;
      continue;
    }
    if (!value.is_number())
      throw Error(
          cell_name(row, c) + " is " + json_kind(value) + ", expected a number", place,
          value.is_string() ? "write numbers without quotation marks" : "every cell holds one finite number");
    require_float(target[c] = static_cast<float>(value.get<double>()), row, c, place);
  }
}

Matrix matrix_from_rows(const Json& rows, const std::string& place) {
  const char* hint = "write rows of numbers, such as [[1, 2], [3, 4]]";
  if (is_packed(rows)) throw Error("row 1 is a number, expected a list of numbers", place, hint);
  if (rows.empty()) throw Error("has no rows", place, hint);
  if (!is_list(rows[0]))
    throw Error("row 1 is " + json_kind(rows[0]) + ", expected a list of numbers", place, hint);
  const std::size_t columns = list_size(rows[0]);
  if (columns == 0) throw Error("row 1 is empty", place, hint);
  Matrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(columns));
  for (Index r = 0; r < matrix.rows(); ++r) {
    const Json& row = rows[static_cast<std::size_t>(r)];
    const std::string name = "row " + std::to_string(r + 1);
    if (!is_list(row))
      throw Error(name + " is " + json_kind(row) + ", expected a list of numbers", place, hint);
    if (list_size(row) != columns)
      throw Error(
          name + " has " + std::to_string(list_size(row)) + " numbers, row 1 has " + std::to_string(columns),
          place, "make all rows equally long");
    fill_row(row, r, matrix.row(r).data(), place);
  }
  return matrix;
}

// Throws Error if the name cannot be that of a file beside the session.
void require_inside(const std::string& file, const std::string& place) {
  const char* hint = "put the array file beside the session file or into a folder there";
  const fs::path relative(file);
  if (file.empty()) throw Error("the file has no name", place, hint);
  if (file.find('\0') != std::string::npos)
    throw Error(in_quotes(file) + " holds a byte 0, which no name of a file has", place, hint);
  if (relative.is_absolute()) throw Error(in_quotes(file) + " is an absolute path", place, hint);
  if (std::find(relative.begin(), relative.end(), "..") != relative.end())
    throw Error(in_quotes(file) + " leads out of the session's folder", place, hint);
}

fs::path path_inside(const fs::path& folder, const std::string& file, const std::string& place) {
  const char* hint = "put the array file beside the session file or into a folder there";
  // Symbolic links are resolved before the comparison: the actual location counts.
  std::error_code code;
  const fs::path root = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, code);
  fs::path full = code ? fs::path() : fs::weakly_canonical(root / file, code);
  if (code) throw Error(in_quotes(file) + " cannot be found: " + code.message(), place, hint);
  if (std::mismatch(root.begin(), root.end(), full.begin(), full.end()).first != root.end())
    throw Error(in_quotes(file) + " is a link that leads out of the session's folder", place, hint);
  return full;
}

[[noreturn]] void fail_shape(const std::vector<Index>& shape, const std::string& wanted,
                             const std::string& place) {
  throw Error("the array has shape " + shape_text(shape) + ", expected " + wanted, place,
              "reshape it before you save it");
}

[[noreturn]] void fail_kind(const Json& value, const std::string& wanted, const std::string& place) {
  throw Error("is " + json_kind(value) + ", expected " + wanted, place,
              "write rows of numbers, or a reference such as {\"file\": \"x.npy\"}");
}

// Streams the values of a .npy file.
std::shared_ptr<NpyStream> npy_file(const fs::path& path) {
  const std::uint64_t size = require_file(path, kMaxArrayBytes);
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  const auto read = [file](char* target, std::size_t count) {
    file->read(target, static_cast<std::streamsize>(count));
    return static_cast<std::size_t>(file->gcount());
  };
  return std::make_shared<NpyStream>(read, size, kMaxArrayBytes / sizeof(float), path.string());
}

// Streams the values of a member of the session's archive.
std::shared_ptr<NpyStream> npy_member(const ZipArchive& archive, const ZipMember& member) {
  const auto reading = std::make_shared<ZipReading>(archive, member, member.name);
  const auto read = [reading](char* target, std::size_t count) { return reading->read(target, count); };
  return std::make_shared<NpyStream>(read, member.size, kMostLayerNumbers, member.name);
}

// Nesting depth of lists.
int list_depth(const Json& value) {
  if (is_packed(value)) return 1;
  if (!value.is_array()) return 0;
  return 1 + (value.empty() ? 0 : list_depth(value[0]));
}

Matrix rows_of_pairs(const Json& value, const std::string& place) {
  if (list_depth(value) != 1) return matrix_from_rows(value, place);
  if (list_size(value) == 0) throw Error("has no numbers", place, "write one for each key");
  Matrix row(1, static_cast<Index>(list_size(value)));
  fill_row(value, 0, row.data(), place);
  return row;
}

// Nested lists, one to four deep.
void read_nested(const Json& value, const std::string& place, PairArray& array) {
  constexpr int kMost = 4;
  const int depth = list_depth(value);
  if (depth > kMost)
    throw Error("lists stand " + std::to_string(depth) + " deep", place,
                "there are at most four axes: B x H x Tq x Tk");
  const auto items = [](const Json& list) { return static_cast<Index>(list.size()); };
  array.sequences = depth == kMost ? items(value) : 1;
  array.heads = 1;
  for (Index b = 0; b < array.sequences; ++b) {
    const Json& sequence = depth == kMost ? value[static_cast<std::size_t>(b)] : value;
    if (depth < 3) {
      array.matrices.push_back(rows_of_pairs(sequence, place));
      continue;
    }
    const std::string where = depth == kMost ? place + "[" + std::to_string(b) + "]" : place;
    if (!sequence.is_array() || sequence.empty() || (b > 0 && items(sequence) != array.heads))
      throw Error("its heads are not as many as those of the first sequence", where,
                  "give every sequence a list of as many matrices");
    array.heads = items(sequence);
    for (std::size_t h = 0; h < sequence.size(); ++h)
      array.matrices.push_back(rows_of_pairs(sequence[h], where + "[" + std::to_string(h) + "]"));
  }
  for (const Matrix& matrix : array.matrices)
    if (matrix.rows() != array.rows() || matrix.cols() != array.columns())
      throw Error("a matrix is " + shape_text({matrix.rows(), matrix.cols()}) + ", the first one " +
                      shape_text({array.rows(), array.columns()}),
                  place, "make all matrices equally large");
}

std::vector<const Matrix*> pointers_to(const std::vector<Matrix>& matrices) {
  std::vector<const Matrix*> result;
  result.reserve(matrices.size());
  for (const Matrix& matrix : matrices)
    result.push_back(&matrix);
  return result;
}

}  // namespace

const std::vector<std::string>& array_keys() {
  static const std::vector<std::string> keys = {
      "embeddings", "mask",        "query",          "key",  "value",   "output",  "query_bias", "key_bias",
      "value_bias", "output_bias", "key_embeddings", "bias", "allowed", "weights", "target"};
  return keys;
}

// A referenced array: its shape, and a cursor over its values.
struct ArrayReader::Source {
  std::vector<Index> shape;
  std::shared_ptr<NpyStream> stream;  // for .npy; other formats are read into `whole`
  NamedArray whole;
  std::size_t used = 0;  // values of `whole` that were consumed
  std::optional<ArrayOrigin> origin;

  void next(float* target, std::size_t count) {
    if (stream) return stream->next(target, count);
    std::copy_n(whole.values.data() + used, count, target);
    used += count;
  }
};

ArrayReader::Source ArrayReader::open(const Json& value, const std::string& place) {
  const JsonFields fields(value, place, {"file", "name"});
  fields.require("file", "a reference is {\"file\": \"x.npy\"}, with \"name\" for .npz and .safetensors");
  const std::string file = fields.text("file", ""), name = fields.text("name", "");
  require_inside(file, fields.place("file"));
  Source source;
  try {
    const ZipMember* member = archive_ ? archive_->find(file, place) : nullptr;
    const fs::path path = member ? fs::path(file) : path_inside(folder_, file, fields.place("file"));
    const ArrayFileKind kind = array_file_kind(path);
    if (!name.empty() && !names_its_arrays(kind))
      throw Error("a " + path.extension().string() + " file holds one array without a name", place + ".name",
                  "remove \"name\"");
    if (member && kind != ArrayFileKind::Npy)
      throw Error("the session's archive holds it as " + in_quotes(file), place, "only .npy is read there");
    if (member) {
      source.stream = npy_member(*archive_, *member);
    } else {
      const auto state = file_state(path);
      if (kind == ArrayFileKind::Npy)
        source.stream = npy_file(path);
      else
        source.whole = read_array(path, name);
      if (state) source.origin = {place, path, name, *state, 0};
    }
  } catch (const Error& error) {
    throw error.where().starts_with(place) ? error : error.inside(place);
  }
  source.shape = source.stream ? source.stream->shape() : source.whole.shape;
  double numbers = 1;
  for (const Index size : source.shape)
    numbers *= static_cast<double>(size);
  if (numbers == 0) throw Error("the array in " + in_quotes(file) + " is empty", place, "save it again");
  numbers_ += numbers;
  if (numbers_ > static_cast<double>(kMostLayerNumbers))
    throw Error("the arrays of the session hold more numbers than can be opened", place,
                "take fewer tokens, sequences or dimensions");
  return source;
}

Matrix ArrayReader::next_matrix(Source& source, Index rows, Index columns, const std::string& place) const {
  Matrix matrix(rows, columns);
  try {
    source.next(matrix.data(), static_cast<std::size_t>(matrix.size()));
  } catch (const Error& error) {
    throw error.inside(place);
  }
  return matrix;
}

// Call after the last matrix of a source.
void ArrayReader::note_origin(const Source& source, const std::string& place,
                              const std::vector<const Matrix*>& read) {
  try {
    if (source.stream) source.stream->finish();
  } catch (const Error& error) {
    throw error.inside(place);
  }
  if (!source.origin) return;
  origins_.push_back(*source.origin);
  origins_.back().content = fingerprint(read);
}

Matrix ArrayReader::matrix(const Json& value, const std::string& place) {
  if (is_list(value)) return matrix_from_rows(value, place);
  if (!value.is_object()) fail_kind(value, "a matrix", place);
  Source source = open(value, place);
  if (source.shape.size() != 2) fail_shape(source.shape, "rows x columns", place);
  Matrix matrix = next_matrix(source, source.shape[0], source.shape[1], place);
  note_origin(source, place, {&matrix});
  return matrix;
}

Matrix ArrayReader::vector(const Json& value, const std::string& place) {
  if (is_list(value)) {
    if (list_size(value) == 0) throw Error("has no numbers", place, "write a list such as [0, 0]");
    Matrix row(1, static_cast<Index>(list_size(value)));
    fill_row(value, 0, row.data(), place);
    return row;
  }
  if (!value.is_object()) fail_kind(value, "a list of numbers", place);
  Source source = open(value, place);
  const bool one_row = source.shape.size() == 2 && source.shape[0] == 1;
  if (source.shape.size() != 1 && !one_row) fail_shape(source.shape, "one dimension", place);
  Matrix row = next_matrix(source, 1, source.shape.back(), place);
  note_origin(source, place, {&row});
  return row;
}

std::vector<Matrix> ArrayReader::batch(const Json& value, const std::string& place) {
  std::vector<Matrix> matrices;
  if (is_list(value)) {
    const bool nested = value.is_array() && !value.empty() && value[0].is_array() && !value[0].empty() &&
                        is_list(value[0][0]);
    if (!nested) return {matrix_from_rows(value, place)};
    for (std::size_t b = 0; b < value.size(); ++b) {
      const std::string part = place + "[" + std::to_string(b) + "]";
      if (!is_list(value[b])) fail_kind(value[b], "a matrix", part);
      matrices.push_back(matrix_from_rows(value[b], part));
    }
    return matrices;
  }
  if (!value.is_object()) fail_kind(value, "a matrix", place);
  Source source = open(value, place);
  const std::size_t dimensions = source.shape.size();
  if (dimensions != 2 && dimensions != 3)
    fail_shape(source.shape, "tokens x d_in or sequences x tokens x d_in", place);
  const Index count = dimensions == 3 ? source.shape[0] : 1;
  for (Index b = 0; b < count; ++b)
    matrices.push_back(
        next_matrix(source, source.shape[dimensions - 2], source.shape[dimensions - 1], place));
  note_origin(source, place, pointers_to(matrices));
  return matrices;
}

std::vector<Matrix> ArrayReader::heads(const Json& value, const std::string& place, Index& heads) {
  if (!value.is_object()) return batch(value, place);
  Source source = open(value, place);
  const std::vector<Index>& shape = source.shape;
  if (shape.size() < 2 || shape.size() > 4)
    fail_shape(shape, "T x (heads x width), B x T x (heads x width) or B x heads x T x width", place);
  const bool apart = shape.size() == 4;
  if (apart && heads > 0 && shape[1] != heads)
    throw Error("axis 1 has " + std::to_string(shape[1]) + " heads, expected " + std::to_string(heads), place,
                "its axes are B x heads x T x width: correct the number of heads, or the array");
  if (apart) heads = shape[1];
  const Index count = shape.size() == 2 ? 1 : shape[0], axis = apart ? shape[1] : 1;
  const Index rows = shape[shape.size() - 2], columns = shape.back();
  std::vector<Matrix> matrices;
  for (Index b = 0; b < count; ++b) {
    Matrix joined(rows, axis * columns);
    for (Index head = 0; head < axis; ++head)
      joined.middleCols(head * columns, columns) = next_matrix(source, rows, columns, place);
    matrices.push_back(std::move(joined));
  }
  note_origin(source, place, pointers_to(matrices));
  return matrices;
}

PairArray ArrayReader::pairs(const Json& value, const std::string& place) {
  PairArray array;
  if (is_list(value)) {
    read_nested(value, place, array);
    return array;
  }
  if (!value.is_object()) fail_kind(value, "numbers for pairs of queries and keys", place);
  Source source = open(value, place);
  if (source.shape.size() > 4) fail_shape(source.shape, "at most four axes: B x H x T x columns", place);
  std::array<Index, 4> axes = {1, 1, 1, 1};
  std::copy_backward(source.shape.begin(), source.shape.end(), axes.end());
  array.sequences = axes[0];
  array.heads = axes[1];
  for (Index i = 0; i < axes[0] * axes[1]; ++i)
    array.matrices.push_back(next_matrix(source, axes[2], axes[3], place));
  note_origin(source, place, pointers_to(array.matrices));
  return array;
}

bool ArrayWriter::as_reference(JsonWriter& out, const std::string& place, std::vector<Index> shape,
                               std::vector<const Matrix*> parts, bool flags) {
  if (const auto kept = kept_ ? kept_(place, parts) : std::nullopt) {
    // "./" marks a file that is not a member of the archive, even if a member has the same name.
    out.reference((in_members_ ? "./" : "") + kept->file, kept->name);
    return true;
  }
  if (!in_members_) return false;
  members_.push_back({place + ".npy", std::move(shape), std::move(parts), flags});
  out.reference(members_.back().name, "");
  return true;
}

void ArrayWriter::matrix(JsonWriter& out, const std::string& place, const Matrix& matrix) {
  if (!as_reference(out, place, {matrix.rows(), matrix.cols()}, {&matrix}, false)) out.matrix(matrix);
}

void ArrayWriter::flags(JsonWriter& out, const std::string& place, const Matrix& matrix) {
  if (!as_reference(out, place, {matrix.rows(), matrix.cols()}, {&matrix}, true)) out.matrix(matrix);
}

void ArrayWriter::row(JsonWriter& out, const std::string& place, const Matrix& row) {
  if (!as_reference(out, place, {row.cols()}, {&row}, false)) out.row(row);
}

void ArrayWriter::batch(JsonWriter& out, const std::string& place, const std::vector<Matrix>& matrices) {
  const Matrix& first = matrices.front();
  const bool one = matrices.size() == 1;
  std::vector<Index> shape = {first.rows(), first.cols()};
  if (!one) shape.insert(shape.begin(), static_cast<Index>(matrices.size()));
  if (as_reference(out, place, std::move(shape), pointers_to(matrices), false)) return;
  if (one)
    out.matrix(first);
  else
    out.matrices(matrices);
}

void ArrayWriter::pairs(JsonWriter& out, const std::string& place, const PairArray& array, bool flags) {
  const std::vector<Index> shape = {array.sequences, array.heads, array.rows(), array.columns()};
  if (as_reference(out, place, shape, pointers_to(array.matrices), flags)) return;
  if (array.sequences == 1 && array.heads == 1) return out.matrix(array.matrices.front());
  if (array.sequences == 1) return out.matrices(array.matrices);
  out.begin_list();
  for (Index b = 0; b < array.sequences; ++b) {
    out.next_item();
    const auto first = array.matrices.begin() + b * array.heads;
    out.matrices({first, first + array.heads});
  }
  out.end_list();
}

Index ArrayWriter::member_numbers() const {
  Index count = 0;
  for (const ArrayMember& member : members_)
    for (const Matrix* part : member.parts)
      count += part->size();
  return count;
}

}  // namespace headlight
