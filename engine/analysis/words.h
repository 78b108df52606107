// Words of a text whose tokens are pieces of words, and maps between tokens as maps between words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/network/network.h"

namespace headlight {

// Whether each token belongs to the same word as the token before it. In a WordPiece vocabulary "##" begins
// such a piece. In others the pieces of a word follow each other without a blank between two letters; its
// blank may be a piece of its own. Special tokens stand alone. Precondition: the network has a tokenizer.
std::vector<bool> continued_pieces(const Network& network, const std::vector<std::int32_t>& ids);

struct TextWords {
  std::vector<Index> begins;  // the first token of each word; words follow each other without gaps
  Index tokens = 0;
  std::vector<std::string> labels;
  Index count() const { return static_cast<Index>(begins.size()); }
  // One behind the word's last token.
  Index end(Index word) const {
    return word + 1 < count() ? begins[static_cast<std::size_t>(word) + 1] : tokens;
  }
};
// Throws Error if the network has no tokenizer: nothing then says which tokens are pieces.
TextWords words_of_text(const Network& network, const std::vector<std::int32_t>& ids);

// The columns of each word summed: rows x tokens to rows x words.
Matrix summed_by_words(const Matrix& columns, const TextWords& words);
// Also the rows of each word averaged: T x T to words x words. Rows that sum to 1 still do.
Matrix between_words(const Matrix& pairs, const TextWords& words);

}  // namespace headlight
