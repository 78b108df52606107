// The model in assets/examples/words: what its lessons say of it. A head of the first layer finds who gives;
// heads of the last one look at the other name, and one of them is enough.
#include <array>

#include "engine/interpretation/logit_lens.h"
#include "engine/interpretation/patch_map.h"
#include "engine/interpretation/predictions.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kSentence = "When Ann and Tom went out , Tom gave the key to";
constexpr Index kTaker = 2, kGiver = 8, kLast = 12;     // tokens of the sentence
constexpr std::size_t kWhoGives = 0;                    // a head of the first layer
constexpr std::array<std::size_t, 2> kMovers = {1, 3};  // heads of the last layer

NetworkPass example(const std::string& text) {
  NetworkPass pass(std::make_shared<const Network>(source_root() + "/assets/examples/words"));
  pass.set_ids(pass.network().encode(text));
  return pass;
}

std::string first_word(NetworkPass& pass) {
  return pass.network().label(likeliest(pass.logits(pass.token_count() - 1, 1).row(0), 1).front().id);
}

double probability_of(NetworkPass& pass, const std::string& word) {
  const std::optional<std::int32_t> id = pass.network().tokenizer()->find("Ġ" + word);
  REQUIRE(id);
  return prediction_of(pass.logits(pass.token_count() - 1, 1).row(0), *id).probability;
}

void switch_off(NetworkPass& pass, Index layer, const std::vector<std::size_t>& heads) {
  HeadStates states(6, HeadState::On);
  for (const std::size_t head : heads)
    states[head] = HeadState::Off;
  pass.set_heads(layer, states);
}

}  // namespace

TEST_CASE("example model: who is not named again gets the thing") {
  for (const auto& [a, b] : {std::pair("Ann", "Tom"), std::pair("Rosa", "Ben"), std::pair("Max", "Lucy")})
    for (const bool turned : {false, true}) {
      const std::string giver = turned ? a : b, taker = turned ? b : a;
      NetworkPass pass =
          example(std::string("When ") + a + " and " + b + " went out , " + giver + " gave the ball to");
      INFO(giver << " gives to " << taker);
      CHECK(first_word(pass) == " " + taker);
      CHECK(probability_of(pass, taker) > 0.9);
    }
}

TEST_CASE("example model: what the lessons say of its heads holds") {
  NetworkPass pass = example(kSentence);
  REQUIRE(pass.token_count() == kLast + 1);
  CHECK(pass.network().label(pass.ids()[kGiver]) == " Tom");
  CHECK(first_word(pass) == " Ann");
  CHECK(pass.attention_weights(0, kWhoGives)(kLast, kGiver) > 0.8f);
  switch_off(pass, 0, {kWhoGives});
  CHECK(first_word(pass) == " Ann");
  CHECK(probability_of(pass, "Ann") < 0.9);
  switch_off(pass, 0, {0, 1, 2, 3, 4, 5});
  CHECK(first_word(pass) == " Tom");
  switch_off(pass, 0, {});
  for (const std::size_t mover : kMovers) {
    CHECK(pass.attention_weights(2, static_cast<Index>(mover))(kLast, kTaker) > 0.8f);
    switch_off(pass, 2, {mover});
    CHECK(first_word(pass) == " Ann");
    switch_off(pass, 2, {});
  }
  switch_off(pass, 2, {0, 1, 2, 3, 4, 5});
  CHECK(probability_of(pass, "Ann") < 0.5);
}

TEST_CASE("example model: the answer is there after the last layer only") {
  NetworkPass pass = example(kSentence);
  const std::vector<std::vector<Prediction>> lens = logit_lens(pass, kLast, 1);
  REQUIRE(lens.size() == 4);
  for (const std::size_t after : {0, 1, 2})
    CHECK(pass.network().label(lens[after].front().id) != " Ann");
  CHECK(pass.network().label(lens[3].front().id) == " Ann");
  CHECK(lens[3].front().probability > 0.9);
}

TEST_CASE(
    "example model: a patch brings the answer back at the giver, and above the first layer at the end") {
  const std::string other = "When Ann and Tom went out , Ann gave the key to";
  NetworkPass pass = example(other), source = example(kSentence);
  const std::int32_t ann = *pass.network().tokenizer()->find("ĠAnn"),
                     tom = *pass.network().tokenizer()->find("ĠTom");
  const PatchMap map = patch_map(pass, source, PatchStage::Residual, {kLast, ann, tom}, [](Index, Index) {});
  for (Index layer = 0; layer < 4; ++layer)
    for (Index token = 0; token <= kLast; ++token) {
      INFO("layer " << layer << ", token " << token);
      CHECK((map.logits(layer, token) > 0) == (token == (layer == 0 ? kGiver : kLast)));
    }
}
