// Places in a lesson's text where a number of the engine stands.
#include "engine/session/quote.h"

#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Quote only_quote(const std::string& text, Index sequence = 0, Index head = 0) {
  for (const TextPiece& piece : parse_quotes(text, sequence, head))
    if (piece.quote) return *piece.quote;
  throw std::runtime_error("no quote in " + text);
}

void refuse_quote(const std::string& text, const std::string& what, const std::string& hint) {
  INFO(text);
  check_error([&] { parse_quotes(text, 0, 0); }, what, "", hint);
}

}  // namespace

TEST_CASE("quotes: a text is cut at them, and nothing of it is lost") {
  const std::vector<TextPiece> pieces = parse_quotes("It is {weights[1,0]}, no more.", 0, 0);
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].words == "It is ");
  REQUIRE(pieces[1].quote);
  CHECK(pieces[2].words == ", no more.");
  CHECK(parse_quotes("", 0, 0).empty());
  CHECK(parse_quotes("no quote", 0, 0).size() == 1);
  CHECK(parse_quotes("{{a}} and {{", 0, 0).front().words == "{a} and {");
}

TEST_CASE("quotes: cells, rows, heads, sequences and decimals") {
  const Quote cell = only_quote("{scores[1,2]}");
  CHECK(cell.kind == QuoteKind::Value);
  CHECK(cell.stage == Stage::Scores);
  CHECK(cell.row == 1);
  CHECK(cell.column == 2);
  CHECK(cell.decimals == 4);
  CHECK_FALSE(only_quote("{embeddings[3]}").column);
  CHECK(only_quote("{weights[1,0] head 1}").head == 1);
  CHECK(only_quote("{weights[1,0]}", 1, 3).head == 3);  // that of the step
  CHECK(only_quote("{weights[1,0]}", 1, 3).sequence == 1);
  CHECK(only_quote("{output[0] sequence 1}").sequence == 1);
  CHECK(only_quote("{output[0,1]:2}").decimals == 2);
  CHECK(only_quote("{ weights[ 1 , 0 ] head 1 : 3 }").decimals == 3);
}

TEST_CASE("quotes: parts of a computation, sums, weights, tokens and settings") {
  CHECK(only_quote("{scores[1,2] terms}").kind == QuoteKind::Terms);
  CHECK(only_quote("{context[1,0] term 2}").term == 2);
  CHECK(only_quote("{weights[1,0] exponential head 1}").kind == QuoteKind::Exponential);
  CHECK(only_quote("{weights[1,0] row_sum}").kind == QuoteKind::RowSum);
  CHECK(only_quote("{scores[1] sum}").kind == QuoteKind::Sum);
  CHECK(only_quote("{weights[1] largest_token}").kind == QuoteKind::LargestToken);
  CHECK(only_quote("{W_key[0,1]}").parameter == Parameter::Key);
  CHECK(only_quote("{token[1]}").kind == QuoteKind::Token);
  CHECK(only_quote("{dropout_factor}").setting == QuotedSetting::DropoutFactor);
}

TEST_CASE("quotes: what is wrong with one is said") {
  refuse_quote("a {weights[1,0]", "a brace is not closed", "{{ or }}");
  refuse_quote("a {weights[1,0} b {scores[0]}", "not closed", "{weights[1,0]}");
  refuse_quote("a } b", "closed that was not opened", "{{ or }}");
  refuse_quote("{a {scores[0]}}", "a brace is not closed", "{{ or }}");
  refuse_quote("{wieghts[1,0]}", "unknown name", "\"weights\"");
  refuse_quote("{weights}", "has no index", "{weights[1,0]}");
  refuse_quote("{scale[1]}", "takes no index", "{weights[1,0]}");
  refuse_quote("{weights[x]}", "lacks a row", "whole number");
  refuse_quote("{weights[-1]}", "lacks a row", "whole number");
  refuse_quote("{weights[99999999999999999999]}", "lacks a row", "whole number");
  refuse_quote("{weights[1,0] hed 1}", "the word \"hed\"", "\"head\"");
  refuse_quote("{weights[1] terms}", "a whole row for \"terms\"", "a column");
  refuse_quote("{weights[1,0] sum}", "a single cell for \"sum\"", "leave the column out");
  refuse_quote("{weights[1,0]:99}", "lacks the number of decimals", "0 to 8");
  refuse_quote("{weights[1,0] 5}", "ends with \"5\"", "{weights[1,0]}");
  refuse_quote("{}", "unknown name", "nearest");
}

TEST_CASE("quotes: only what a model has can be quoted") {
  const Model model = parsed(small_session()).model;  // 2 tokens, d_in 3, d_out 2, one head, no W_output
  const auto exists = [&](const std::string& text) { return quote_exists(only_quote(text), model); };
  CHECK(exists("{weights[1,1]}"));
  CHECK_FALSE(exists("{weights[2,0]}"));
  CHECK_FALSE(exists("{weights[0,2]}"));
  CHECK_FALSE(exists("{weights[0,0] head 1}"));
  CHECK_FALSE(exists("{output[0] sequence 1}"));
  CHECK(exists("{queries[1,1] terms}"));
  CHECK(exists("{queries[1,1] term 2}"));
  CHECK_FALSE(exists("{queries[1,1] term 3}"));
  CHECK_FALSE(exists("{embeddings[1,1] terms}"));
  CHECK_FALSE(exists("{output[1,1] terms}"));  // there is no output projection
  CHECK_FALSE(exists("{context[1,1] exponential}"));
  CHECK(exists("{weights[1] entropy}"));
  CHECK_FALSE(exists("{scores[1] entropy}"));
  CHECK(exists("{W_query[2,1]}"));
  CHECK_FALSE(exists("{W_query[3,0]}"));
  CHECK_FALSE(exists("{W_output[0,0]}"));
  CHECK(exists("{token[1]}"));
  CHECK_FALSE(exists("{token[2]}"));
  CHECK(exists("{scale}"));
}
