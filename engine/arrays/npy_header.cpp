#include "engine/arrays/npy_header.h"

#include <algorithm>
#include <charconv>

#include "engine/core/error.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxDimensions = 64;

[[noreturn]] void fail_damaged(const std::string& what, const std::string& where) {
  throw Error(what, where, "the file is damaged: save it again with numpy.save");
}

// Reads the few Python literals that a header may contain: strings, True and False, tuples of whole numbers.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  bool take(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail_damaged(std::string("the .npy header lacks a '") + wanted + "'", where_);
  }
  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  std::string_view string() {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote == '[' || quote == '(')
      throw Error("the array holds records with named fields", where_,
                  "save one field of it, numpy.save(path, a['x']), or all as columns: numpy.save(path, "
                  "numpy.lib.recfunctions.structured_to_unstructured(a))");
    if (quote != '\'' && quote != '"') fail_damaged("the .npy header lacks a string", where_);
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail_damaged("the .npy header has an open string", where_);
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail_damaged("fortran_order in the .npy header is neither True nor False", where_);
  }

  std::vector<Index> tuple() {
    std::vector<Index> shape;
    expect('(');
    while (!take(')')) {
      shape.push_back(whole());
      if (shape.size() > kMaxDimensions) fail_damaged("the array has more than 64 dimensions", where_);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

 private:
  Index whole() {
    skip_space();
    Index value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0)
      fail_damaged("the shape in the .npy header is not made of whole numbers", where_);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // as Python 2 wrote long integers
    return value;
  }
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }

  std::string_view rest_;
  const std::string& where_;
};

NpyHeader parse_dictionary(std::string_view text, const std::string& where) {
  HeaderReader reader(text, where);
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  reader.expect('{');
  while (!reader.take('}')) {
    const std::string_view key = reader.string();
    reader.expect(':');
    if (key == "descr")
      header.descr = reader.string(), has_descr = true;
    else if (key == "fortran_order")
      header.fortran_order = reader.boolean(), has_order = true;
    else if (key == "shape")
      header.shape = reader.tuple(), has_shape = true;
    else
      fail_damaged("the .npy header has an unknown key " + in_quotes(key), where);
    if (!reader.take(',')) {
      reader.expect('}');
      break;
    }
  }
  if (!has_descr || !has_order || !has_shape)
    fail_damaged("the .npy header lacks descr, fortran_order or shape", where);
  if (!reader.at_end()) fail_damaged("the .npy header goes on behind its closing brace", where);
  return header;
}

// Loading pickled objects would run any program that they contain.
[[noreturn]] void refuse_objects(const std::vector<Index>& shape, const std::string& where) {
  if (shape.empty())  // numpy.save stores a dictionary like this
    throw Error("it is one pickled Python object, and no array of numbers; such are never loaded", where,
                "if it is a dictionary of arrays, save them by name: numpy.savez(path, **a.item())");
  throw Error(
      "the array holds pickled Python objects (shape " + shape_text(shape) + "), which are never loaded",
      where,
      "save numbers: numpy.save(path, numpy.stack(a).astype('float32')), or arrays of different "
      "shapes one by one: numpy.savez(path, *a); text as numpy.array(a, dtype=str)");
}

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, const std::string& where) {
  if (const auto foreign = foreign_content(bytes, FileForm::Npy, where))
    throw Error("this is not a .npy file: " + foreign->summary(), where, foreign->hint());
  if (!bytes.starts_with(kMagic))
    throw Error("this is not a .npy file", where, "a .npy file is written by numpy.save");
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  if (bytes.size() < 10) fail_damaged("the .npy file ends inside its header", where);
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw Error(".npy version " + std::to_string(version) + " is unknown", where,
                "versions 1 to 3 can be read");
  const std::size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) fail_damaged("the .npy file ends inside its header", where);
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  // The header of a plain array has about a hundred bytes.
  if (length > kMaxNpyHead - begin)
    fail_damaged("the .npy header claims " + std::to_string(length) + " bytes", where);
  if (bytes.size() - begin < length) fail_damaged("the .npy file ends inside its header", where);
  NpyHeader header = parse_dictionary(bytes.substr(begin, length), where);
  header.data_offset = begin + length;
  return header;
}

ElementType npy_element_type(const NpyHeader& header, const std::string& where) {
  const std::string_view descr = header.descr;
  if (descr.find('O') != std::string_view::npos) refuse_objects(header.shape, where);
  const std::string unknown = "numbers of type " + in_quotes(descr) + " cannot be read";
  // Types that NumPy does not have, such as bfloat16, are written by their size alone, and cannot be cast.
  const bool opaque = descr.size() > 1 && descr[1] == 'V';
  const Error error(
      unknown, where,
      !opaque ? "convert them first: numpy.save(path, a.astype('float32'))"
      : descr.ends_with("V1")
          ? "if it is of 8 bits: numpy.save(path, a.view(ml_dtypes.float8_e4m3fn).astype('float32'))"
          : "if it is bfloat16: numpy.save(path, a.view(ml_dtypes.bfloat16).astype('float32'))");
  if (descr.size() != 3) throw error;
  const char order = descr[0], kind = descr[1];
  ElementType type;
  type.size = static_cast<std::size_t>(descr[2] - '0');
  type.big_endian = order == '>';
  if (order != '<' && order != '>' && !(order == '|' && type.size == 1)) throw error;
  const bool whole_size = type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8;
  if (kind == 'f' && whole_size && type.size > 1)
    type.kind = ElementKind::Float;
  else if (kind == 'i' && whole_size)
    type.kind = ElementKind::Signed;
  else if (kind == 'u' && whole_size)
    type.kind = ElementKind::Unsigned;
  else if (kind == 'b' && type.size == 1)
    type.kind = ElementKind::Bool;
  else
    throw error;
  return type;
}

std::optional<NpyText> npy_text_type(const NpyHeader& header, const std::string& where) {
  const std::string_view descr = header.descr;
  if (descr.size() < 3 || (descr[1] != 'U' && descr[1] != 'S')) return std::nullopt;
  NpyText type;
  type.wide = descr[1] == 'U';
  type.big_endian = descr[0] == '>';
  const auto [end, failed] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), type.length);
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  if (failed != std::errc() || end != descr.data() + descr.size() || type.length > kLongest)
    fail_damaged("text of type " + in_quotes(descr) + " cannot be read", where);
  return type;
}

std::uint64_t npy_data_bytes(const NpyHeader& header, std::uint64_t limit, const std::string& where) {
  ElementType type;
  if (const auto text = npy_text_type(header, where)) {
    type.size = text->length * (text->wide ? 4 : 1);
    constexpr std::uint64_t kMostTexts = std::uint64_t{1} << 20;
    std::uint64_t count = 1;
    for (const Index size : header.shape)
      if ((count *= static_cast<std::uint64_t>(size)) > kMostTexts)
        throw Error("an array of text of shape " + shape_text(header.shape) + " is too large", where,
                    "at most " + std::to_string(kMostTexts) + " texts can be read: save a part of them");
  } else {
    type = npy_element_type(header, where);
  }
  return array_bytes(header.shape, type, limit, where);
}

namespace {

void add_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;  // not a character
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

std::string one_text(std::string_view bytes, const NpyText& type) {
  std::string text;
  if (!type.wide) {
    text = bytes;
  } else {
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      std::uint32_t code = 0;
      for (std::size_t i = 0; i < 4; ++i)
        code |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << 8 * (type.big_endian ? 3 - i : i);
      add_utf8(text, code);
    }
  }
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

}  // namespace

std::vector<std::string> npy_texts(std::string_view bytes, const NpyText& type, std::size_t count) {
  const std::size_t size = type.length * (type.wide ? 4 : 1);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(one_text(bytes.substr(i * size, size), type));
  return texts;
}

std::vector<float> npy_c_order(const std::vector<float>& values, const std::vector<Index>& shape) {
  std::vector<float> result(values.size());
  std::vector<Index> index(shape.size(), 0);
  for (float& value : result) {
    Index source = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;)
      source = source * shape[axis] + index[axis];
    value = values[static_cast<std::size_t>(source)];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
}

void require_npy_data(std::uint64_t found, std::uint64_t expected, const NpyHeader& header,
                      const std::string& where) {
  if (found < expected)
    throw Error("the file ends after " + std::to_string(found) + " of " + std::to_string(expected) +
                    " bytes of values (shape " + shape_text(header.shape) + ")",
                where, "it was cut off: save or copy it again");
  if (found > expected)
    throw Error(std::to_string(found - expected) + " bytes follow the values (shape " +
                    shape_text(header.shape) + ")",
                where, "the file is damaged or holds several arrays: save one array in it");
}

std::string npy_header_bytes(const std::vector<Index>& shape, const std::string& descr) {
  std::string tuple = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    tuple += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  tuple += shape.size() == 1 ? ",)" : ")";
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + tuple + ", }";
  // The values begin at a multiple of 64 bytes, as numpy aligns them.
  const std::size_t unpadded = kMagic.size() + 4 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

}  // namespace headlight
