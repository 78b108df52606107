// The trained model of assets/examples: the engine's numbers confirm its notes and steps.
#include <filesystem>

#include "engine/arrays/catalog.h"
#include "engine/attention/evaluator.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;

namespace {

const std::filesystem::path kFolder = headlight_test::source_root() + "/assets/examples";
constexpr Index kLine = 10;  // syllables in the line shown

Session example(const char* name) {
  return load_session(kFolder / (std::string(name) + ".headlight"));
}

Matrix parameter(const std::string& name) {
  const NamedArray array = read_array(kFolder / "induction.safetensors", name);
  return Eigen::Map<const Matrix>(array.values.data(), array.shape.at(0), array.shape.at(1));
}

// The index of a syllable in the vocabulary: by consonant, then by vowel.
Index syllable(const std::string& token) {
  const auto consonant = std::string("bdfgklmnprst").find(token.at(0));
  return static_cast<Index>(consonant * 5 + std::string("aeiou").find(token.at(1)));
}

}  // namespace

TEST_CASE("examples: the second layer begins where the first one ends") {
  const Evaluator first = evaluate(example("previous-token-head").layer);
  const Matrix after = first.matrix(Stage::Embeddings, 0, 0) + first.matrix(Stage::Output, 0, 0);
  const Matrix next = example("induction-head").layer.embeddings.front();
  CHECK((after - next).cwiseAbs().maxCoeff() < 1e-5f);
}

TEST_CASE("examples: a head gives its attention to the token before") {
  const Session session = example("previous-token-head");
  const Evaluator evaluator = evaluate(session.layer);
  const Matrix& weights = evaluator.matrix(Stage::Weights, 0, session.lesson->head);
  for (Index row = 1; row < weights.rows(); ++row) {
    INFO("row " << row);
    CHECK(weights(row, row - 1) > 0.5f);
  }
}

TEST_CASE("examples: in the second line a head finds what came next in the first") {
  const Session session = example("induction-head");
  REQUIRE(session.layer.token_count() == 1 + 2 * kLine);
  const Evaluator evaluator = evaluate(session.layer);
  const Matrix& weights = evaluator.matrix(Stage::Weights, 0, session.lesson->head);
  for (Index row = kLine + 1; row < weights.rows() - 1; ++row) {
    INFO("row " << row);
    CHECK(weights(row, row - kLine + 1) > 0.5f);
  }
}

TEST_CASE("examples: the engine tells the second line, as the model was trained to") {
  const Session session = example("induction-head");
  const Evaluator evaluator = evaluate(session.layer);
  const Matrix flow = evaluator.matrix(Stage::Embeddings, 0, 0) + evaluator.matrix(Stage::Output, 0, 0);
  const Matrix logits = flow * parameter("unembed.weight").transpose();
  Index right = 0;
  for (Index row = kLine + 1; row < 2 * kLine; ++row) {
    Index told = 0;
    logits.row(row).maxCoeff(&told);
    right += told == syllable(session.layer.tokens[static_cast<std::size_t>(row + 1)]);
  }
  CHECK(right == kLine - 1);
}

TEST_CASE("examples: all files together are small") {
  std::uintmax_t bytes = 0, of_words = 0;  // the model with its checkpoints apart
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder))
    if (entry.is_regular_file())
      (entry.path().string().find("/words/") != std::string::npos ? of_words : bytes) += entry.file_size();
  CHECK(bytes < 1'000'000);
  CHECK(of_words <= 8'000'000);
}

TEST_CASE("examples: the logits of the second layer alone tell what comes next, with any one head off") {
  const Session session = example("prediction");
  const Evaluator second = evaluate(example("induction-head").layer);
  const Matrix unembed = parameter("unembed.weight");
  for (Index off = -1; off < 4; ++off) {
    INFO("without head " << off);
    Layer layer = session.layer;
    if (off >= 0) layer.attention.disabled_heads = {off};
    const Matrix logits = evaluate(layer).matrix(Stage::Output, 0, 0);
    for (Index row = kLine + 1; row < logits.rows() - 1; ++row) {
      Index told = 0;
      logits.row(row).maxCoeff(&told);
      CHECK(told == row - kLine);  // the columns are the syllables of the line
      if (off < 0)
        CHECK(std::abs(logits(row, told) - second.matrix(Stage::Output, 0, 0)
                                               .row(row)
                                               .dot(unembed.row(syllable(session.layer.tokens[row + 1])))) <
              1e-3f);
    }
  }
}
