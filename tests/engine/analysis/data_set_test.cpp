#include "engine/analysis/data_set.h"

#include "engine/core/error.h"
#include "tests/engine/analysis/words_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

DataSet parsed(const std::string& content) {
  return parse_data_set(words(), content, "io.tsv");
}

std::string refusal(const std::string& content) {
  try {
    parsed(content);
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

// A set of one row: a text of 12 tokens, in which Leo stands at 2, and Mary at 4 and 7.
std::string with_token(const std::string& named, const std::string& from = "") {
  return std::string("text\t") + (from.empty() ? "" : "from\t") +
         "@A\nWhen Leo and Mary met , Mary gave the key to\t" + (from.empty() ? "" : from + "\t") + named +
         "\n";
}

}  // namespace

TEST_CASE("data set: columns in any order, and rows with their targets and named tokens") {
  const DataSet set = parsed(
      "target\t@END\ttext\tagainst\r\nLeo\t#-1\tMary gave the key to\tMary\r\nEve\tto\tAnn gave it "
      "to\t#7\r\n");
  CHECK(set.columns == std::vector<std::string>{"target", "@END", "text", "against"});
  CHECK(set.names == std::vector<std::string>{"@END"});
  REQUIRE(set.rows.size() == 2);
  CHECK(set.rows[0].text == words().encode("Mary gave the key to"));
  CHECK(set.rows[0].from.empty());
  CHECK(set.rows[0].target == words().encode("Leo").back());
  CHECK(set.rows[1].against == 7);
  CHECK(set.rows[0].tokens == std::vector<Index>{5});
  CHECK(set.rows[1].tokens == std::vector<Index>{4});
  CHECK(set.cell(set.rows[1], "target") == "Eve");
  CHECK(set.cell(set.rows[1], "from").empty());
  CHECK(set.has("against"));
  CHECK_FALSE(set.has("from"));
}

TEST_CASE("data set: without a header a line is a text, or a text and its target") {
  const DataSet pairs = parsed("Ann gave the key to\tEve\nLeo gave the key to\tMary");
  CHECK(pairs.columns == std::vector<std::string>{"text", "target"});
  REQUIRE(pairs.rows.size() == 2);
  CHECK(pairs.rows[1].target == words().encode("Mary").back());
  const DataSet texts = parsed("Ann gave the key to\nthe key\n");
  CHECK(texts.columns == std::vector<std::string>{"text"});
  CHECK(texts.rows.size() == 2);
  CHECK(parsed("the key\tEve\n").rows.size() == 1);  // blanks: no header
}

TEST_CASE("data set: a token is named by its words or its number") {
  const auto token = [](const std::string& named) {
    return parsed(with_token(named)).rows.at(0).tokens.at(0);
  };
  CHECK(token("Leo") == 2);
  CHECK(token(" Leo ") == 2);
  CHECK(token("#0") == 0);
  CHECK(token("#-1") == 11);
  CHECK(token("#-12") == 0);
  CHECK(token("Leo and Mary") == 4);  // the last of the words
  CHECK(token("Mary gave") == 8);
  CHECK(token("<start>") == 0);
}

TEST_CASE("data set: in the other text a token is the same number, or where lengths differ the same words") {
  const auto there = [](const std::string& named, const std::string& from) {
    return parsed(with_token(named, from)).rows.at(0).from_tokens.at(0);
  };
  CHECK(there("Leo", "When Mary and Leo met , Mary gave the key to") == 2);
  CHECK(there("Leo", "Mary and Leo met , Mary gave the key to") == 3);
  CHECK(there("#4", "Mary and Leo met") == 4);
  CHECK(there("#-1", "Mary and Leo met") == 4);
  CHECK(there("#9", "Mary and Leo met") == std::nullopt);
  CHECK(there("key", "Mary and Leo met") == std::nullopt);
  CHECK(there("Leo", "Leo and Leo met") == std::nullopt);
}

TEST_CASE("data set: what is wrong is named with its row, its column and how to mend it") {
  const std::string row = "Mary gave the key to";
  CHECK_THAT(refusal(""), ContainsSubstring("io.tsv") && ContainsSubstring("empty"));
  CHECK_THAT(refusal("text\ttarget\n"), ContainsSubstring("no row"));
  CHECK_THAT(refusal("text\tform\n" + row + "\tx\n"),
             ContainsSubstring("\"form\"") && ContainsSubstring("\"from\""));
  CHECK_THAT(refusal("txt\ttarget\n" + row + "\tLeo\n"),
             ContainsSubstring("\"txt\"") && ContainsSubstring("\"text\""));
  CHECK_THAT(refusal("from\ttarget\n" + row + "\tLeo\n"), ContainsSubstring("no column text"));
  CHECK_THAT(refusal("text\t@A\t@A\n" + row + "\tto\tto\n"),
             ContainsSubstring("@A") && ContainsSubstring("twice"));
  CHECK_THAT(refusal("text\t@\n" + row + "\tto\n"), ContainsSubstring("no name"));
  CHECK_THAT(refusal("text\ttarget\n" + row + "\n"),
             ContainsSubstring("row 1") && ContainsSubstring("1 cell"));
  CHECK_THAT(refusal("text\ttarget\n" + row + "\tLeo\n\n"), ContainsSubstring("row 2"));
  CHECK_THAT(refusal(row + "\n" + row + "\tLeo\n"),
             ContainsSubstring("row 2") && ContainsSubstring("2 cells"));
  CHECK_THAT(refusal("text\ttarget\n" + row + "\t \n"),
             ContainsSubstring("row 1, column target") && ContainsSubstring("empty"));
  CHECK_THAT(refusal("text\ttarget\n" + row + "\tLeo Mary\n"),
             ContainsSubstring("row 1, column target") && ContainsSubstring("several tokens"));
  CHECK_THAT(refusal("text\ttarget\tagainst\n" + row + "\tLeo\tLeo\n"), ContainsSubstring("row 1"));
  CHECK_THAT(refusal("text\n" + row + "\n\xff\n"), ContainsSubstring("UTF-8"));
}

TEST_CASE("data set: a token that a text does not have, or has twice, is refused with the text") {
  CHECK_THAT(refusal(with_token("Eve")), ContainsSubstring("row 1, column @A") &&
                                             ContainsSubstring("\"Eve\"") &&
                                             ContainsSubstring("When Leo and Mary"));
  CHECK_THAT(refusal(with_token("Mary")),
             ContainsSubstring("2 times") && ContainsSubstring("#4 or #7") && ContainsSubstring("When Leo"));
  CHECK_THAT(refusal(with_token("#12")), ContainsSubstring("no token #12") && ContainsSubstring("12 tokens"));
  CHECK_THAT(refusal(with_token("#-13")), ContainsSubstring("no token #-13"));
  CHECK_THAT(refusal(with_token("#x")), ContainsSubstring("no number"));
}

TEST_CASE("data set: texts of a model without a tokenizer are ids") {
  const Network network(source_root() + "/tests/golden/library/gpt2");
  REQUIRE_FALSE(network.tokenizer());
  const DataSet set = parse_data_set(network, "text\ttarget\t@A\n1,5,9\t#7\t#1\n", "ids.tsv");
  CHECK(set.rows.at(0).text == TokenIds{1, 5, 9});
  CHECK(set.rows.at(0).target == 7);
  CHECK(set.rows.at(0).tokens == std::vector<Index>{1});
  CHECK_THROWS_AS(parse_data_set(network, "text\n1,x\n", "ids.tsv"), Error);
  CHECK_THROWS_AS(parse_data_set(network, "text\n1,1000000\n", "ids.tsv"), Error);
}
