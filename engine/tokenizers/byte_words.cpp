#include "engine/tokenizers/byte_words.h"

#include <algorithm>
#include <cstdio>

namespace headlight {

ByteWords byte_words(const Vocabulary& vocabulary) {
  ByteWords bytes;
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "<0x%02X>", static_cast<unsigned>(byte & 0xFF));
    bytes[byte] = vocabulary.find(text.data());
  }
  return bytes;
}

bool has_bytes(std::string_view text, const ByteWords& bytes) {
  return std::all_of(text.begin(), text.end(),
                     [&](char byte) { return bytes[static_cast<unsigned char>(byte)].has_value(); });
}

}  // namespace headlight
