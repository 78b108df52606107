#include "engine/tokenizers/word_piece.h"

#include "engine/tokenizers/typed_fields.h"
#include "engine/tokenizers/word_trie.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

class WordPiece {
 public:
  WordPiece(const JsonFields& fields, std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)),
        beginnings_(words_behind("")),
        others_(words_behind(fields.text("continuing_subword_prefix", "##"))) {
    constexpr std::int64_t kMost = 1'000'000;
    most_ = static_cast<std::size_t>(fields.whole("max_input_chars_per_word", 100, 0, kMost));
    const std::string unk = fields.text("unk_token", "[UNK]");
    const std::optional<std::int32_t> id = vocabulary_->find(unk);
    if (!id)
      throw Error(in_quotes(unk) + " is not in the vocabulary", fields.place("unk_token"),
                  "add it to " + vocabulary_->place() + ", or name a word that is there");
    unk_ = *id;
  }

  // Throws `Error` as SearchBudget does.
  void encode(std::string_view word, std::vector<std::int32_t>& ids) const {
    const std::size_t before = ids.size();
    if (character_count(word) <= most_ && add_pieces(word, ids)) return;
    ids.resize(before);
    ids.push_back(unk_);
  }

 private:
  // The words that begin with the prefix, without it.
  WordTrie words_behind(std::string_view prefix) const {
    std::vector<std::pair<std::string_view, std::int32_t>> words;
    for (const auto& [id, word] : vocabulary_->words())
      if (word.starts_with(prefix)) words.emplace_back(std::string_view(word).substr(prefix.size()), id);
    return WordTrie(std::move(words));
  }

  // Appends the pieces of the word; returns false when a part of it is unknown.
  bool add_pieces(std::string_view word, std::vector<std::int32_t>& ids) const {
    SearchBudget look_ups(word.size(), vocabulary_->place());
    for (std::size_t at = 0; at < word.size();) {
      std::size_t longest = at;
      std::int32_t piece = 0;
      (at == 0 ? beginnings_ : others_).words_at(word, at, look_ups, [&](std::size_t end, std::int32_t id) {
        longest = end;
        piece = id;
      });
      if (longest == at) return false;
      ids.push_back(piece);
      at = longest;
    }
    return true;
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  WordTrie beginnings_;
  WordTrie others_;       // without their prefix
  std::size_t most_ = 0;  // a word with more characters is unknown
  std::int32_t unk_ = 0;
};

}  // namespace

WordEncoder read_word_piece(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary) {
  const JsonFields fields(
      model, "model",
      {"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  const auto pieces = std::make_shared<const WordPiece>(fields, vocabulary);
  return [pieces](std::string_view word, std::vector<std::int32_t>& ids) { pieces->encode(word, ids); };
}

}  // namespace headlight
