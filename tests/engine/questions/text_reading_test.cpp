#include "engine/questions/text_reading.h"

#include "tests/engine/network/network_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

NetworkPass example_pass() {
  return NetworkPass(std::make_shared<const Network>(source_root() + "/assets/examples/words"));
}

constexpr const char* kGave = "When Ann and Tom went out , Tom gave the key to";

}  // namespace

TEST_CASE("text reading: weights, predictions and the leading head are those of the pass") {
  NetworkPass pass = example_pass();
  const TextReading reading = read_text(pass, kGave, 3);
  REQUIRE_FALSE(reading.failure);
  REQUIRE(reading.token_count() == 13);
  REQUIRE(reading.next.size() == 13);
  REQUIRE(reading.weights.size() == static_cast<std::size_t>(reading.layers * reading.heads));
  CHECK(reading.names.back().front() == " Ann");
  CHECK(reading.next.back().front().id == likeliest(pass.logits(12, 1).row(0), 1).front().id);
  for (Index layer = 0; layer < reading.layers; ++layer)
    for (Index head = 0; head < reading.heads; ++head)
      CHECK(reading.weights[static_cast<std::size_t>(layer * reading.heads + head)] ==
            pass.attention_weights(layer, head));
  REQUIRE(reading.leading_head);
  constexpr Index kAnn = 2;
  const float most = reading.weights_of(12, *reading.leading_head)(kAnn);
  for (const Matrix& weights : reading.weights)
    CHECK(weights(12, kAnn) <= most);
  CHECK_FALSE(read_text(pass, "Ann gave", 1).leading_head);  // what follows does not occur
}

TEST_CASE("text reading: what all heads give together are shares of one whole") {
  NetworkPass pass = example_pass();
  const TextReading reading = read_text(pass, kGave, 1);
  for (Index query = 0; query < reading.token_count(); ++query) {
    for (Index layer = 0; layer < reading.layers; ++layer) {
      const Eigen::RowVectorXf all = reading.weights_of(query, {layer, std::nullopt});
      CHECK_THAT(all.sum(), WithinAbs(1, 1e-5));
      double first = 0;
      for (Index head = 0; head < reading.heads; ++head)
        first += pass.attention_weights(layer, head)(query, 0);
      CHECK_THAT(all(0), WithinAbs(first / static_cast<double>(reading.heads), 1e-6));
    }
    CHECK(reading.weights_of(query, {1, 2}) ==
          reading.weights[static_cast<std::size_t>(reading.heads + 2)].row(query));
  }
}

TEST_CASE("text reading: an unknown word is in pieces, which belong together") {
  NetworkPass pass = example_pass();
  const TextReading known = read_text(pass, kGave, 1);
  CHECK(std::count(known.continues.begin(), known.continues.end(), true) == 0);
  const TextReading cut = read_text(pass, "Tom gave the zyxomma to", 1);
  REQUIRE_FALSE(cut.failure);
  std::string word;
  for (std::size_t i = 0; i < cut.labels.size(); ++i)
    if (cut.continues[i] || (i + 1 < cut.labels.size() && cut.continues[i + 1])) word += cut.labels[i];
  CHECK(word == " zyxomma");
}

TEST_CASE("text reading: texts that the model does not take are a failure that says how to mend it") {
  NetworkPass pass = example_pass();
  std::string endless;
  for (int i = 0; i < 400; ++i)
    endless += " Tom";
  const TextReading reading = read_text(pass, endless, 1);
  REQUIRE(reading.failure);
  CHECK(reading.token_count() == 0);
  CHECK_FALSE(read_text(pass, kGave, 1).failure);
}

TEST_CASE("text reading: models that predict nothing, or have no sum of parts, are read without them") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    if (!pass.network().tokenizer()) continue;
    const TextReading reading = read_text(pass, "a b", 2);
    if (reading.failure) continue;
    CHECK(reading.weights.size() == static_cast<std::size_t>(reading.layers * reading.heads));
    CHECK(reading.next.empty() == !pass.network().predicts());
  }
}
