#include "engine/analysis/typed_place.h"

#include "engine/core/error.h"
#include "tests/engine/analysis/path_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("typed places: every sender and receiver is typed as it is written, and others are refused") {
  const NetworkPass pass = paths_pass("clean");
  const NetworkConfig& c = pass.network().config();
  for (const StreamPart& sender : senders_of(c))
    CHECK(typed_sender(c, typed_word(sender), "--sender") == sender);
  for (const StreamReader& receiver : receivers_of(c))
    CHECK(typed_receiver(c, typed_word(receiver), "--receiver") == receiver);
  CHECK(typed_sender(c, "1.2", "") == StreamPart{StreamPart::Kind::Head, 1, 2});
  CHECK(typed_receiver(c, "keys.1.0", "") == StreamReader{StreamReader::Kind::Keys, 1, 0});
  for (const char* const typed :
       {"", "1", "mlp", "mlp.2", "2.0", "0.3", "0.x", "heads.0.1", "-1.0", "0.1.2"}) {
    INFO(typed);
    CHECK_THROWS_AS(typed_sender(c, typed, "--sender"), Error);
  }
  for (const char* const typed : {"", "logit", "mlp.2", "queries.0", "queries.0.3", "scores.0.1", "0.1"}) {
    INFO(typed);
    CHECK_THROWS_AS(typed_receiver(c, typed, "--receiver"), Error);
  }
}

TEST_CASE("typed places: heads with commas between them") {
  const NetworkPass pass = paths_pass("clean");
  const NetworkConfig& c = pass.network().config();
  const std::vector<HeadPlace> two = {{0, 1}, {1, 2}};
  CHECK(typed_heads(c, "0.1, 1.2", "") == two);
  CHECK(typed_heads(c, typed_word(two), "") == two);
  CHECK(typed_heads(c, "", "").empty());
  for (const char* const typed : {"0", "mlp.0", "0.1,2.0", "0.3", "0.1.2", "0.1,,1.2"}) {
    INFO(typed);
    CHECK_THROWS_AS(typed_heads(c, typed, "together"), Error);
  }
}

TEST_CASE("typed places: a number is whole, from 0") {
  CHECK(typed_number("31", "feature") == 31);
  for (const char* const typed : {"", "-1", "1.5", "x"})
    CHECK_THROWS_AS(typed_number(typed, "feature"), Error);
}

TEST_CASE("typed places: tokens of a text by number, from the end, and by their words") {
  const Network network(source_root() + "/assets/examples/words");
  const TokenIds ids = network.encode("Ann gave the key to Tom and Ann left");
  const auto count = static_cast<Index>(ids.size());
  const auto position = [&](const std::string& typed) {
    return typed_position(network, ids, typed, "--key");
  };
  CHECK(position("0") == 0);
  CHECK(position("#3") == 3);
  CHECK(position("#-1") == count - 1);
  CHECK(position("-" + std::to_string(count)) == 0);
  const Index key = position("key");
  CHECK_THAT(network.token_label(ids[static_cast<std::size_t>(key)]), ContainsSubstring("key"));
  CHECK(position(" key ") == key);
  CHECK(typed_positions(network, ids, "#0,key,-1", "--positions") == std::vector<Index>{0, key, count - 1});
  CHECK(typed_positions(network, ids, "-1,key,#0,#" + std::to_string(count - 1), "--positions") ==
        std::vector<Index>{0, key, count - 1});
  CHECK_THROWS_WITH(position("Ann"), ContainsSubstring("more than one token"));
  CHECK_THROWS_WITH(position("Zoe"), ContainsSubstring("is no token of the text"));
  CHECK_THROWS_WITH(position("#" + std::to_string(count)), ContainsSubstring("there is no token"));
}
