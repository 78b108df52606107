#include "engine/core/nearest.h"

#include "tests/support/catch.h"

using headlight::edit_distance;
using headlight::listed;
using headlight::nearest_name;

TEST_CASE("nearest: the distance counts insertions, removals and replacements") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("query", "query") == 0);
  CHECK(edit_distance("", "key") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("sitting", "kitten") == 3);
  CHECK(edit_distance("Mask", "mask") == 0);
  CHECK(edit_distance("num_head", "num_heads") == 1);
}

TEST_CASE("nearest: the nearest name, and the first of equals") {
  CHECK(nearest_name("tokenz", {"title", "tokens", "notes"}) == "tokens");
  CHECK(nearest_name("x", {"ab", "cd"}) == "ab");
  CHECK(nearest_name("x", {}) == "");
  // A malicious file may have names of megabytes, whose full edit distance would take hours.
  const std::string endless(std::size_t{1} << 22, 'n');
  CHECK(nearest_name(endless, {endless + "a", endless + "b"}) == endless + "a");
}

TEST_CASE("nearest: long lists are cut") {
  CHECK(listed({}) == "");
  CHECK(listed({"a", "b"}) == "\"a\", \"b\"");
  CHECK(listed(std::vector<std::string>(15, "n")).ends_with("\"n\" and 3 more"));
}

TEST_CASE("nearest: a quoted name stays short and on one line") {
  CHECK(headlight::in_quotes("a\nb\tc") == "\"a b c\"");
  CHECK(headlight::in_quotes("") == "\"\"");
  CHECK(headlight::in_quotes(std::string(60, 'x')) == "\"" + std::string(60, 'x') + "\"");
  CHECK(headlight::in_quotes(std::string(61, 'x')) == "\"" + std::string(60, 'x') + "...\"");
  // A multi-byte character is not split.
  CHECK(headlight::in_quotes(std::string(59, 'x') + "\u00fc") == "\"" + std::string(59, 'x') + "...\"");
}
