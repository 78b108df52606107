// Learns a tokenizer from texts, as the trainers of the library `tokenizers` do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

struct LearnedTokenizer {
  std::string json;       // the text of its tokenizer.json
  std::int32_t size = 0;  // how many tokens it has: fewer than asked for if the texts have no more
  std::int32_t end = 0;   // the id of <|endoftext|>
};

// Byte pair encoding over bytes (Sennrich et al. 2016, arXiv 1508.07909; GPT-2's letters for bytes): the
// token
// <|endoftext|>, the 256 bytes in the order of their letters, then the most frequent pair of neighbours
// within words joined, again and again; of equally frequent pairs that of the smaller ids. vocabulary: how
// many tokens at most. texts: UTF-8. Throws Error if it is below 257, for a text that is not UTF-8, and as
// Tokenizer::encode does.
LearnedTokenizer learn_byte_pairs(const std::vector<std::string>& texts, std::int32_t vocabulary);

// Whole words: <|endoftext|>, <unk> for all other words, then the most frequent words and marks between
// spaces, of equally frequent ones in the order of their letters. Throws Error as above, below 3 tokens.
LearnedTokenizer learn_words(const std::vector<std::string>& texts, std::int32_t vocabulary);

}  // namespace headlight
