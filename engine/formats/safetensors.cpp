#include "engine/formats/safetensors.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "engine/core/error.h"
#include "engine/formats/element_type.h"
#include "engine/formats/file.h"
#include "engine/formats/json_document.h"
#include "engine/formats/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the limit of the format's own library
constexpr const char* kDamaged = "the file is damaged: copy or download it again";

struct Dtype {
  std::string_view name;
  ElementType type;
};
constexpr std::array<Dtype, 13> kDtypes = {{
    {"F64", {ElementKind::Float, 8}},
    {"F32", {ElementKind::Float, 4}},
    {"F16", {ElementKind::Float, 2}},
    {"BF16", {ElementKind::BFloat, 2}},
    {"I64", {ElementKind::Signed, 8}},
    {"I32", {ElementKind::Signed, 4}},
    {"I16", {ElementKind::Signed, 2}},
    {"I8", {ElementKind::Signed, 1}},
    {"U64", {ElementKind::Unsigned, 8}},
    {"U32", {ElementKind::Unsigned, 4}},
    {"U16", {ElementKind::Unsigned, 2}},
    {"U8", {ElementKind::Unsigned, 1}},
    {"BOOL", {ElementKind::Bool, 1}},
}};

// One tensor of the header: its bytes lie from begin to end, counted from the end of the header.
struct Entry {
  std::string name;
  std::uint64_t begin = 0, end = 0;
};

std::string read_bytes(std::ifstream& file, std::uint64_t at, std::uint64_t count, const std::string& where) {
  std::string bytes(count, '\0');
  file.seekg(static_cast<std::streamoff>(at));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  if (!file) throw Error("the file cannot be read to its end", where, kDamaged);
  return bytes;
}

std::uint64_t header_length(std::ifstream& file, std::uint64_t file_size, const std::string& where) {
  if (file_size < 8) throw Error("this is not a .safetensors file: it is too short", where, kDamaged);
  const std::string bytes = read_bytes(file, 0, 8, where);
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  if (length > kMaxHeader || length > file_size - 8)
    throw Error("this is not a .safetensors file: its header claims " + std::to_string(length) + " bytes",
                where, kDamaged);
  return length;
}

Entry read_entry(const std::string& name, const Json& tensor, std::uint64_t data_size,
                 const std::string& where) {
  const Error bad("the data_offsets of " + in_quotes(name) + " are not two places inside the file", where,
                  kDamaged);
  const auto offsets = tensor.is_object() ? tensor.find("data_offsets") : tensor.end();
  if (!tensor.is_object() || offsets == tensor.end() || !offsets->is_array() || offsets->size() != 2)
    throw bad;
  for (const Json& offset : *offsets)
    if (!offset.is_number_unsigned()) throw bad;
  const Entry entry{name, (*offsets)[0].get<std::uint64_t>(), (*offsets)[1].get<std::uint64_t>()};
  if (entry.begin > entry.end || entry.end > data_size) throw bad;
  return entry;
}

std::vector<Entry> read_entries(const Json& header, std::uint64_t data_size, const std::string& where) {
  if (!header.is_object())
    throw Error("the header is " + json_kind(header) + ", expected an object {...}", where, kDamaged);
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : header.items())
    if (name != "__metadata__") entries.push_back(read_entry(name, tensor, data_size, where));
  std::vector<Entry> sorted = entries;
  std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].begin < sorted[i - 1].end)
      throw Error(
          "the tensors " + in_quotes(sorted[i - 1].name) + " and " + in_quotes(sorted[i].name) + " overlap",
          where, kDamaged);
  return entries;
}

const Entry& find_entry(const std::vector<Entry>& entries, const std::string& name,
                        const std::string& where) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  const std::string what = name.empty() ? "no tensor is named" : "there is no tensor " + in_quotes(name);
  throw Error(what, where,
              names.empty() ? "the file holds none"
                            : "the nearest name is " + in_quotes(nearest_name(name, names)) + "; it holds " +
                                  listed(names));
}

ElementType element_type(const Json& tensor, const std::string& where) {
  const auto dtype = tensor.find("dtype");
  if (dtype == tensor.end() || !dtype->is_string()) throw Error("the tensor has no dtype", where, kDamaged);
  const auto& name = dtype->get_ref<const std::string&>();
  for (const Dtype& known : kDtypes)
    if (known.name == name) return known.type;
  throw Error("numbers of type " + in_quotes(name) + " cannot be read", where,
              "convert the tensor to F32, F16 or BF16 first");
}

std::vector<Index> shape_of(const Json& tensor, const std::string& where) {
  const Error bad("the tensor's shape is not a list of whole numbers", where, kDamaged);
  const auto shape = tensor.find("shape");
  if (shape == tensor.end() || !shape->is_array()) throw bad;
  std::vector<Index> sizes;
  for (const Json& size : *shape) {
    if (!size.is_number_unsigned()) throw bad;
    // What exceeds the limit is refused as too large: it need not be told apart here.
    sizes.push_back(
        static_cast<Index>(std::min<std::uint64_t>(size.get<std::uint64_t>(), kMaxArrayBytes + 1)));
  }
  return sizes;
}

}  // namespace

NamedArray read_safetensors(const fs::path& path, const std::string& name) {
  const std::string where = path.string();
  const std::uint64_t file_size = require_file(path, kMaxFile);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("the file cannot be opened", where, "check its permissions");
  const std::uint64_t length = header_length(file, file_size, where);
  Json header;
  try {
    header = parse_json(read_bytes(file, 8, length, where));
  } catch (const Error& error) {
    throw error.inside(where + ": header");
  }
  const std::vector<Entry> entries = read_entries(header, file_size - 8 - length, where);
  const Entry& entry = find_entry(entries, name, where);
  const std::string place = where + "[" + name + "]";
  const Json& tensor = header.at(name);
  const ElementType type = element_type(tensor, place);
  NamedArray array;
  array.name = name;
  array.shape = shape_of(tensor, place);
  const std::uint64_t size = array_bytes(array.shape, type, kMaxArrayBytes, place);
  if (size != entry.end - entry.begin)
    throw Error("shape " + shape_text(array.shape) + " takes " + std::to_string(size) +
                    " bytes, the tensor has " + std::to_string(entry.end - entry.begin),
                place, kDamaged);
  array.values = decode_elements(read_bytes(file, 8 + length + entry.begin, size, place), type, place);
  return array;
}

}  // namespace headlight
