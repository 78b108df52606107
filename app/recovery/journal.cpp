#include "app/recovery/journal.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/session/attention_members.h"

namespace headlight {
namespace {

constexpr std::size_t kPrefix = sizeof(std::uint32_t) + sizeof(std::uint64_t);

// Writer and Reader have the same functions, so that one `field` function per type both writes and reads it.
class Writer {
 public:
  static constexpr bool kReads = false;
  void raw(const void* from, std::size_t count) { bytes_.append(static_cast<const char*>(from), count); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  void raw(void* to, std::size_t count) {
    require(count);
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  // Call before allocating `count` elements: limits the allocation by the record's size.
  void require(std::size_t count) const {
    if (count > bytes_.size()) throw std::runtime_error("the record is too short");
  }

 private:
  std::string_view bytes_;
};

template <class Archive, class... Values>
void fields(Archive& archive, Values&... values) {
  (field(archive, values), ...);
}

template <class Archive, class Value>
requires(std::is_arithmetic_v<Value> || std::is_enum_v<Value>) void field(Archive& archive, Value& value) {
  archive.raw(&value, sizeof value);
}

template <class Archive>
void field(Archive& archive, std::string& text) {
  std::uint64_t size = text.size();
  field(archive, size);
  if constexpr (Archive::kReads) {
    archive.require(size);
    text.resize(size);
  }
  archive.raw(text.data(), size);
}

template <class Archive>
void field(Archive& archive, std::filesystem::path& path) {
  std::string text = path.string();
  field(archive, text);
  path = text;
}

template <class Archive, class Item, class FieldOfItem>
void list(Archive& archive, std::vector<Item>& items, FieldOfItem field_of_item) {
  std::uint64_t size = items.size();
  field(archive, size);
  if constexpr (Archive::kReads) {
    archive.require(size);  // an item takes at least one byte
    items.resize(size);
  }
  for (Item& item : items)
    field_of_item(item);
}

template <class Archive, class Item>
void field(Archive& archive, std::vector<Item>& items) {
  list(archive, items, [&](Item& item) { field(archive, item); });
}

template <class Archive, class Value>
void field(Archive& archive, std::optional<Value>& value) {
  bool there = value.has_value();
  field(archive, there);
  if constexpr (Archive::kReads) value = there ? std::optional<Value>(std::in_place) : std::nullopt;
  if (there) field(archive, *value);
}

template <class Archive>
void field(Archive& archive, Matrix& matrix) {
  Index rows = matrix.rows(), columns = matrix.cols();
  fields(archive, rows, columns);
  if constexpr (Archive::kReads) {
    constexpr Index kMost = Index{1} << 31;
    if (rows < 0 || columns < 0 || rows > kMost || columns > kMost)
      throw std::runtime_error("a matrix of no size");
    archive.require(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float));
    matrix.resize(rows, columns);
  }
  archive.raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(float));
}

// A matrix of 0 and 1, eight cells in a byte.
template <class Archive>
void bits(Archive& archive, Matrix& mask) {
  Index rows = mask.rows(), columns = mask.cols();
  fields(archive, rows, columns);
  std::string packed(static_cast<std::size_t>((mask.size() + 7) / 8), '\0');
  for (Index i = 0; i < mask.size(); ++i)
    if (mask.data()[i] != 0) packed[static_cast<std::size_t>(i / 8)] |= static_cast<char>(1 << (i % 8));
  field(archive, packed);
  if constexpr (Archive::kReads) {
    if (rows < 0 || columns < 0 || (columns > 0 && rows > static_cast<Index>(packed.size()) * 8 / columns))
      throw std::runtime_error("a mask of no size");
    mask.resize(rows, columns);
    for (Index i = 0; i < mask.size(); ++i)
      mask.data()[i] = static_cast<float>(packed[static_cast<std::size_t>(i / 8)] >> (i % 8) & 1);
  }
}

// Stores all members of settings that session files declare, in the order of their declaration.
template <class Archive>
struct StoredMembers {
  Archive& archive;
  template <class Value, class Form>
  void operator()(const char*, Value&& value, const Form&, bool = true) {
    field(archive, value);
  }
};

template <class Archive, class Settings>
requires requires(StoredMembers<Archive>& member, Settings& settings) {
  members(member, settings);
}
void field(Archive& archive, Settings& settings) {
  StoredMembers<Archive> member{archive};
  members(member, settings);
}

template <class Archive, class... Values>
void field(Archive& archive, std::tuple<Values&...>& values) {
  std::apply([&](Values&... value) { fields(archive, value...); }, values);
}

template <class Archive>
void field(Archive& archive, Scale& scale) {
  auto& [kind, number] = scale;
  fields(archive, kind, number);
}

template <class Archive>
void field(Archive& archive, CellsEdit& edit) {
  fields(archive, edit.input.kind, edit.input.sequence, edit.input.parameter, edit.input.head, edit.row,
         edit.column, edit.values);
}

template <class Archive>
void field(Archive& archive, MaskEdit& edit) {
  field(archive, edit.mask);
  bits(archive, edit.custom_mask);
  fields(archive, edit.rules, edit.allowed.sequences, edit.allowed.heads);
  list(archive, edit.allowed.matrices, [&](Matrix& allowed) { bits(archive, allowed); });
  const auto matrices = static_cast<Index>(edit.allowed.matrices.size());
  if (edit.allowed.sequences < 0 || edit.allowed.heads < 0 ||
      (matrices > 0 && (matrices % std::max<Index>(edit.allowed.heads, 1) != 0 ||
                        matrices / std::max<Index>(edit.allowed.heads, 1) != edit.allowed.sequences)))
    throw std::runtime_error("allowed pairs of no shape");
}

template <class Archive>
void field(Archive& archive, Labels& labels) {
  fields(archive, labels.tokens, labels.key_tokens, labels.title, labels.notes);
}

enum class EditKind : std::uint8_t { None, Cells, Settings, Mask, Blocks };

EditKind kind_of(const std::optional<Edit>& edit) {
  if (!edit) return EditKind::None;
  if (std::holds_alternative<CellsEdit>(*edit)) return EditKind::Cells;
  if (std::holds_alternative<BlocksEdit>(*edit)) return EditKind::Blocks;
  return std::holds_alternative<SettingsEdit>(*edit) ? EditKind::Settings : EditKind::Mask;
}

template <class T>
T& as(std::optional<Edit>& edit) {
  if (!edit || !std::holds_alternative<T>(*edit)) edit = T{};
  return std::get<T>(*edit);
}

template <class Archive>
void field(Archive& archive, Change& change) {
  EditKind kind = kind_of(change.edit);
  field(archive, kind);
  if (kind > EditKind::Blocks) throw std::runtime_error("an edit of a kind that is not known");
  switch (kind) {
    case EditKind::None:
      break;
    case EditKind::Cells:
      field(archive, as<CellsEdit>(change.edit));
      break;
    case EditKind::Settings:
      field(archive, as<SettingsEdit>(change.edit).attention);
      break;
    case EditKind::Mask:
      field(archive, as<MaskEdit>(change.edit));
      break;
    case EditKind::Blocks:
      field(archive, as<BlocksEdit>(change.edit).blocks);
      break;
  }
  fields(archive, change.labels, change.weights_edited);
}

struct Record {
  std::uint64_t changes = 0;
  Change change;
};

template <class Archive>
void field(Archive& archive, Record& record) {
  fields(archive, record.changes, record.change);
}

template <class Archive>
void field(Archive& archive, FileStamp& stamp) {
  fields(archive, stamp.device, stamp.inode, stamp.size, stamp.modified_ns, stamp.content);
}

template <class Archive>
void field(Archive& archive, JournalHeader& header) {
  fields(archive, header.base_size, header.base_hash, header.changes, header.path, header.stamp);
}

// Takes a copy, because the `field` functions take a reference that is not const, for reading.
template <class T>
std::string stored(T value) {
  Writer writer;
  field(writer, value);
  return writer.take();
}

// The names and sizes of all members of settings, in the order of their declaration.
struct DeclaredMembers {
  std::string text;
  template <class Value, class Form>
  void operator()(const char* name, Value&& value, const Form&, bool = true) {
    text.append(name).append(" ").append(std::to_string(sizeof value)).append("\n");
    if constexpr (requires { members(*this, value); }) members(*this, value);
  }
};

// A program that declares other settings does not read this journal.
std::string first_line() {
  DeclaredMembers declared;
  AttentionSettings settings;
  members(declared, settings);
  const std::uint64_t hash = content_hash(declared.text.data(), declared.text.size());
  return "headlight-journal 4 " + std::to_string(hash) + "\n";
}

template <class T>
void append(std::string& bytes, const T& value) {
  const std::string payload = stored(value);
  if (payload.size() > UINT32_MAX) throw std::length_error("a record of more than 4 GB");
  const auto size = static_cast<std::uint32_t>(payload.size());
  const std::uint64_t hash = content_hash(payload.data(), payload.size());
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  bytes += payload;
}

// Removes the next record from `bytes` and returns it; none if it is cut off or damaged.
template <class T>
std::optional<T> next(std::string_view& bytes) {
  std::uint32_t size = 0;
  std::uint64_t hash = 0;
  if (bytes.size() < kPrefix) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  std::memcpy(&hash, bytes.data() + sizeof size, sizeof hash);
  const std::string_view payload = bytes.substr(kPrefix, size);
  if (payload.size() < size || content_hash(payload.data(), payload.size()) != hash) return std::nullopt;
  T value{};
  try {
    Reader reader(payload);
    field(reader, value);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  bytes.remove_prefix(kPrefix + size);
  return value;
}

bool has_matrices(MaskKind mask) {
  switch (mask) {
    case MaskKind::None:
    case MaskKind::Causal:
      return false;
    case MaskKind::Custom:
    case MaskKind::Rules:
      break;
  }
  return true;
}

bool file_holds(const InputId& input, const Layer& layer) {
  switch (input.kind) {
    case InputKind::Embeddings:
      return true;
    case InputKind::Weight:
      return layer.uses(input.parameter);
    case InputKind::Bias:
      return layer.uses_bias(input.parameter);
    case InputKind::Mask:
      return has_matrices(layer.attention.mask);
    case InputKind::Given:
      return !layer.given[static_cast<std::size_t>(input.parameter)].empty();
    case InputKind::KeyEmbeddings:
    case InputKind::GivenWeights:
    case InputKind::ScoreBias:
      return true;
  }
  return false;
}

// Whether only settings differ that every session file contains: the change brings no unused array into use.
bool only_settings(const AttentionSettings& before, const AttentionSettings& after) {
  return before.projection == after.projection && before.d_out == after.d_out &&
         before.num_heads == after.num_heads && before.num_kv_heads == after.num_kv_heads &&
         before.d_k == after.d_k && before.d_v == after.d_v && before.qkv_bias == after.qkv_bias &&
         before.output_projection == after.output_projection &&
         (after.mask == before.mask || !has_matrices(after.mask));
}

}  // namespace

bool fits_journal(const Change& change, const Layer& before) {
  if (change.work || change.goal || change.training) return false;
  if (!change.edit) return true;
  const auto held = [&](const CellsEdit& cells) { return file_holds(cells.input, before); };
  if (const auto* cells = std::get_if<CellsEdit>(&*change.edit)) return held(*cells);
  if (const auto* several = std::get_if<BlocksEdit>(&*change.edit))
    return std::all_of(several->blocks.begin(), several->blocks.end(), held);
  if (const auto* settings = std::get_if<SettingsEdit>(&*change.edit))
    return only_settings(before.attention, settings->attention);
  return std::holds_alternative<MaskEdit>(*change.edit);
}

std::string journal_start(const JournalHeader& header) {
  std::string bytes = first_line();
  append(bytes, header);
  return bytes;
}

void append_record(std::string& bytes, const Change& change, std::uint64_t changes) {
  append(bytes, Record{changes, change});
}

std::optional<Journal> parse_journal(const std::string& bytes) {
  const std::string first = first_line();
  std::string_view rest = bytes;
  if (!rest.starts_with(first)) return std::nullopt;
  rest.remove_prefix(first.size());
  auto header = next<JournalHeader>(rest);
  if (!header) return std::nullopt;
  Journal journal{std::move(*header), {}, 0};
  journal.changes = journal.header.changes;
  while (auto record = next<Record>(rest)) {
    journal.records.push_back(std::move(record->change));
    journal.changes = record->changes;
  }
  return journal;
}

}  // namespace headlight
