// The language model in assets/examples/words: who gets what, in sentences that it was not trained on, and
// when it learnt that.
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "engine/checkpoint/checkpoint_series.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kFolder = source_root() + "/assets/examples/words";

std::string next_word(NetworkPass& pass, const std::string& text) {
  pass.set_ids(pass.network().encode(text));
  return pass.network().label(likeliest(pass.logits(pass.token_count() - 1, 1).row(0), 1).front().id);
}

NetworkPass words_model(const std::filesystem::path& folder = kFolder) {
  return NetworkPass(std::make_shared<const Network>(folder));
}

// Of the sentences of unseen.txt, which english.py keeps from the training: how many the model completes.
int right_of_unseen(NetworkPass& pass) {
  std::ifstream file(kFolder + "/unseen.txt");
  int right = 0, asked = 0;
  for (std::string told, word; std::getline(file, told, '\t') && std::getline(file, word); ++asked)
    right += next_word(pass, told) == " " + word;
  CHECK(asked == 200);
  return right;
}

}  // namespace

TEST_CASE("words model: of 200 sentences that it never saw it knows in at least 199 who gets the thing") {
  NetworkPass pass = words_model();
  const int right = right_of_unseen(pass);
  INFO(right << " of 200");
  CHECK(right >= 199);
}

TEST_CASE("words model: eight checkpoints lead from knowing nothing to knowing who gets the thing") {
  const std::vector<SavedStep> steps = checkpoints_in(kFolder);
  REQUIRE(steps.size() == 8);
  NetworkPass first = words_model(steps.front().folder), last = words_model(steps.back().folder);
  CHECK(steps.front().step == 0);
  CHECK(right_of_unseen(first) < 5);
  CHECK(right_of_unseen(last) >= 199);
  CHECK(series_of(kFolder).current == 7);
}

TEST_CASE("words model: names, lists and colours of things come back") {
  NetworkPass pass = words_model();
  CHECK(next_word(pass, "When Ann and Tom went out , Tom gave the key to") == " Ann");
  CHECK(next_word(pass, "Nina bought a ball , a spoon and a kite . Later Nina lost the ball , the") ==
        " spoon");
  CHECK(next_word(pass, "Rosa lost her blue hat in the park . Ben found the") == " blue");
  CHECK(next_word(pass, "Rosa lost her hat in the park . Ben found the hat and gave it to") == " Rosa");
}

TEST_CASE("words model: a word that it does not know is cut into pieces, a known one is one token") {
  NetworkPass pass = words_model();
  const auto known = pass.network().encode("Ann gave the wallet"),
             unknown = pass.network().encode("Ann gave the walrus");
  CHECK(known.size() == 5);  // <start> and four words
  CHECK(unknown.size() > 5);
  std::string joined;
  for (std::size_t i = 1; i < unknown.size(); ++i)
    joined += pass.network().label(unknown[i]);
  CHECK(joined == " Ann gave the walrus");
}

// What assets/examples/two-steps.headlight tells.
TEST_CASE(
    "words model: a head that fetches a name comes before the one that finds the giver, and the answer after "
    "both") {
  constexpr Index kLast = 12, kName = 2, kGiver = 8;
  const auto at = [&](const std::string& step) {
    NetworkPass pass = words_model(kFolder + "/step-" + step);
    const std::string said = next_word(pass, "When Ann and Tom went out , Tom gave the key to");
    return std::tuple(pass.attention_weights(2, 1)(kLast, kName), pass.attention_weights(0, 0)(kLast, kGiver),
                      said);
  };
  for (const char* early : {"0", "100", "200"}) {
    const auto [fetches, finds, said] = at(early);
    CHECK(fetches < 0.3f);
    CHECK(finds < 0.3f);
  }
  CHECK(std::get<0>(at("300")) > 0.3f);
  CHECK(std::get<0>(at("300")) < 0.9f);
  const auto [fetches, finds, said] = at("400");
  CHECK(fetches > 0.9f);
  CHECK(finds < 0.3f);
  CHECK(said != " Ann");
  for (const char* late : {"600", "1000", "2000"}) {
    const auto [still, then, answer] = at(late);
    CHECK(still > 0.8f);
    CHECK(then > 0.8f);
    CHECK(answer == " Ann");
  }
}
