#include "engine/tokenizers/bpe.h"

#include <algorithm>

#include "engine/tokenizers/bpe_merges.h"
#include "engine/tokenizers/byte_words.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using Ids = std::vector<std::int32_t>;

struct MergedWords {
  std::string left, right;
};

// "a b" or ["a", "b"]
MergedWords merged_words(const Json& merge, const std::string& place) {
  const std::string hint = "write \"a b\", or [\"a\", \"b\"] when there are spaces in them";
  if (merge.is_string()) {
    const auto& text = merge.get_ref<const std::string&>();
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      throw Error(in_quotes(text) + " is not two words with a space between them", place, hint);
    return {text.substr(0, space), text.substr(space + 1)};
  }
  if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string())
    throw Error("is " + json_kind(merge) + ", expected two words", place, hint);
  return {merge[0].get<std::string>(), merge[1].get<std::string>()};
}

std::int32_t merged_id(const std::string& word, const Vocabulary& vocabulary, const std::string& place) {
  const std::optional<std::int32_t> id = vocabulary.find(word);
  if (!id)
    throw Error(in_quotes(word) + " is not in the vocabulary", place,
                "add it to " + vocabulary.place() + ", or remove the merge");
  return *id;
}

// A word without its first `prefix` bytes, as it is appended to another one.
std::string_view without_prefix(std::string_view word, std::size_t prefix) {
  return word.substr(std::min(prefix, word.size()));
}

// prefix: size in bytes of the mark in front of symbols that do not begin a word.
BpeMerges read_merges(const Json& value, const Vocabulary& vocabulary, std::size_t prefix,
                      const std::string& place) {
  const Json::array_t& list = list_value(value, place);
  BpeMerges merges(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_string() && list[i].get_ref<const std::string&>().starts_with("#version")) continue;
    const std::string at = place_in_list(place, i);
    const MergedWords words = merged_words(list[i], at);
    const std::int32_t left = merged_id(words.left, vocabulary, at);
    const std::int32_t right = merged_id(words.right, vocabulary, at);
    merges.add(left, right, static_cast<std::uint32_t>(i),
               merged_id(words.left + std::string(without_prefix(words.right, prefix)), vocabulary, at));
  }
  return merges;
}

class Bpe {
 public:
  Bpe(const JsonFields& fields, std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)),
        prefix_(given_text(fields, "continuing_subword_prefix").value_or("")),
        suffix_(given_text(fields, "end_of_word_suffix").value_or("")),
        merges_(read_merges(fields.require("merges", "a BPE model has a list of merges"), *vocabulary_,
                            prefix_.size(), fields.place("merges"))),
        fuse_unk_(flag(fields, "fuse_unk")),
        ignore_merges_(flag(fields, "ignore_merges")) {
    // Older files write "" for none.
    if (const std::optional<std::string> unk = given_text(fields, "unk_token"); unk && !unk->empty())
      unk_ = unk_id(*unk, fields.place("unk_token"));
    if (flag(fields, "byte_fallback")) bytes_ = byte_words(*vocabulary_);
  }

  void encode(std::string_view word, Ids& ids) const {
    if (ignore_merges_)
      if (const std::optional<std::int32_t> whole = vocabulary_->find(word)) return ids.push_back(*whole);
    Ids symbols = letters(word);
    merges_.apply(symbols);
    ids.insert(ids.end(), symbols.begin(), symbols.end());
  }

 private:
  static bool flag(const JsonFields& fields, const std::string& key) {
    const Json* value = fields.find(key);
    return value && !value->is_null() && fields.flag(key, false);
  }

  std::int32_t unk_id(const std::string& word, const std::string& place) const {
    const std::optional<std::int32_t> id = vocabulary_->find(word);
    if (!id)
      throw Error(in_quotes(word) + " is not in the vocabulary", place,
                  "add it to " + vocabulary_->place() + ", or write null");
    return *id;
  }

  // The id of each character, of each of its bytes, or of the unknown token; without an unk_token, unknown
  // characters are dropped. An unknown token is added only before the next known character or at the end, so
  // that it comes after bytes, as in the Rust library.
  Ids letters(std::string_view word) const {
    Ids symbols;
    symbols.reserve(word.size());
    bool waiting = false;
    const auto add_unknown = [&] {
      if (waiting) symbols.push_back(*unk_);
      waiting = false;
    };
    std::string written;
    for_each_character(word, [&](char32_t, std::string_view bare) {
      const std::string_view character = as_in_vocabulary(bare, word, written);
      if (const std::optional<std::int32_t> id = vocabulary_->find(character)) {
        add_unknown();
        symbols.push_back(*id);
      } else if (has_bytes(character, bytes_)) {
        for (const char byte : character)
          symbols.push_back(*bytes_[static_cast<unsigned char>(byte)]);
      } else if (unk_) {
        if (!fuse_unk_) add_unknown();
        waiting = true;
      }
    });
    add_unknown();
    return symbols;
  }

  // A character of `word` with the prefix or suffix of its position. written: buffer for the result.
  std::string_view as_in_vocabulary(std::string_view character, std::string_view word,
                                    std::string& written) const {
    if (prefix_.empty() && suffix_.empty()) return character;
    const bool first = character.data() == word.data();
    const bool last = character.data() + character.size() == word.data() + word.size();
    written = first ? "" : prefix_;
    written += character;
    if (last) written += suffix_;
    return written;
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  std::string prefix_;  // of characters that do not begin a word
  std::string suffix_;  // of the last one
  BpeMerges merges_;
  bool fuse_unk_;
  bool ignore_merges_;
  std::optional<std::int32_t> unk_;
  ByteWords bytes_;  // empty without byte_fallback
};

}  // namespace

WordEncoder read_bpe(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary) {
  const JsonFields fields(model, "model",
                          {"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                           "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (const Json* dropout = given(model, "dropout"); dropout && number_value(*dropout, "model.dropout") != 0)
    throw Error("is " + dropout->dump() + ": the ids of a text would be drawn at random", "model.dropout",
                "write null or 0");
  const auto bpe = std::make_shared<const Bpe>(fields, vocabulary);
  return [bpe](std::string_view word, Ids& ids) { bpe->encode(word, ids); };
}

}  // namespace headlight
