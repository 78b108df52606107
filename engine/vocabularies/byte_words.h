// Words that stand for a byte each, "<0x00>" to "<0xFF>": what a model falls back on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/vocabularies/vocabulary.h"

namespace headlight {

using ByteWords = std::array<std::optional<std::int32_t>, 256>;

ByteWords byte_words(const Vocabulary& vocabulary);
// Whether each byte of the text has one.
bool has_bytes(std::string_view text, const ByteWords& bytes);

}  // namespace headlight
