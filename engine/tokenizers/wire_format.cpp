#include "engine/tokenizers/wire_format.h"

#include <bit>
#include <string>

namespace headlight {
namespace {

[[noreturn]] void malformed(const std::string& what) {
  throw Error("it is no Protocol Buffers message: " + what, "", "copy or download the file again");
}

void require_kind(const WireField& field, WireField::Kind kind) {
  if (field.kind != kind) malformed("field " + std::to_string(field.number) + " is of another kind");
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t whole = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    whole = whole << 8 | static_cast<unsigned char>(bytes[i]);
  return whole;
}

}  // namespace

float WireField::real() const {
  require_kind(*this, Kind::Bits32);
  return std::bit_cast<float>(static_cast<std::uint32_t>(whole));
}

std::int64_t WireField::integer() const {
  require_kind(*this, Kind::Whole);
  return static_cast<std::int64_t>(whole);
}

bool WireField::flag() const {
  return integer() != 0;
}

std::string_view WireField::text() const {
  require_kind(*this, Kind::Bytes);
  return bytes;
}

std::uint64_t WireMessage::varint() {
  constexpr int kMostBits = 63;
  std::uint64_t whole = 0;
  for (int shift = 0; shift <= kMostBits; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    whole |= static_cast<std::uint64_t>(byte & 127u) << shift;
    if (byte < 128) return whole;
  }
  malformed("a number has more than ten bytes");
}

std::string_view WireMessage::take(std::uint64_t count) {
  if (count > bytes_.size()) malformed("it ends within a field");
  const std::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

std::optional<WireField> WireMessage::next() {
  if (bytes_.empty()) return std::nullopt;
  const std::uint64_t key = varint();
  WireField field;
  field.number = static_cast<std::uint32_t>(key >> 3);
  if (field.number == 0 || key >> 32 != 0) malformed("a field has the number 0, or one above 29 bits");
  switch (key & 7u) {
    case 0:
      field.whole = varint();
      return field;
    case 1:
      field.kind = WireField::Kind::Bits64;
      field.whole = little_endian(take(8));
      return field;
    case 2:
      field.kind = WireField::Kind::Bytes;
      field.bytes = take(varint());
      return field;
    case 5:
      field.kind = WireField::Kind::Bits32;
      field.whole = little_endian(take(4));
      return field;
    default:
      malformed("a field is of the kind " + std::to_string(key & 7u));
  }
}

}  // namespace headlight
