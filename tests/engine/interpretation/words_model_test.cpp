// The language model in assets/examples/words: who gets what, in sentences that it was not trained on.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::vector<std::string> kPeople = {
    "Ann",  "Mary",  "Eve",  "Lisa",  "Rosa", "Nina", "Ida",  "Clara", "Emma",  "Julia", "Sara",
    "Vera", "Hanna", "Lucy", "Marta", "Olga", "Tom",  "Ben",  "Max",   "Leo",   "Paul",  "Sam",
    "Jack", "Hugo",  "Otto", "Adam",  "Karl", "Finn", "Noah", "Peter", "Oscar", "Felix"};

int letters(const std::string& name) {
  int sum = 0;
  for (const char c : name)
    sum += static_cast<unsigned char>(c);
  return sum;
}

// Whether english.py keeps sentences about the two from the training.
bool is_held_back(const std::string& a, const std::string& b) {
  return (letters(std::min(a, b)) + 3 * letters(std::max(a, b))) % 8 == 0;
}

std::string next_word(NetworkPass& pass, const std::string& text) {
  pass.set_ids(pass.network().encode(text));
  return pass.network().label(likeliest(pass.logits(pass.token_count() - 1, 1).row(0), 1).front().id);
}

NetworkPass words_model() {
  return NetworkPass(std::make_shared<const Network>(HEADLIGHT_SOURCE_DIR "/assets/examples/words"));
}

}  // namespace

TEST_CASE(
    "words model: in more than 90 % of 200 sentences about pairs that it never saw it knows who gets the "
    "thing") {
  NetworkPass pass = words_model();
  Dice dice(32);
  int right = 0, asked = 0;
  while (asked < 200) {
    const std::string a = kPeople[static_cast<std::size_t>(dice.below(32))];
    const std::string b = kPeople[static_cast<std::size_t>(dice.below(32))];
    if (a == b || !is_held_back(a, b)) continue;
    const bool first_gives = dice.chance(0.5);
    const std::string meeting =
        dice.pick<std::string>({"went out", "met at the station", "walked to the park", "had lunch"});
    const std::string gave = dice.pick<std::string>({"gave", "sold", "showed", "handed"});
    const std::string thing =
        dice.pick<std::string>({"key", "book", "red ball", "old lamp", "wallet", "green cup"});
    const std::string told = "When " + a + " and " + b + " " + meeting + " , " + (first_gives ? a : b) + " " +
                             gave + " the " + thing + " to";
    right += next_word(pass, told) == " " + (first_gives ? b : a);
    ++asked;
  }
  INFO(right << " of " << asked);
  CHECK(right > 180);
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
