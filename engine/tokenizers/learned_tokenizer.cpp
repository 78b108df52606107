#include "engine/tokenizers/learned_tokenizer.h"

#include <algorithm>
#include <map>

#include "engine/core/error.h"
#include "engine/json/json_document.h"
#include "engine/tokenizers/byte_letters.h"
#include "engine/tokenizers/pair_merging.h"
#include "engine/tokenizers/pre_tokenizer.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

constexpr const char *kEnd = "<|endoftext|>", *kUnknown = "<unk>";

const Json kByteLevel = {
    {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};

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

Json special_token(const char* content, std::int32_t id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

LearnedTokenizer written(const Json& added, const Json& cutting, const Json& decoder, const Json& model,
                         std::size_t size) {
  const Json document = {{"version", "1.0"},          {"truncation", nullptr}, {"padding", nullptr},
                         {"added_tokens", added},     {"normalizer", nullptr}, {"pre_tokenizer", cutting},
                         {"post_processor", nullptr}, {"decoder", decoder},    {"model", model}};
  return {document.dump(1) + "\n", static_cast<std::int32_t>(size), 0};
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
  PairMerging merging(tokens, static_cast<std::size_t>(vocabulary));
  for (const auto& [word, count] : counted_words(texts, kByteLevel)) {
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
  const Json model = {{"type", "BPE"},
                      {"dropout", nullptr},
                      {"unk_token", nullptr},
                      {"continuing_subword_prefix", nullptr},
                      {"end_of_word_suffix", nullptr},
                      {"fuse_unk", false},
                      {"byte_fallback", false},
                      {"vocab", numbered(merging.tokens())},
                      {"merges", pairs}};
  return written(Json::array({special_token(kEnd, 0)}), kByteLevel, kByteLevel, model,
                 merging.tokens().size());
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
  const Json model = {{"type", "WordLevel"}, {"vocab", numbered(tokens)}, {"unk_token", kUnknown}};
  return written(Json::array({special_token(kEnd, 0), special_token(kUnknown, 1)}), cutting, nullptr, model,
                 tokens.size());
}

}  // namespace headlight
