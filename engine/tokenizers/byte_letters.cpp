#include "engine/tokenizers/byte_letters.h"

#include "engine/unicode/unicode.h"

namespace headlight {

std::string in_byte_letters(std::string_view text) {
  static const std::array<std::string, 256> kWritten = [] {
    std::array<std::string, 256> written;
    for (std::size_t byte = 0; byte < written.size(); ++byte)
      append_character(written[byte], kByteLetters[byte]);
    return written;
  }();
  std::string letters;
  letters.reserve(text.size());
  for (const char byte : text)
    letters += kWritten[static_cast<unsigned char>(byte)];
  return letters;
}

}  // namespace headlight
