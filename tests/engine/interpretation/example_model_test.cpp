// The model in assets/examples/words: what its lessons say of it. Two heads of the first layer find who is
// there and who gives; the answer needs no other head.
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/logit_lens.h"
#include "engine/interpretation/patch_map.h"
#include "engine/interpretation/predictions.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kSentence = "When Ann and Tom went out , Tom gave the key to";
constexpr Index kGiver = 8, kLast = 12;                // tokens of the sentence
constexpr std::size_t kWhoIsThere = 1, kWhoGives = 5;  // heads of the first layer
constexpr Index kDuplicate = 3;                        // head of the last layer

NetworkPass example(const std::string& text) {
  NetworkPass pass(std::make_shared<const Network>(HEADLIGHT_SOURCE_DIR "/assets/examples/words"));
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
  switch_off(pass, 0, {kWhoGives});
  CHECK(first_word(pass) == " Tom");
  switch_off(pass, 0, {kWhoIsThere});
  CHECK(probability_of(pass, "Ann") + probability_of(pass, "Tom") < 0.01);
  switch_off(pass, 0, {});
  for (const Index layer : {1, 2})
    switch_off(pass, layer, {0, 1, 2, 3, 4, 5});
  CHECK(probability_of(pass, "Ann") > 0.99);
}

TEST_CASE(
    "example model: the largest duplicate-token head is in the last layer, and none looks back by one") {
  NetworkPass pass = example(kSentence);
  const HeadsOverview glance = overview_of_heads(pass, 16, [](Index, Index) {});
  for (Index layer = 0; layer < glance.layers; ++layer)
    for (Index head = 0; head < glance.heads; ++head) {
      INFO("layer " << layer << ", head " << head);
      const HeadMeasures& measures = glance.of(layer, head).measures;
      CHECK(measures.of(HeadMeasure::PreviousToken).value_or(0) < 0.5f);
      if (layer != 2 || head != kDuplicate)
        CHECK(measures.of(HeadMeasure::DuplicateToken) <
              glance.of(2, kDuplicate).measures.of(HeadMeasure::DuplicateToken));
    }
}

TEST_CASE("example model: the answer is there after the first layer") {
  NetworkPass pass = example(kSentence);
  const std::vector<std::vector<Prediction>> lens = logit_lens(pass, kLast, 1);
  REQUIRE(lens.size() == 4);
  CHECK(pass.network().label(lens[0].front().id) != " Ann");
  for (const std::size_t after : {1, 2, 3})
    CHECK(pass.network().label(lens[after].front().id) == " Ann");
  CHECK(lens[1].front().probability < 0.9);
  CHECK(lens[3].front().probability > 0.99);
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
