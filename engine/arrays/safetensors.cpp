#include "engine/arrays/safetensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/arrays/element_type.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 40;
// A header of this size describes a hundred thousand tensors. The format's own library allows 100 MB.
constexpr std::uint64_t kMaxHeader = std::uint64_t{1} << 24;
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

// The parsed header, the position of the values in the file and their size in bytes.
// NOLINTNEXTLINE(bugprone-exception-escape): the destructor of a Json may allocate memory
struct Header {
  Json tensors;
  std::uint64_t data_begin = 0, data_size = 0;
};

// One tensor of the header; begin and end are byte offsets from the beginning of the values.
struct Span {
  std::string name;
  std::uint64_t begin = 0, end = 0;
};

Header read_header(const fs::path& path, const std::string& where) {
  const std::uint64_t file_size = require_file(path, kMaxFile);
  require_form(path, FileForm::Safetensors);
  const std::string first = read_piece(path, 0, 8);
  if (first.size() < 8) throw Error("this is not a .safetensors file: it is too short", where, kDamaged);
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(first[i]);
  if (length > kMaxHeader || length > file_size - 8)
    throw Error("this is not a .safetensors file: its header claims " + std::to_string(length) + " bytes",
                where, kDamaged);
  Header header;
  try {
    header.tensors = parse_json(read_piece(path, 8, length));
  } catch (const Error& error) {
    throw error.inside(where + ": header");
  }
  if (!header.tensors.is_object())
    throw Error("the header is " + json_kind(header.tensors) + ", expected an object {...}", where, kDamaged);
  header.data_begin = 8 + length;
  header.data_size = file_size - header.data_begin;
  return header;
}

Span read_span(const std::string& name, const Json& tensor, std::uint64_t data_size,
               const std::string& where) {
  const Error bad("the data_offsets of " + in_quotes(name) + " are not two places inside the file", where,
                  kDamaged);
  const auto offsets = tensor.is_object() ? tensor.find("data_offsets") : tensor.end();
  if (!tensor.is_object() || offsets == tensor.end() || !offsets->is_array() || offsets->size() != 2)
    throw bad;
  for (const Json& offset : *offsets)
    if (!offset.is_number_unsigned()) throw bad;
  Span span{name, (*offsets)[0].get<std::uint64_t>(), (*offsets)[1].get<std::uint64_t>()};
  if (span.begin > span.end || span.end > data_size) throw bad;
  return span;
}

// Sorted by name. Throws `Error` when two tensors share a byte or a byte belongs to none: the header's length
// has then changed, and every tensor would be read from the wrong position.
std::vector<Span> read_spans(const Header& header, const std::string& where) {
  std::vector<Span> spans;
  for (const auto& [name, tensor] : header.tensors.items())
    if (name != "__metadata__") spans.push_back(read_span(name, tensor, header.data_size, where));
  std::vector<Span> sorted = spans;
  std::sort(sorted.begin(), sorted.end(), [](const Span& a, const Span& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);  // a tensor without bytes comes first
  });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].begin < sorted[i - 1].end)
      throw Error(
          "the tensors " + in_quotes(sorted[i - 1].name) + " and " + in_quotes(sorted[i].name) + " overlap",
          where, kDamaged);
  std::uint64_t end = 0;
  for (const Span& span : sorted) {
    if (span.begin != end) break;
    end = span.end;
  }
  if (end != header.data_size)
    throw Error(
        "the bytes of the tensors do not lie one behind the other up to the end: " + std::to_string(end) +
            " of " + std::to_string(header.data_size) + " bytes are theirs without a gap",
        where, kDamaged);
  return spans;
}

const Span& find_span(const std::vector<Span>& spans, const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const Span& span : spans) {
    if (span.name == name) return span;
    names.push_back(span.name);
  }
  const std::string what = name.empty() ? "no tensor is named" : "there is no tensor " + in_quotes(name);
  throw Error(what, where,
              names.empty() ? "the file holds none"
                            : "the nearest name is " + in_quotes(nearest_name(name, names)) + "; it holds " +
                                  listed(names));
}

std::string dtype_of(const Json& tensor, const std::string& where) {
  const auto dtype = tensor.find("dtype");
  if (dtype == tensor.end() || !dtype->is_string()) throw Error("the tensor has no dtype", where, kDamaged);
  return dtype->get<std::string>();
}

ElementType element_type(const std::string& dtype, const std::string& where) {
  for (const Dtype& known : kDtypes)
    if (known.name == dtype) return known.type;
  throw Error("numbers of type " + in_quotes(dtype) + " cannot be read", where,
              "convert the tensor to F32, F16 or BF16 first");
}

std::vector<Index> shape_of(const Json& tensor, const std::string& where) {
  const Error bad("the tensor's shape is not a list of whole numbers", where, kDamaged);
  const auto shape = tensor.find("shape");
  if (shape == tensor.end() || !shape->is_array()) throw bad;
  std::vector<Index> sizes;
  for (const Json& size : *shape) {
    if (!size.is_number_unsigned() ||
        size.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<Index>::max()})
      throw bad;
    sizes.push_back(size.get<Index>());
  }
  return sizes;
}

// Throws `Error` when the tensor's size in bytes does not match its shape.
void require_size(const Span& span, std::uint64_t size, const std::vector<Index>& shape,
                  const std::string& where) {
  if (size != span.end - span.begin)
    throw Error("shape " + shape_text(shape) + " takes " + std::to_string(size) + " bytes, the tensor has " +
                    std::to_string(span.end - span.begin),
                where, kDamaged);
}

ArrayEntry entry_of(const Span& span, const Json& tensor, const std::string& where) {
  ArrayEntry entry;
  entry.name = span.name;
  entry.bytes = span.end - span.begin;
  try {
    entry.type = dtype_of(tensor, where);
    entry.shape = shape_of(tensor, where);
    const ElementType type = element_type(entry.type, where);
    require_size(span, array_bytes(entry.shape, type, kMaxArrayBytes, where), entry.shape, where);
  } catch (const Error& error) {
    entry.problem = error;
  }
  return entry;
}

void write_halves(const TensorValues& tensor, std::size_t count, AtomicFile& file) {
  std::vector<Eigen::half> halves(count);
  for (std::size_t i = 0; i < count; ++i) {
    halves[i] = Eigen::half(tensor.values[i]);
    if (std::isfinite(tensor.values[i]) && !Eigen::numext::isfinite(halves[i]))
      throw Error("the number " + std::to_string(tensor.values[i]) + " is too large for F16", tensor.name,
                  "save the tensors as F32");
  }
  file.write({reinterpret_cast<const char*>(halves.data()), count * sizeof(Eigen::half)});
}

}  // namespace

NamedArray read_safetensors(const fs::path& path, const std::string& name) {
  const std::string where = path.string(), place = where + "[" + name + "]";
  const Header header = read_header(path, where);
  const std::vector<Span> spans = read_spans(header, where);
  const Span& span = find_span(spans, name, where);
  const ArrayEntry entry = entry_of(span, header.tensors.at(name), place);
  if (entry.problem) throw *entry.problem;
  const std::string bytes = read_piece(path, header.data_begin + span.begin, entry.bytes);
  if (bytes.size() != entry.bytes) throw Error("the file cannot be read to its end", place, kDamaged);
  return {name, entry.shape, decode_elements(bytes, element_type(entry.type, place), place)};
}

std::vector<ArrayEntry> list_safetensors(const fs::path& path) {
  const std::string where = path.string();
  const Header header = read_header(path, where);
  std::vector<ArrayEntry> entries;
  for (const Span& span : read_spans(header, where)) {
    throw_if_stopped();
    entries.push_back(entry_of(span, header.tensors.at(span.name), where + "[" + span.name + "]"));
  }
  return entries;
}

std::vector<TensorPlace> list_tensor_places(const fs::path& path,
                                            std::map<std::string, std::string>* metadata) {
  const std::string where = path.string();
  const Header header = read_header(path, where);
  const auto texts = header.tensors.find("__metadata__");
  if (metadata && texts != header.tensors.end() && texts->is_object())
    for (const auto& [name, text] : texts->items())
      if (text.is_string()) metadata->emplace(name, text.get<std::string>());
  std::vector<TensorPlace> places;
  for (const Span& span : read_spans(header, where)) {
    const Json& tensor = header.tensors.at(span.name);
    const std::string place = where + "[" + span.name + "]";
    TensorPlace found{span.name, shape_of(tensor, place), dtype_of(tensor, place),
                      header.data_begin + span.begin, header.data_begin + span.end};
    for (const Dtype& known : kDtypes)
      if (known.name == found.type)
        require_size(span, array_bytes(found.shape, known.type, kMaxFile, place), found.shape, place);
    places.push_back(std::move(found));
  }
  return places;
}

void write_safetensors(const std::vector<TensorValues>& tensors, SavedFloat type, AtomicFile& file) {
  const bool half = type == SavedFloat::F16;
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  std::vector<std::size_t> counts;
  std::size_t at = 0;
  for (const TensorValues& tensor : tensors) {
    std::size_t count = 1;
    for (const Index side : tensor.shape)
      count *= static_cast<std::size_t>(side);
    const std::size_t end = at + count * (half ? sizeof(Eigen::half) : sizeof(float));
    header[tensor.name] = {
        {"dtype", half ? "F16" : "F32"}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    counts.push_back(count);
    at = end;
  }
  constexpr std::size_t kAlignment = 8;  // of the first number, so that files can be mapped
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const std::uint64_t length = text.size();
  file.write({reinterpret_cast<const char*>(&length), sizeof length});
  file.write(text);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    half ? write_halves(tensors[i], counts[i], file)
         : file.write({reinterpret_cast<const char*>(tensors[i].values), counts[i] * sizeof(float)});
}

}  // namespace headlight
