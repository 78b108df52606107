// A lesson's text: places where a number of the engine stands, and sentences that depend on numbers.
#include "engine/session/told_text.h"

#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Quote only_quote(const std::string& text, Index sequence = 0, Index head = 0) {
  for (const TextPiece& piece : parse_text(text, sequence, head))
    if (piece.quote) return *piece.quote;
  throw std::runtime_error("no quote in " + text);
}

void refuse_quote(const std::string& text, const std::string& what, const std::string& hint) {
  INFO(text);
  check_error([&] { parse_text(text, 0, 0); }, what, "", hint);
}

}  // namespace

TEST_CASE("quotes: a text is cut at them, and nothing of it is lost") {
  const std::vector<TextPiece> pieces = parse_text("It is {weights[1,0]}, no more.", 0, 0);
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].words == "It is ");
  REQUIRE(pieces[1].quote);
  CHECK(pieces[2].words == ", no more.");
  CHECK(parse_text("", 0, 0).empty());
  CHECK(parse_text("no quote", 0, 0).size() == 1);
  CHECK(parse_text("{{a}} and {{", 0, 0).front().words == "{a} and {");
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
  CHECK(only_quote("{scores[,1] smallest}").every_row);
  CHECK(only_quote("{scores count != -1.5}").threshold == -1.5);
  CHECK(only_quote("{scores count > 0}").counted == CountedIf::Greater);
  CHECK(only_quote("{first scores[0,1]}").moment == QuotedState::First);
  CHECK(only_quote("{opened scores[0,1]:2}").moment == QuotedState::Opened);
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
  refuse_quote("{token}", "has no index", "{weights[1,0]}");
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
  refuse_quote("{scores count 3}", "what is counted", "count < 0");
  refuse_quote("{scores count < x}", "without a number", "count < 0");
  refuse_quote("{scores largest_token}", "a whole stage for \"largest_token\"", "[,1]");
  refuse_quote("{scores entropy}", "what is no row", "[1]");
  refuse_quote("{scores[,1] terms}", "a whole row for \"terms\"", "[1,0]");
  refuse_quote("{scores[1] transposed}", "does not belong there", "nearest");
}

TEST_CASE("claims: comparisons, settings, what joins them, and amounts") {
  const auto claim = [](const std::string& text) {
    TextScanner in(text);
    return read_claim(in, 1, 2);
  };
  CHECK(claim("scores[1,0] > 0").kind == ClaimKind::Greater);
  CHECK(claim("scores[1,0] >= 0").kind == ClaimKind::GreaterOrEqual);
  CHECK(claim("scores[1,0] < 0").kind == ClaimKind::Less);
  CHECK(claim("scores[1,0] <= 0").kind == ClaimKind::LessOrEqual);
  CHECK(claim("scores[1,0] = 0").kind == ClaimKind::Equal);
  CHECK(claim("scores[1,0] != 0").kind == ClaimKind::NotEqual);
  CHECK(claim("scores ~ scores transposed").kind == ClaimKind::Alike);
  CHECK(claim("d_k !~ 2").kind == ClaimKind::NotAlike);
  CHECK(claim("changed W_query").left.quote.parameter == Parameter::Query);
  CHECK(claim("nan weights[1]").kind == ClaimKind::Nan);
  CHECK(claim("mask is causal").word == "causal");
  CHECK(claim("scale is none").setting == ClaimedSetting::Scale);
  CHECK(claim("dropout_seed is none").setting == ClaimedSetting::DropoutSeed);
  CHECK(claim("bits tokens > 1").left.kind == Arithmetic::Bits);
  CHECK(claim("scale > 1").left.quote.kind == QuoteKind::Setting);
  CHECK(claim("scores[0,0] > 1").left.quote.head == 2);  // that of the step
  const Claim joined = claim("d_k = 1 or d_k = 2 and not heads = 1");
  CHECK(joined.kind == ClaimKind::Or);
  CHECK(joined.claims[1].kind == ClaimKind::And);
  CHECK(joined.claims[1].claims[1].kind == ClaimKind::Not);
  const Claim amounts = claim("abs (weights[1,0] - 0.5) * 2 < -d_k / 3 + 1");
  CHECK(amounts.left.kind == Arithmetic::Multiply);
  CHECK(amounts.left.parts[0].kind == Arithmetic::Abs);
  CHECK(amounts.right.kind == Arithmetic::Add);
  CHECK(amounts.right.parts[0].kind == Arithmetic::Divide);
  CHECK(amounts.right.parts[0].parts[0].kind == Arithmetic::Negate);
}

TEST_CASE("claims: what is wrong with one is said") {
  refuse_quote("{if scores[1,0]}a{else}b{end}", "claims nothing", "scores[1,0] > 0");
  refuse_quote("{if scores[1,0] > token[1]}a{else}b{end}", "no number", "largest");
  refuse_quote("{if mask is casual}a{else}b{end}", "can never be: \"casual\"", "\"causal\"");
  refuse_quote("{if (2 > 1}a{else}b{end}", "bracket", "(2 + 3)");
  refuse_quote("{if 2 > 1 d_k}a{else}b{end}", "ends with \"d_k\"", "{weights[1,0]}");
  refuse_quote("{if " + std::string(5000, '(') + "1 > 0}a{else}b{end}", "more than 200 parts",
               "several sentences");
  std::string chain = "{if 1";
  for (int i = 0; i < 300; ++i)
    chain += " + 1";
  refuse_quote(chain + " > 0}a{else}b{end}", "more than 200 parts", "several sentences");
  refuse_quote("{if sores[1,0] > 0}a{else}b{end}", "unknown name", "\"scores\"");
}

TEST_CASE("told text: sentences that depend on a claim, one within another") {
  const std::vector<TextPiece> pieces =
      parse_text("A {if d_k = 1}b {if heads = 1}c{else}d{end}{elif d_k = 2}e{else}{scale}{end} f", 0, 0);
  REQUIRE(pieces.size() == 3);
  REQUIRE(pieces[1].branches.size() == 3);
  CHECK(pieces[1].branches[0].pieces[1].branches.size() == 2);
  CHECK(pieces[1].branches[1].pieces[0].words == "e");
  CHECK_FALSE(pieces[1].branches[2].claim);
  CHECK(quotes_of(pieces).size() == 4);
}

TEST_CASE("told text: comparisons, amounts, words, looking back, and what always holds") {
  const auto only = [](const std::string& text) {
    const std::vector<TextPiece> pieces = parse_text(text, 0, 0);
    REQUIRE(pieces.size() == 1);
    return pieces.front();
  };
  const TextPiece compared = only("{compare d_k, d_out: less than | as much as | more than}");
  REQUIRE(compared.branches.size() == 3);
  CHECK(compared.branches[0].claim->kind == ClaimKind::Alike);
  CHECK(compared.branches[0].pieces[0].words == "as much as");
  CHECK(compared.branches[1].pieces[0].words == "less than");
  CHECK(compared.branches[2].claim->kind == ClaimKind::Greater);
  CHECK(only("{calc 1 / d_k:2}").decimals == 2);
  CHECK(only("{heads words}").form == QuoteForm::Words);
  CHECK(quotes_of({only("{now scores[1,0]}")}).back().moment == QuotedState::First);
  CHECK(only("{fixed 1: softmax adds up to it}").reason == "softmax adds up to it");
  CHECK(only("{type −3}").words == "−3");
}

TEST_CASE("told text: what is wrong with it is said") {
  refuse_quote("{if d_k = 1}a{end}", "has no {else}", "{else}It is not.{end}");
  refuse_quote("{if d_k = 1}a{else}b", "has no {end}", "{else}It is not.{end}");
  refuse_quote("{if d_k = 1}a", "has no {else}", "{else}It is not.{end}");
  refuse_quote("{if d_k = 1}a{else}b{elif d_k = 2}c{end}", "goes on behind its {else}", "{else}");
  refuse_quote("{if d_k = 1}a{else}b{else}c{end}", "goes on behind its {else}", "{else}");
  std::string nested;
  for (int i = 0; i < 5000; ++i)
    nested += "{if d_k = 1}";
  refuse_quote(nested, "stands within too many others", "at most 16");
  refuse_quote("a{else}b", "{else} stands without its {if ...}", "{else}");
  refuse_quote("a{end}", "{end} stands without its {if ...}", "{else}");
  refuse_quote("{fixed 1}", "why its words always hold", "{fixed 1:");
  refuse_quote("{type three}", "no number", "{type −3}");
  refuse_quote("{compare d_k: a | b | c}", "compares with nothing", "less than |");
  refuse_quote("{compare d_k, 2}", "no words to choose from", "less than |");
  refuse_quote("{compare d_k, 2: a | b}", "less, equal and more", "less than |");
  refuse_quote("{now weights}", "has no index", "{weights[1,0]}");
}

TEST_CASE("quotes: only what a model has can be quoted") {
  const Model model = parsed(small_session()).model;  // 2 tokens, d_in 3, d_out 2, one head, no W_output
  const auto exists = [&](const std::string& text) { return quote_exists(only_quote(text), model); };
  CHECK(exists("{weights[1,1]}"));
  CHECK_FALSE(exists("{weights[2,0]}"));
  CHECK_FALSE(exists("{weights[0,2]}"));
  CHECK_FALSE(exists("{weights[0,0] head 1}"));
  CHECK(quote_exists(only_quote("{output[0,0]}", 0, 3), model));  // heads are joined there
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
  CHECK(exists("{weights[,1] sum}"));
  CHECK_FALSE(exists("{weights[,2] sum}"));
  CHECK(exists("{weights largest}"));
  CHECK_FALSE(exists("{W_query[0] largest_token}"));
  CHECK(exists("{queries[,1] largest_token}"));
  CHECK_FALSE(exists("{queries[1] largest_token}"));
}
