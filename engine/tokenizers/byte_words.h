// Words that stand for one byte each, "<0x00>" to "<0xFF>": a model's fallback for unknown characters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/tokenizers/vocabulary.h"

namespace headlight {

using ByteWords = std::array<std::optional<std::int32_t>, 256>;

ByteWords byte_words(const Vocabulary& vocabulary);
// Whether each byte of the text has such a word.
bool has_bytes(std::string_view text, const ByteWords& bytes);

}  // namespace headlight
