#include "engine/tokenizers/word_piece.h"

#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Texts = std::vector<std::string>;

TokenizerText with_pieces(const std::string& members) {
  TokenizerText text;
  text.model = R"({"unk_token": "[UNK]", "max_input_chars_per_word": 5, "vocab":
                   {"[UNK]": 0, "ke": 1, "##y": 2, "##ys": 3, "k": 4, "é": 5, "+y": 6})" +
               members + "}";
  text.pre_tokenizer = R"({"type": "WhitespaceSplit"})";
  return text;
}

}  // namespace

TEST_CASE("word piece: the longest beginning that is known, or the word is unknown") {
  const Tokenizer tokenizer = with_pieces(R"(, "continuing_subword_prefix": "##")").tokenizer();
  CHECK(words_of(tokenizer, "keys key k kez") == Texts{"ke", "##ys", "ke", "##y", "k", "[UNK]"});
  CHECK(words_of(tokenizer, "keyyy keyyyy") ==
        Texts{"ke", "##y", "##y", "##y", "[UNK]"});  // words of 5 and 6 characters
  CHECK(words_of(tokenizer, "éy") == Texts{"é", "##y"});
  CHECK(words_of(with_pieces(R"(, "continuing_subword_prefix": "+")").tokenizer(), "key") ==
        Texts{"ke", "+y"});
}

TEST_CASE("word piece: faults are named") {
  TokenizerText text;
  text.model = R"({"type": "WordPiece", "unk_token": "?", "vocab": {"a": 0}})";
  check_error([&] { text.tokenizer(); }, "\"?\" is not in the vocabulary", "model.unk_token", "add it");
  text.model =
      R"({"type": "WordPiece", "unk_token": "a", "max_input_chars_per_word": -1, "vocab": {"a": 0}})";
  check_error([&] { text.tokenizer(); }, "-1", "model.max_input_chars_per_word", "range");
}
