#include "engine/arrays/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "engine/arrays/element_type.h"
#include "engine/arrays/npy_header.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
NamedArray parse_npy(std::string_view bytes, const std::string& where) {
  const NpyHeader header = parse_npy_header(bytes, where);
  const std::string_view data = bytes.substr(header.data_offset);
  require_npy_data(data.size(), npy_data_bytes(header, kMaxArrayBytes, where), header, where);
  NamedArray array;
  array.shape = header.shape;
  if (const auto text = npy_text_type(header, where)) {
    std::size_t count = 1;
    for (const Index size : header.shape)
      count *= static_cast<std::size_t>(size);
    array.texts = npy_texts(data, *text, count);
    return array;
  }
  const ElementType type = npy_element_type(header, where);
  array.values = decode_elements(data, type, where);
  if (header.fortran_order && header.shape.size() > 1) array.values = npy_c_order(array.values, array.shape);
  return array;
}

namespace {

// The characters of a UTF-8 text; bytes that are none become U+FFFD.
std::vector<std::uint32_t> characters_of(std::string_view text) {
  std::vector<std::uint32_t> characters;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = first < 0x80       ? 1
                               : first >> 5 == 6  ? 2
                               : first >> 4 == 14 ? 3
                               : first >> 3 == 30 ? 4
                                                  : 0;
    std::uint32_t code = length == 1 ? first : first & (0xffu >> (length + 1));
    bool whole = length > 0 && at + length <= text.size();
    for (std::size_t i = 1; whole && i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      whole = next >> 6 == 2;
      code = code << 6 | (next & 0x3fu);
    }
    characters.push_back(whole ? code : 0xfffdu);
    at += whole ? length : 1;
  }
  return characters;
}

std::string text_bytes(const NamedArray& array) {
  std::vector<std::vector<std::uint32_t>> texts;
  std::size_t longest = 1;
  for (const std::string& text : array.texts)
    longest = std::max(longest, texts.emplace_back(characters_of(text)).size());
  std::string bytes = npy_header_bytes(array.shape, "<U" + std::to_string(longest));
  for (std::vector<std::uint32_t>& text : texts) {
    text.resize(longest);
    bytes.append(reinterpret_cast<const char*>(text.data()), longest * sizeof(std::uint32_t));
  }
  return bytes;
}

}  // namespace

std::string npy_bytes(const NamedArray& array) {
  if (!array.texts.empty()) return text_bytes(array);
  static_assert(std::endian::native == std::endian::little,
                "float32 values are copied as they lie in memory");
  std::string bytes = npy_header_bytes(array.shape);
  const std::size_t header_size = bytes.size();
  bytes.resize(header_size + array.values.size() * sizeof(float));
  if (!array.values.empty())
    std::memcpy(bytes.data() + header_size, array.values.data(), array.values.size() * sizeof(float));
  return bytes;
}

std::string npy_bytes(const std::vector<std::int32_t>& numbers) {
  std::string bytes = npy_header_bytes({static_cast<Index>(numbers.size())}, "<i8");
  for (const std::int64_t number : numbers)
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

NamedArray read_npy(const std::filesystem::path& path) {
  require_file(path, kMaxArrayBytes);
  NamedArray array = parse_npy(read_file(path), path.string());
  array.name = path.stem().string();
  return array;
}

ArrayEntry npy_entry(std::string_view head, std::optional<std::uint64_t> file_size,
                     const std::string& where) {
  ArrayEntry entry;
  try {
    const NpyHeader header = parse_npy_header(head, where);
    entry.shape = header.shape;
    entry.type = header.descr;
    entry.bytes = npy_data_bytes(header, kMaxArrayBytes, where);
    entry.text = npy_text_type(header, where).has_value();
    if (file_size) require_npy_data(*file_size - header.data_offset, entry.bytes, header, where);
  } catch (const Error& error) {
    entry.problem = error;
  }
  return entry;
}

ArrayEntry list_npy(const std::filesystem::path& path) {
  const std::uint64_t size = require_file(path, std::numeric_limits<std::uint64_t>::max());
  ArrayEntry entry =
      npy_entry(read_piece(path, 0, std::min<std::uint64_t>(size, kMaxNpyHead)), size, path.string());
  entry.name = path.stem().string();
  return entry;
}

}  // namespace headlight
