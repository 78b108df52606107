// Reads the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/core/error.h"

namespace headlight {

struct WireField {
  std::uint32_t number = 0;
  enum class Kind { Whole, Bits64, Bytes, Bits32 } kind = Kind::Whole;
  std::uint64_t whole = 0;  // of all kinds but Bytes; Bits32 and Bits64 as they are stored
  std::string_view bytes;   // of Bytes: text, or a message

  // The number of a field of Bits32. Throws Error for another kind, like the functions below.
  float real() const;
  std::int64_t integer() const;  // of Whole; negative ones are stored as 64 bits
  bool flag() const;             // of Whole
  std::string_view text() const;
};

// The fields of one message, in order.
class WireMessage {
 public:
  explicit WireMessage(std::string_view bytes) : bytes_(bytes) {}
  // The next field; nullopt at the end. Throws Error if the message is cut or malformed.
  std::optional<WireField> next();

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t count);

  std::string_view bytes_;
};

}  // namespace headlight
