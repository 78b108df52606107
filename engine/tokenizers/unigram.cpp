#include "engine/tokenizers/unigram.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/tokenizers/byte_words.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/tokenizers/word_trie.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using Ids = std::vector<std::int32_t>;

std::vector<double> read_scores(const Json& vocab) {
  std::vector<double> scores;
  scores.reserve(vocab.size());
  for (std::size_t i = 0; i < vocab.size(); ++i)
    scores.push_back(number_value(vocab[i][1], place_in_list("model.vocab", i) + "[1]"));
  return scores;
}

WordTrie trie_of(const Vocabulary& vocabulary) {
  std::vector<std::pair<std::string_view, std::int32_t>> words;
  words.reserve(vocabulary.words().size());
  for (const auto& [id, word] : vocabulary.words())
    words.emplace_back(word, *vocabulary.find(word));
  return WordTrie(std::move(words));
}

class Unigram {
 public:
  Unigram(const JsonFields& fields, std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)),
        scores_(read_scores(fields.require("vocab", "write a list"))),
        trie_(trie_of(*vocabulary_)) {
    constexpr double kUnknown = 10;  // an unknown character scores this much less than any word
    unk_score_ = (scores_.empty() ? 0 : *std::min_element(scores_.begin(), scores_.end())) - kUnknown;
    if (const Json* unk = fields.find("unk_id"); unk && !unk->is_null())
      unk_ = static_cast<std::int32_t>(
          whole_value(*unk, fields.place("unk_id"), 0, static_cast<std::int64_t>(scores_.size()) - 1));
    if (const Json* fallback = fields.find("byte_fallback"); fallback && !fallback->is_null())
      if (fields.flag("byte_fallback", false)) bytes_ = byte_words(*vocabulary_);
  }

  void encode(std::string_view word, Ids& ids) const {
    const std::vector<Ending> endings = best_endings(word);
    std::vector<std::string_view> pieces;
    // Consecutive unknown characters are one piece.
    for (std::size_t end = word.size(); end > 0;) {
      std::size_t begin = endings[end].begin;
      const auto is_unknown = [&](std::size_t at) { return unk_ && endings[at].id == *unk_; };
      if (is_unknown(end))
        while (begin > 0 && is_unknown(begin))
          begin = endings[begin].begin;
      pieces.push_back(word.substr(begin, end - begin));
      end = begin;
    }
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
      add_piece(*piece, ids);
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
  // The best segmentation up to a position of the word: its last piece, and the score of all pieces.
  struct Ending {
    double score = 0;
    std::size_t begin = kNowhere;
    std::int32_t id = 0;
  };

  // Indexed by byte. Of equal scores, the piece that begins first is used, as in the Rust library.
  std::vector<Ending> best_endings(std::string_view word) const {
    std::vector<Ending> endings(word.size() + 1);
    SearchBudget look_ups(word.size(), vocabulary_->place());
    const auto offer = [&](std::size_t begin, std::size_t end, double score, std::int32_t id) {
      Ending& ending = endings[end];
      if (ending.begin == kNowhere || score > ending.score) ending = {score, begin, id};
    };
    for (std::size_t at = 0; at < word.size();) {
      std::size_t behind = at;
      next_character(word, behind);
      bool is_word = false;  // whether the character by itself is one
      const double here = endings[at].score;
      trie_.words_at(word, at, look_ups, [&](std::size_t end, std::int32_t id) {
        offer(at, end, scores_[static_cast<std::size_t>(id)] + here, id);
        is_word = is_word || end == behind;
      });
      if (!is_word) offer(at, behind, unk_score_ + here, required_unk(word.substr(at, behind - at)));
      at = behind;
    }
    return endings;
  }

  std::int32_t required_unk(std::string_view what) const {
    if (!unk_)
      throw Error(in_quotes(std::string(what)) + " is not in the vocabulary, and there is no unk_id for it",
                  "model.unk_id", "write the text without it");
    return *unk_;
  }

  void add_piece(std::string_view piece, Ids& ids) const {
    if (const std::optional<std::int32_t> id = vocabulary_->find(piece)) return ids.push_back(*id);
    if (has_bytes(piece, bytes_)) {
      for (const char byte : piece)
        ids.push_back(*bytes_[static_cast<unsigned char>(byte)]);
      return;
    }
    ids.push_back(required_unk(piece));
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<double> scores_;
  WordTrie trie_;
  double unk_score_ = 0;
  std::optional<std::int32_t> unk_;
  ByteWords bytes_;  // empty without byte_fallback
};

}  // namespace

WordEncoder read_unigram(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary) {
  const JsonFields fields(model, "model", {"type", "unk_id", "vocab", "byte_fallback"});
  if (!model["vocab"].is_array())
    throw Error("is " + json_kind(model["vocab"]) + ", expected a list of words and scores", "model.vocab",
                "write [[\"word\", -1.5], ...]");
  const auto unigram = std::make_shared<const Unigram>(fields, vocabulary);
  return [unigram](std::string_view word, Ids& ids) { unigram->encode(word, ids); };
}

}  // namespace headlight
