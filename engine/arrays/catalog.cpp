#include "engine/arrays/catalog.h"

#include <algorithm>
#include <string_view>

#include "engine/arrays/npy.h"
#include "engine/arrays/safetensors.h"
#include "engine/arrays/table_file.h"
#include "engine/core/ascii.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// Removes the digits at the front of the text and returns them without leading zeros.
std::string_view take_digits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end]))
    ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0')
    digits.remove_prefix(1);
  return digits;
}

// Compares the numbers inside names by value: h.2 before h.10.
bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = take_digits(a), right = take_digits(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

NamedArray table_array(const fs::path& path) {
  const TableFile table = read_table_file(path);
  const Matrix& values = table.values;
  return {
      path.stem().string(), {values.rows(), values.cols()}, {values.data(), values.data() + values.size()}};
}

}  // namespace

ArrayFileKind array_file_kind(const fs::path& path) {
  const std::string ending = lowered(path.extension().string());
  if (ending == ".npy") return ArrayFileKind::Npy;
  if (ending == ".npz") return ArrayFileKind::Npz;
  if (ending == ".safetensors") return ArrayFileKind::Safetensors;
  if (ending == ".csv" || ending == ".tsv") return ArrayFileKind::Table;
  const std::optional<Error> foreign = foreign_file(path);
  throw Error(
      "files of type " + in_quotes(ending) + " cannot be read" + (foreign ? ": " + foreign->summary() : ""),
      path.string(),
      "arrays come from .npy, .npz, .safetensors, .csv and .tsv files" +
          (foreign ? ": " + foreign->hint() : ""));
}

bool names_its_arrays(ArrayFileKind kind) {
  return kind == ArrayFileKind::Npz || kind == ArrayFileKind::Safetensors;
}

std::vector<ArrayEntry> list_arrays(const fs::path& path) {
  switch (array_file_kind(path)) {
    case ArrayFileKind::Npy:
      return {list_npy(path)};
    case ArrayFileKind::Npz:
      return list_npz(path);
    case ArrayFileKind::Table:
      return {list_table(path)};
    case ArrayFileKind::Safetensors:
      break;
  }
  std::vector<ArrayEntry> entries = list_safetensors(path);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const ArrayEntry& a, const ArrayEntry& b) { return natural_less(a.name, b.name); });
  return entries;
}

namespace {

NamedArray read_any(const fs::path& path, const std::string& name) {
  const ArrayFileKind kind = array_file_kind(path);
  if (kind == ArrayFileKind::Npz) return read_npz(path, name);
  if (kind == ArrayFileKind::Safetensors) return read_safetensors(path, name);
  if (!name.empty() && name != path.stem().string())
    throw Error("there is no array " + in_quotes(name) + " in it", path.string(),
                "a " + path.extension().string() + " file holds one array without a name");
  return kind == ArrayFileKind::Npy ? read_npy(path) : table_array(path);
}

}  // namespace

NamedArray read_array(const fs::path& path, const std::string& name, TextArrays text) {
  NamedArray array = read_any(path, name);
  if (text == TextArrays::Refused && !array.texts.empty())
    throw Error("it holds text, and no numbers", path.string() + (name.empty() ? "" : "[" + name + "]"),
                "text can be the tokens only: choose an array of numbers");
  return array;
}

}  // namespace headlight
