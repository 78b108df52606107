#include "engine/analysis/words.h"

#include <algorithm>
#include <random>

#include "engine/core/error.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::shared_ptr<const Network> example() {
  return std::make_shared<const Network>(source_root() + "/assets/examples/words");
}

// Of random pieces: whether each token begins a word.
TextWords random_words(Index tokens, std::mt19937& random) {
  TextWords words;
  words.tokens = tokens;
  for (Index i = 0; i < tokens; ++i)
    if (i == 0 || random() % 2 == 0) words.begins.push_back(i);
  return words;
}

}  // namespace

TEST_CASE("words: rows still sum to 1, and words of one piece are unchanged") {
  std::mt19937 random(7);
  for (Index tokens = 1; tokens <= 12; ++tokens) {
    Matrix weights = Matrix::Random(tokens, tokens).cwiseAbs();
    weights.array().colwise() /= weights.rowwise().sum().array().eval();
    const TextWords words = random_words(tokens, random);
    const Matrix between = between_words(weights, words);
    REQUIRE((between.rows() == words.count() && between.cols() == words.count()));
    for (Index a = 0; a < words.count(); ++a) {
      CHECK_THAT(between.row(a).sum(), WithinAbs(1, 1e-5));
      for (Index b = 0; b < words.count(); ++b) {
        const auto first = [&](Index word) { return words.begins[static_cast<std::size_t>(word)]; };
        double sum = 0;
        for (Index i = first(a); i < words.end(a); ++i)
          for (Index j = first(b); j < words.end(b); ++j)
            sum += static_cast<double>(weights(i, j));
        CHECK_THAT(between(a, b), WithinAbs(sum / static_cast<double>(words.end(a) - first(a)), 1e-5));
        if (words.end(a) == first(a) + 1 && words.end(b) == first(b) + 1)
          CHECK(between(a, b) == weights(first(a), first(b)));
      }
    }
  }
}

TEST_CASE("words: an unknown word is one, marks of punctuation and special tokens stand alone") {
  const auto network = example();
  const TextWords words = words_of_text(*network, network->encode("Tom gave the zyxomma , Mary"));
  const std::vector<std::string> labels = words.labels;
  CHECK(labels.size() == 7);
  CHECK(labels.front() == "<start>");
  CHECK(std::count(labels.begin(), labels.end(), " zyxomma") == 1);
  const std::vector<std::int32_t> ids = network->encode("Tom gave the key");
  CHECK(words_of_text(*network, ids).count() == static_cast<Index>(ids.size()));
}

TEST_CASE("words: in a WordPiece vocabulary only ## continues a word") {
  const auto network = std::make_shared<const Network>(source_root() + "/tests/golden/models/bert");
  const Tokenizer& tokenizer = *network->tokenizer();
  std::vector<std::int32_t> ids;
  std::int32_t whole = -1, piece = -1;
  for (std::int32_t id = 0; id < network->config().vocabulary; ++id) {
    const std::string word = tokenizer.word(id);
    if (piece < 0 && word.starts_with("##")) piece = id;
    if (whole < 0 && word.size() > 1 && std::isalpha(static_cast<unsigned char>(word.front())) != 0)
      whole = id;
  }
  REQUIRE((whole >= 0 && piece >= 0));
  CHECK(continued_pieces(*network, {whole, whole, piece, whole}) ==
        std::vector<bool>{false, false, true, false});
}

TEST_CASE("words: without a tokenizer they are refused") {
  const ModelCopy model("gpt2");
  model.remove("tokenizer.json");
  const Network network(model.path());
  CHECK_THROWS_WITH(words_of_text(network, {1, 2}), ContainsSubstring("no tokenizer"));
}
