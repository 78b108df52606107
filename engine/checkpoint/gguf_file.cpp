#include "engine/checkpoint/gguf_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <set>

#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

constexpr const char* kDamaged = "the file is damaged or cut: copy or download it again";
// A limit on counts and lengths, far above those of real files; each is also limited by the file's size.
constexpr std::uint64_t kMostKeys = 1 << 16, kMostTensors = 1 << 17, kLongestName = 1 << 12;
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 26, kMostEntries = 10'000'000;
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 40, kMostAlignment = std::uint64_t{1} << 20;

// Numbers of ggml_type; those without a TensorType are not computed here.
struct FileType {
  std::uint32_t number;
  const char* name;
};
constexpr std::array kFileTypes = {
    FileType{0, "F32"},      FileType{1, "F16"},     FileType{2, "Q4_0"},     FileType{3, "Q4_1"},
    FileType{6, "Q5_0"},     FileType{7, "Q5_1"},    FileType{8, "Q8_0"},     FileType{9, "Q8_1"},
    FileType{10, "Q2_K"},    FileType{11, "Q3_K"},   FileType{12, "Q4_K"},    FileType{13, "Q5_K"},
    FileType{14, "Q6_K"},    FileType{15, "Q8_K"},   FileType{16, "IQ2_XXS"}, FileType{17, "IQ2_XS"},
    FileType{18, "IQ3_XXS"}, FileType{19, "IQ1_S"},  FileType{20, "IQ4_NL"},  FileType{21, "IQ3_S"},
    FileType{22, "IQ2_S"},   FileType{23, "IQ4_XS"}, FileType{24, "I8"},      FileType{25, "I16"},
    FileType{26, "I32"},     FileType{27, "I64"},    FileType{28, "F64"},     FileType{29, "IQ1_M"},
    FileType{30, "BF16"},    FileType{34, "TQ1_0"},  FileType{35, "TQ2_0"},   FileType{39, "MXFP4"}};
constexpr std::array kComputed = {TensorType::F32,  TensorType::F16,  TensorType::BF16, TensorType::Q8_0,
                                  TensorType::Q4_0, TensorType::Q4_K, TensorType::Q6_K};

// Kinds of metadata.
enum class ValueKind : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, List, U64, I64, F64 };

double shortest(float value) {
  std::string text;
  append_float(text, value);
  return std::strtod(text.c_str(), nullptr);
}

// Reads one thing after the other; what is cut off is an error.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  std::size_t at() const { return at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }

  std::string_view take(std::uint64_t count) {
    if (count > left()) throw Error("the file ends too early", "", kDamaged);
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  std::uint64_t whole(std::size_t size) {
    const std::string_view taken = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(taken[i]);
    return value;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(whole(4)); }
  std::uint64_t u64() { return whole(8); }
  // A number of things that take at least `least` bytes each.
  std::uint64_t count(std::uint64_t most, std::uint64_t least, const char* what) {
    const std::uint64_t number = u64();
    if (number > most || number > left() / least)
      throw Error("it claims " + std::to_string(number) + " " + what + ", more than the file can hold", "",
                  kDamaged);
    return number;
  }
  std::string text(std::uint64_t longest) {
    return std::string(take(count(longest, 1, "letters of a text")));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// Bytes of a value; of a text or a list the least, those of its length.
std::size_t size_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::U8:
    case ValueKind::I8:
    case ValueKind::Bool:
      return 1;
    case ValueKind::U16:
    case ValueKind::I16:
      return 2;
    case ValueKind::U32:
    case ValueKind::I32:
    case ValueKind::F32:
      return 4;
    case ValueKind::Text:
    case ValueKind::List:
    case ValueKind::U64:
    case ValueKind::I64:
    case ValueKind::F64:
      break;
  }
  return 8;
}

ValueKind kind_at(Cursor& cursor) {
  const std::uint32_t kind = cursor.u32();
  if (kind > static_cast<std::uint32_t>(ValueKind::F64))
    throw Error("a value is of the kind " + std::to_string(kind) + ", which is not known", "", kDamaged);
  return static_cast<ValueKind>(kind);
}

std::int64_t signed_whole(std::uint64_t bits, std::size_t size) {
  const std::size_t shift = 64 - 8 * size;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

// A number or truth value.
GgufValue plain_value(Cursor& cursor, ValueKind kind) {
  const std::size_t size = size_of(kind);
  const std::uint64_t bits = cursor.whole(size);
  switch (kind) {
    case ValueKind::F32:
      return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ValueKind::F64:
      return std::bit_cast<double>(bits);
    case ValueKind::Bool:
      if (bits > 1) throw Error("a truth value is neither 0 nor 1", "", kDamaged);
      return bits == 1;
    case ValueKind::I8:
    case ValueKind::I16:
    case ValueKind::I32:
    case ValueKind::I64:
      return signed_whole(bits, size);
    case ValueKind::U8:
    case ValueKind::U16:
    case ValueKind::U32:
    case ValueKind::Text:
    case ValueKind::List:
    case ValueKind::U64:
      break;
  }
  if (bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw Error("a number is above 2^63", "", kDamaged);
  return static_cast<std::int64_t>(bits);
}

double list_number(Cursor& cursor, ValueKind kind) {
  if (kind == ValueKind::F32) return static_cast<double>(std::bit_cast<float>(cursor.u32()));
  const GgufValue value = plain_value(cursor, kind);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return std::get<double>(value);
}

GgufValue list_value(Cursor& cursor) {
  const ValueKind kind = kind_at(cursor);
  if (kind == ValueKind::List) throw Error("it is a list of lists, which is not read here", "", kDamaged);
  const bool texts = kind == ValueKind::Text;
  const std::uint64_t count = cursor.count(kMostEntries, size_of(kind), "entries of a list");
  if (texts) {
    std::vector<std::string> list(count);
    for (std::string& text : list)
      text = cursor.text(kLongestText);
    return list;
  }
  std::vector<double> list(count);
  for (double& number : list)
    number = list_number(cursor, kind);
  return list;
}

GgufValue value_at(Cursor& cursor) {
  const ValueKind kind = kind_at(cursor);
  if (kind == ValueKind::Text) return cursor.text(kLongestText);
  if (kind == ValueKind::List) return list_value(cursor);
  return plain_value(cursor, kind);
}

GgufMetadata metadata_at(Cursor& cursor, std::uint64_t count) {
  GgufMetadata metadata;
  for (std::uint64_t i = 0; i < count; ++i) {
    throw_if_stopped();
    const std::string key = cursor.text(kLongestName);
    try {
      metadata.add(key, value_at(cursor));
    } catch (const Error& failure) {
      throw failure.where().empty() ? failure.inside(in_quotes(key)) : failure;
    }
  }
  return metadata;
}

TensorType type_of(std::uint32_t number, const std::string& name) {
  std::string said = "number " + std::to_string(number);
  for (const FileType& type : kFileTypes)
    if (type.number == number) said = type.name;
  for (const TensorType type : kComputed)
    if (said == type_name(type)) return type;
  throw Error(
      "it is of the type " + said + ", which is not computed here", name,
      "known are F32, F16, BF16, Q8_0, Q4_0, Q4_K and Q6_K: take the model in one of these, or convert it "
      "with llama-quantize --allow-requantize OLD.gguf NEW.gguf Q8_0");
}

// Sets where the tensor lies, from its place behind the header.
void place_tensor(GgufTensor& tensor, std::uint64_t offset, std::uint64_t data, std::uint64_t alignment,
                  std::uint64_t file_size) {
  std::uint64_t numbers = 1;
  for (const Index size : tensor.shape) {
    if (static_cast<std::uint64_t>(size) > kMostNumbers / numbers)
      throw Error("it has too many numbers", tensor.name, kDamaged);
    numbers *= static_cast<std::uint64_t>(size);
  }
  const auto block = static_cast<std::uint64_t>(block_numbers(tensor.type));
  if (static_cast<std::uint64_t>(tensor.shape.back()) % block != 0)
    throw Error("its rows have " + std::to_string(tensor.shape.back()) +
                    " numbers, which are no whole blocks of " + std::to_string(block),
                tensor.name, kDamaged);
  const std::uint64_t bytes = numbers / block * block_bytes(tensor.type);
  if (offset % alignment != 0)
    throw Error(
        "it begins at byte " + std::to_string(offset) + ", no multiple of " + std::to_string(alignment),
        tensor.name, kDamaged);
  const std::uint64_t room = file_size - std::min(data, file_size);
  if (offset > room || bytes > room - offset)
    throw Error("the file ends before the tensor does", tensor.name, kDamaged);
  tensor.begin = data + offset;
  tensor.end = tensor.begin + bytes;
}

struct ListedTensor {
  GgufTensor tensor;
  std::uint64_t offset = 0;  // from the first byte behind the header
};

ListedTensor tensor_at(Cursor& cursor) {
  constexpr std::uint32_t kMostAxes = 4;
  ListedTensor listed;
  listed.tensor.name = cursor.text(kLongestName);
  const std::string& name = listed.tensor.name;
  const std::uint32_t axes = cursor.u32();
  if (axes < 1 || axes > kMostAxes)
    throw Error("it has " + std::to_string(axes) + " axes, expected 1 to 4", name, kDamaged);
  for (std::uint32_t i = 0; i < axes; ++i) {
    const std::uint64_t size = cursor.u64();
    if (size < 1 || size > kMostNumbers)
      throw Error("an axis has the size " + std::to_string(size), name, kDamaged);
    listed.tensor.shape.insert(listed.tensor.shape.begin(), static_cast<Index>(size));
  }
  listed.tensor.type = type_of(cursor.u32(), name);
  listed.offset = cursor.u64();
  return listed;
}

void require_apart(const std::vector<GgufTensor>& tensors) {
  std::vector<const GgufTensor*> sorted;
  std::set<std::string_view> names;
  for (const GgufTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) throw Error("the tensor is there twice", tensor.name, kDamaged);
    sorted.push_back(&tensor);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const GgufTensor* a, const GgufTensor* b) { return a->begin < b->begin; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->begin < sorted[i - 1]->end)
      throw Error("it overlaps the tensor " + in_quotes(sorted[i - 1]->name), sorted[i]->name, kDamaged);
}

void require_version(Cursor& cursor) {
  constexpr std::uint32_t kOldest = 2, kNewest = 3;
  if (cursor.left() < 4 || cursor.take(4) != "GGUF")
    throw Error("this is no GGUF file", "", "choose a .gguf file, or copy it again");
  const std::uint32_t version = cursor.u32();
  if (version >= kOldest && version <= kNewest) return;
  const bool other_order = version != 0 && version % 65536 == 0;
  throw Error(other_order ? "its numbers are big-endian, which is not read here"
                          : "it is of version " + std::to_string(version) + ", known are 2 and 3",
              "", "convert the model again, with a current version of llama.cpp");
}

void require_whole(const GgufMetadata& metadata) {
  constexpr std::int64_t kMostParts = 65535;
  const auto parts = metadata.whole_if("split.count", 0, kMostParts);
  if (parts && *parts > 1)
    throw Error(
        "it is one of " + std::to_string(*parts) + " parts of a model", "split.count",
        "join them with llama-gguf-split --merge FIRST_PART.gguf WHOLE.gguf, and open the whole file");
}

}  // namespace

GgufFile read_gguf(std::string_view bytes) {
  Cursor cursor(bytes);
  require_version(cursor);
  constexpr std::uint64_t kLeastTensor = 32, kLeastKey = 13;  // bytes that one takes in the header
  const std::uint64_t tensors = cursor.count(kMostTensors, kLeastTensor, "tensors");
  const std::uint64_t keys = cursor.count(kMostKeys, kLeastKey, "keys");
  GgufFile file;
  file.metadata = metadata_at(cursor, keys);
  require_whole(file.metadata);
  std::vector<ListedTensor> listed;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    throw_if_stopped();
    listed.push_back(tensor_at(cursor));
  }
  const auto alignment = static_cast<std::uint64_t>(
      file.metadata.whole_if("general.alignment", 1, static_cast<std::int64_t>(kMostAlignment)).value_or(32));
  const std::uint64_t data = (cursor.at() + alignment - 1) / alignment * alignment;
  for (ListedTensor& one : listed) {
    place_tensor(one.tensor, one.offset, data, alignment, bytes.size());
    file.tensors.push_back(std::move(one.tensor));
  }
  require_apart(file.tensors);
  return file;
}

}  // namespace headlight
