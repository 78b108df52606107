// The model in assets/examples: it predicts a repeated line, by heads that the measures find.
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/predictions.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kSyllables = "ba du ki lo me ru";

NetworkPass example(const std::string& text) {
  NetworkPass pass(std::make_shared<const Network>(HEADLIGHT_SOURCE_DIR "/assets/examples/syllables"));
  pass.set_ids(pass.network().encode(text));
  return pass;
}

double probability_of(NetworkPass& pass, const std::string& word) {
  const std::optional<std::int32_t> id = pass.network().tokenizer()->find(word);
  REQUIRE(id);
  return prediction_of(pass.logits(pass.token_count() - 1, 1).row(0), *id).probability;
}

// The layer and head with the largest value of a measure.
std::pair<Index, Index> largest(const HeadsOverview& glance, HeadMeasure measure) {
  std::pair<Index, Index> found;
  float most = -1;
  for (Index layer = 0; layer < glance.layers; ++layer)
    for (Index head = 0; head < glance.heads; ++head)
      if (const float value = glance.of(layer, head).measures.of(measure).value_or(0); value > most) {
        most = value;
        found = {layer, head};
      }
  CHECK(most > 0.5f);
  return found;
}

}  // namespace

TEST_CASE("example model: a line that is said again goes on as it did") {
  NetworkPass pass = example(kSyllables + " " + kSyllables.substr(0, 11));  // … ba du ki lo
  CHECK(pass.token_count() == 11);
  CHECK(pass.network().label(pass.ids()[4]) == " lo");
  CHECK(likeliest(pass.logits(10, 1).row(0), 1).front().id == pass.network().tokenizer()->find("Ġme"));
  CHECK(probability_of(pass, "Ġme") > 0.9);
  // At the first occurrence the next syllable is not predictable.
  NetworkPass once = example(kSyllables.substr(0, 11));
  CHECK(probability_of(once, "Ġme") < 0.2);
}

TEST_CASE(
    "example model: a head looks back by one, others find what came behind, and without them it is lost") {
  NetworkPass pass = example(kSyllables + " " + kSyllables.substr(0, 11));
  const HeadsOverview glance = overview_of_heads(pass, 16, [](Index, Index) {});
  CHECK(largest(glance, HeadMeasure::PreviousToken).first == 0);
  CHECK(largest(glance, HeadMeasure::Induction).first == 1);
  HeadStates off(4, HeadState::On);
  for (Index head = 0; head < glance.heads; ++head)
    if (glance.of(1, head).measures.of(HeadMeasure::Induction).value_or(0) > 0.2f)
      off[static_cast<std::size_t>(head)] = HeadState::Off;
  pass.set_heads(1, off);
  CHECK(probability_of(pass, "Ġme") < 0.2);
}
