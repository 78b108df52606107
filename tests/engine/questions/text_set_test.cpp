#include "engine/questions/text_set.h"

#include "engine/core/error.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const Network& words() {
  static const Network network(source_root() + "/assets/examples/words");
  return network;
}

std::string refusal(const std::string& content) {
  try {
    parse_text_set(words(), content, "texts.txt");
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_CASE("text set: a text a line, whatever the line ends are") {
  const std::vector<TokenIds> texts = parse_text_set(words(), "Ann gave the key to Bob\nthe key", "x");
  REQUIRE(texts.size() == 2);
  CHECK(texts[0] == words().encode("Ann gave the key to Bob"));
  CHECK(texts[1] == words().encode("the key"));
  CHECK(parse_text_set(words(), "Ann gave the key to Bob\r\nthe key\r\n", "x") == texts);
}

TEST_CASE("text set: a line that is no text is refused by its number") {
  CHECK_THAT(refusal(""), ContainsSubstring("no text"));
  CHECK_THAT(refusal("the key\n\nthe key\n"), ContainsSubstring("line 2") && ContainsSubstring("empty"));
  std::string longer = "the key\n";
  for (int i = 0; i < 300; ++i)
    longer += "key ";
  CHECK_THAT(refusal(longer), ContainsSubstring("line 2") && ContainsSubstring("positions for"));
  CHECK_THAT(refusal("the key\n\xFF\n"), ContainsSubstring("line 2"));
}

TEST_CASE("text set: pairs have as many tokens") {
  CHECK_NOTHROW(require_pairs({{1, 2}, {3}}, {{4, 5}, {6}}));
  CHECK_THROWS_AS(require_pairs({{1, 2}}, {{4, 5}, {6}}), Error);
  CHECK_THROWS_WITH(require_pairs({{1, 2}, {3}}, {{4, 5}, {6, 7}}), ContainsSubstring("line 2"));
}

TEST_CASE("text set: a mask of its own fits one length") {
  NetworkPass pass = golden_pass("gpt2");
  const Index tokens = pass.token_count();
  pass.set_weighing(1, 1, std::make_shared<const Matrix>(Matrix::Ones(tokens, tokens)));
  CHECK_THROWS_WITH(take_text(pass, {1, 2}, {}), ContainsSubstring("layer 1 has a mask"));
  CHECK_NOTHROW(take_text(pass, TokenIds(static_cast<std::size_t>(tokens), 2), {}));
}
