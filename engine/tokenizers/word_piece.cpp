#include "engine/tokenizers/word_piece.h"

#include "engine/tokenizers/typed_fields.h"
#include "engine/tokenizers/unicode.h"

namespace headlight {
namespace {

class WordPiece {
 public:
  WordPiece(const JsonFields& fields, std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)), prefix_(fields.text("continuing_subword_prefix", "##")) {
    constexpr std::int64_t kMost = 1'000'000;
    most_ = static_cast<std::size_t>(fields.whole("max_input_chars_per_word", 100, 0, kMost));
    const std::string unk = fields.text("unk_token", "[UNK]");
    const std::optional<std::int32_t> id = vocabulary_->find(unk);
    if (!id)
      throw Error(in_quotes(unk) + " is not in the vocabulary", fields.place("unk_token"),
                  "add it to " + vocabulary_->place() + ", or name a word that is there");
    unk_ = *id;
  }

  void encode(std::string_view word, std::vector<std::int32_t>& ids) const {
    const std::size_t before = ids.size();
    if (character_count(word) <= most_ && add_pieces(word, ids)) return;
    ids.resize(before);
    ids.push_back(unk_);
  }

 private:
  // Whether all of the word is known.
  bool add_pieces(std::string_view word, std::vector<std::int32_t>& ids) const {
    std::string piece;
    for (std::size_t at = 0; at < word.size();) {
      piece = at == 0 ? "" : prefix_;
      piece += word.substr(at, vocabulary_->longest());
      const std::size_t prefix = at == 0 ? 0 : prefix_.size();
      std::optional<std::int32_t> id;
      while (piece.size() > prefix && !(id = vocabulary_->find(piece)))
        piece.pop_back();
      if (!id) return false;
      ids.push_back(*id);
      at += piece.size() - prefix;
    }
    return true;
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  std::string prefix_;
  std::size_t most_ = 0;  // characters of a word that is looked at
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
