#include "engine/tokenizers/learned_tokenizer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/core/error.h"
#include "engine/json/json_document.h"
#include "engine/tokenizers/byte_letters.h"
#include "engine/tokenizers/pair_merging.h"
#include "engine/tokenizers/pre_tokenizer.h"
#include "engine/tokenizers/tokenizer_json.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

constexpr const char *kEnd = "<|endoftext|>", *kUnknown = "<unk>";

std::map<std::string, std::int64_t> counted_words(const std::vector<std::string>& texts,
                                                  const Json& cutting) {
  const PreTokenizer cutter = PreTokenizer::read(&cutting);
  std::map<std::string, std::int64_t> words;
  for (const std::string& text : texts) {
    if (const std::size_t bad = first_bad_byte(text); bad != std::string::npos)
      throw Error("byte " + std::to_string(bad + 1) + " of the text is not UTF-8", "",
                  "save the text as UTF-8, or remove that byte");
    if (text.empty()) continue;
    for (const Fragment& word : cutter.cut({text, true}))
      ++words[word.text];
  }
  return words;
}

void require_size(std::int32_t vocabulary, std::int32_t least, const std::string& what) {
  if (vocabulary < least)
    throw Error("a vocabulary of " + std::to_string(vocabulary) + " has no room for " + what, "--vocabulary",
                "give at least " + std::to_string(least));
}

LearnedTokenizer written(TokenizerParts parts, std::size_t size) {
  return {tokenizer_document(std::move(parts)).dump(1) + "\n", static_cast<std::int32_t>(size), 0};
}

Json numbered(const std::vector<std::string>& tokens) {
  Json vocabulary = Json::object();
  for (std::size_t i = 0; i < tokens.size(); ++i)
    vocabulary[tokens[i]] = i;
  return vocabulary;
}

}  // namespace

LearnedTokenizer learn_byte_pairs(const std::vector<std::string>& texts, std::int32_t vocabulary) {
  require_size(vocabulary, 257, "<|endoftext|> and the 256 bytes");
  std::vector<char32_t> letters(kByteLetters.begin(), kByteLetters.end());
  std::sort(letters.begin(), letters.end());
  std::vector<std::string> tokens = {kEnd};
  std::map<std::string, std::int32_t> letter_ids;
  for (const char32_t letter : letters) {
    std::string written_letter;
    append_character(written_letter, letter);
    letter_ids[written_letter] = static_cast<std::int32_t>(tokens.size());
    tokens.push_back(written_letter);
  }
  const Json cutting = byte_level_cut(ByteLevelCut::Gpt2, false);
  PairMerging merging(tokens, static_cast<std::size_t>(vocabulary));
  for (const auto& [word, count] : counted_words(texts, cutting)) {
    std::vector<std::int32_t> ids;
    for_each_character(
        word, [&](char32_t, std::string_view letter) { ids.push_back(letter_ids.at(std::string(letter))); });
    merging.add_word(std::move(ids), count);
  }
  const std::vector<PairMerging::Merge> merges = merging.run();
  Json pairs = Json::array();
  for (const PairMerging::Merge& merge : merges)
    pairs.push_back({merging.tokens()[static_cast<std::size_t>(merge.left)],
                     merging.tokens()[static_cast<std::size_t>(merge.right)]});
  TokenizerParts parts;
  parts.added = added_tokens({{kEnd, 0}});
  parts.pre_tokenizer = cutting;
  parts.decoder = byte_level_decoder(false);
  parts.model = bpe_model({numbered(merging.tokens()), std::move(pairs), "", false, false});
  return written(std::move(parts), merging.tokens().size());
}

LearnedTokenizer learn_words(const std::vector<std::string>& texts, std::int32_t vocabulary) {
  require_size(vocabulary, 3, "<|endoftext|>, <unk> and a word");
  const Json cutting = {{"type", "Whitespace"}};
  const std::map<std::string, std::int64_t> words = counted_words(texts, cutting);
  std::vector<std::pair<std::string, std::int64_t>> sorted(words.begin(), words.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> tokens = {kEnd, kUnknown};
  for (const auto& [word, count] : sorted)
    if (tokens.size() < static_cast<std::size_t>(vocabulary) && word != kEnd && word != kUnknown)
      tokens.push_back(word);
  TokenizerParts parts;
  parts.added = added_tokens({{kEnd, 0}, {kUnknown, 1}});
  parts.pre_tokenizer = cutting;
  parts.model = {{"type", "WordLevel"}, {"vocab", numbered(tokens)}, {"unk_token", kUnknown}};
  return written(std::move(parts), tokens.size());
}

}  // namespace headlight
