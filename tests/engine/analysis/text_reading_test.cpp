#include "engine/analysis/text_reading.h"

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

TEST_CASE("text reading: a supposed weight is moved, and the rest of the model follows") {
  NetworkPass pass = example_pass();
  constexpr Index kQuery = 12, kAnn = 2, kTom = 4;
  const TextReading as_it_is = read_text(pass, kGave, 3);
  const TextHead head = *as_it_is.leading_head;
  const MovedAttention moved{head, kQuery, kAnn, kTom};
  const TextReading supposed = read_supposing(pass, as_it_is, moved, 3);
  const Eigen::RowVectorXf before = as_it_is.weights_of(kQuery, head),
                           after = supposed.weights_of(kQuery, head);
  CHECK(after(kAnn) == 0);
  CHECK_THAT(after(kTom), WithinAbs(before(kAnn) + before(kTom), 1e-6));
  CHECK_THAT(after.sum(), WithinAbs(before.sum(), 1e-5));
  CHECK(supposed.supposed == moved);
  CHECK(supposed.leading_head == as_it_is.leading_head);
  CHECK(supposed.next.front().front().id == as_it_is.next.front().front().id);  // behind an earlier token
  CHECK(supposed.next.back().front().probability < 0.7);  // of "Ann", which only other heads still look at
  REQUIRE(as_it_is.next.back().front().probability > 0.99);
  const MovedAttention of_all{{head.layer, std::nullopt}, kQuery, kAnn, kTom};
  CHECK(read_supposing(pass, as_it_is, of_all, 1).names.back().front() == " Tom");

  SECTION("as a pass of its own with that row of weights computes it") {
    NetworkPass other = example_pass();
    other.set_ids(as_it_is.ids);
    other.set_patches({{PatchStage::Weights, head.layer, *head.head, kQuery, 0, after}});
    for (Index layer = 0; layer < as_it_is.layers; ++layer)
      for (Index at = 0; at < as_it_is.heads; ++at)
        CHECK(largest_difference(supposed.weights[static_cast<std::size_t>(layer * as_it_is.heads + at)],
                                 other.attention_weights(layer, at)) < 1e-6f);
    const std::vector<Prediction> expected = likeliest(other.logits(kQuery, 1).row(0), 3);
    for (std::size_t rank = 0; rank < 3; ++rank)
      CHECK_THAT(supposed.next.back()[rank].probability, WithinAbs(expected[rank].probability, 1e-6));
  }
  SECTION("the pass is then as before") {
    CHECK(pass.patches().empty());
    const TextReading again = read_text(pass, kGave, 3);
    for (std::size_t i = 0; i < again.weights.size(); ++i)
      CHECK(largest_difference(again.weights[i], as_it_is.weights[i]) < 1e-6f);
  }
}

TEST_CASE("text reading: the context of a supposed row is the sum of its values, in plain loops") {
  NetworkPass pass = example_pass();
  const TextReading as_it_is = read_text(pass, kGave, 1);
  const Index width = pass.network().config().head_width, query = 12;
  const MovedAttention moved{{1, std::nullopt}, query, 2, 3.25};  // every head of a layer, between two keys
  const std::vector<Patch> patches = patches_of(as_it_is, moved);
  REQUIRE(patches.size() == static_cast<std::size_t>(as_it_is.heads));
  pass.set_patches(patches);
  for (Index head = 0; head < as_it_is.heads; ++head) {
    const Eigen::RowVectorXf row = as_it_is.weights_of(query, {1, head});
    for (Index number = 0; number < width; ++number) {
      double sum = 0;
      for (Index key = 0; key <= query; ++key) {
        double weight = key == 2 ? 0 : static_cast<double>(row(key));
        if (key == 3) weight += 0.75 * static_cast<double>(row(2));
        if (key == 4) weight += 0.25 * static_cast<double>(row(2));
        sum += weight * static_cast<double>(pass.values(1)(key, head * width + number));
      }
      CHECK_THAT(pass.concat(1)(query, head * width + number), WithinAbs(sum, 1e-5));
    }
  }
  // The mean of the heads moves as each of them does.
  const TextHead all = moved.of;
  pass.set_patches({});
  const TextReading supposed = read_supposing(pass, as_it_is, moved, 1);
  const Eigen::RowVectorXf mean = moved_row(as_it_is.weights_of(query, all), moved);
  for (Index key = 0; key < mean.size(); ++key)
    CHECK_THAT(supposed.weights_of(query, all)(key), WithinAbs(mean(key), 1e-6));
}

TEST_CASE("text reading: a weight that is moved to its own place leaves the model as it is") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    if (!pass.network().tokenizer()) continue;
    const TextReading as_it_is = read_text(pass, "a b", 2);
    if (as_it_is.failure) continue;
    const Index last = as_it_is.token_count() - 1;
    const TextReading same = read_supposing(pass, as_it_is, {{1, 0}, last, 0, 0.0}, 2);
    const TextReading moved = read_supposing(pass, as_it_is, {{1, 0}, last, 0, static_cast<double>(last)}, 2);
    for (std::size_t i = 0; i < same.weights.size(); ++i)
      CHECK(largest_difference(same.weights[i], as_it_is.weights[i]) < 1e-5f);
    CHECK(moved.weights_of(last, {1, 0})(0) == (last == 0 ? as_it_is.weights_of(0, {1, 0})(0) : 0.0f));
    CHECK(as_it_is.last_key(0) == (pass.network().config().causal ? 0 : last));
  }
}
