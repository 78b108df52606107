// The text of a lesson: references to the engine's numbers, and sentences with conditions on them.
#include "engine/session/lesson_text.h"

#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

TextReference only_reference(const std::string& text, Index sequence = 0, Index head = 0) {
  for (const TextPiece& piece : parse_text(text, sequence, head))
    if (piece.reference) return *piece.reference;
  throw std::runtime_error("no quote in " + text);
}

void refuse_reference(const std::string& text, const std::string& what, const std::string& hint) {
  INFO(text);
  check_error([&] { parse_text(text, 0, 0); }, what, "", hint);
}

}  // namespace

TEST_CASE("references: a text is cut at them, and nothing of it is lost") {
  const std::vector<TextPiece> pieces = parse_text("It is {weights[1,0]}, no more.", 0, 0);
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].words == "It is ");
  REQUIRE(pieces[1].reference);
  CHECK(pieces[2].words == ", no more.");
  CHECK(parse_text("", 0, 0).empty());
  CHECK(parse_text("no quote", 0, 0).size() == 1);
  CHECK(parse_text("{{a}} and {{", 0, 0).front().words == "{a} and {");
}

TEST_CASE("references: cells, rows, heads, sequences and decimals") {
  const TextReference cell = only_reference("{scores[1,2]}");
  CHECK(cell.kind == ReferenceKind::Value);
  CHECK(cell.stage == Stage::Scores);
  CHECK(cell.row == 1);
  CHECK(cell.column == 2);
  CHECK(cell.decimals == 4);
  CHECK_FALSE(only_reference("{embeddings[3]}").column);
  CHECK(only_reference("{weights[1,0] head 1}").head == 1);
  CHECK(only_reference("{weights[1,0]}", 1, 3).head == 3);  // the step's head
  CHECK(only_reference("{weights[1,0]}", 1, 3).sequence == 1);
  CHECK(only_reference("{output[0] sequence 1}").sequence == 1);
  CHECK(only_reference("{output[0,1]:2}").decimals == 2);
  CHECK(only_reference("{ weights[ 1 , 0 ] head 1 : 3 }").decimals == 3);
}

TEST_CASE("references: parts of a computation, sums, weights, tokens and settings") {
  CHECK(only_reference("{scores[1,2] terms}").kind == ReferenceKind::Terms);
  CHECK(only_reference("{context[1,0] term 2}").term == 2);
  CHECK(only_reference("{weights[1,0] exponential head 1}").kind == ReferenceKind::Exponential);
  CHECK(only_reference("{weights[1,0] row_sum}").kind == ReferenceKind::RowSum);
  CHECK(only_reference("{scores[1] sum}").kind == ReferenceKind::Sum);
  CHECK(only_reference("{weights[1] largest_token}").kind == ReferenceKind::LargestToken);
  CHECK(only_reference("{W_key[0,1]}").parameter == Parameter::Key);
  CHECK(only_reference("{scores[,1] smallest}").every_row);
  CHECK(only_reference("{scores count != -1.5}").threshold == -1.5);
  CHECK(only_reference("{scores count > 0}").counted == CountedIf::Greater);
  CHECK(only_reference("{first scores[0,1]}").moment == ReferencedState::First);
  CHECK(only_reference("{opened scores[0,1]:2}").moment == ReferencedState::Opened);
  CHECK(only_reference("{token[1]}").kind == ReferenceKind::Token);
  CHECK(only_reference("{dropout_factor}").setting == ReferencedSetting::DropoutFactor);
}

TEST_CASE("references: what is wrong with one is said") {
  refuse_reference("a {weights[1,0]", "a brace is not closed", "{{ or }}");
  refuse_reference("a {weights[1,0} b {scores[0]}", "not closed", "{weights[1,0]}");
  refuse_reference("a } b", "closed that was not opened", "{{ or }}");
  refuse_reference("{a {scores[0]}}", "a brace is not closed", "{{ or }}");
  refuse_reference("{wieghts[1,0]}", "unknown name", "\"weights\"");
  refuse_reference("{weights}", "has no index", "{weights[1,0]}");
  refuse_reference("{token}", "has no index", "{weights[1,0]}");
  refuse_reference("{scale[1]}", "takes no index", "{weights[1,0]}");
  refuse_reference("{weights[x]}", "lacks a row", "whole number");
  refuse_reference("{weights[-1]}", "lacks a row", "whole number");
  refuse_reference("{weights[99999999999999999999]}", "lacks a row", "whole number");
  refuse_reference("{weights[1,0] hed 1}", "the word \"hed\"", "\"head\"");
  refuse_reference("{weights[1] terms}", "a whole row for \"terms\"", "a column");
  refuse_reference("{weights[1,0] sum}", "a single cell for \"sum\"", "leave the column out");
  refuse_reference("{weights[1,0]:99}", "lacks the number of decimals", "0 to 8");
  refuse_reference("{weights[1,0] 5}", "ends with \"5\"", "{weights[1,0]}");
  refuse_reference("{}", "unknown name", "write {{ for a brace");
  refuse_reference("{scores count 3}", "what is counted", "count < 0");
  refuse_reference("{scores count < x}", "without a number", "count < 0");
  refuse_reference("{scores largest_token}", "a whole stage for \"largest_token\"", "[,1]");
  refuse_reference("{scores entropy}", "what is no row", "[1]");
  refuse_reference("{scores[,1] terms}", "a whole row for \"terms\"", "[1,0]");
  refuse_reference("{scores[1] transposed}", "does not belong there", "nearest");
}

TEST_CASE("conditions: comparisons, settings, what joins them, and amounts") {
  const auto condition = [](const std::string& text) {
    TextScanner in(text);
    return read_condition(in, 1, 2);
  };
  CHECK(condition("scores[1,0] > 0").kind == ConditionKind::Greater);
  CHECK(condition("scores[1,0] >= 0").kind == ConditionKind::GreaterOrEqual);
  CHECK(condition("scores[1,0] < 0").kind == ConditionKind::Less);
  CHECK(condition("scores[1,0] <= 0").kind == ConditionKind::LessOrEqual);
  CHECK(condition("scores[1,0] = 0").kind == ConditionKind::Equal);
  CHECK(condition("scores[1,0] != 0").kind == ConditionKind::NotEqual);
  CHECK(condition("scores ~ scores transposed").kind == ConditionKind::Alike);
  CHECK(condition("d_k !~ 2").kind == ConditionKind::NotAlike);
  CHECK(condition("changed W_query").left.reference.parameter == Parameter::Query);
  CHECK(condition("nan weights[1]").kind == ConditionKind::Nan);
  CHECK(condition("known dropped[1,1] drawn_mean").kind == ConditionKind::Known);
  CHECK(condition("mask is causal").word == "causal");
  CHECK(condition("scale is none").setting == ConditionSetting::Scale);
  CHECK(condition("dropout_seed is none").setting == ConditionSetting::DropoutSeed);
  CHECK(condition("bits tokens > 1").left.kind == Arithmetic::Bits);
  CHECK(condition("scale > 1").left.reference.kind == ReferenceKind::Setting);
  CHECK(condition("scores[0,0] > 1").left.reference.head == 2);  // the step's head
  const Condition joined = condition("d_k = 1 or d_k = 2 and not heads = 1");
  CHECK(joined.kind == ConditionKind::Or);
  CHECK(joined.conditions[1].kind == ConditionKind::And);
  CHECK(joined.conditions[1].conditions[1].kind == ConditionKind::Not);
  const Condition amounts = condition("abs (weights[1,0] - 0.5) * 2 < -d_k / 3 + 1");
  CHECK(amounts.left.kind == Arithmetic::Multiply);
  CHECK(amounts.left.parts[0].kind == Arithmetic::Abs);
  CHECK(amounts.right.kind == Arithmetic::Add);
  CHECK(amounts.right.parts[0].kind == Arithmetic::Divide);
  CHECK(amounts.right.parts[0].parts[0].kind == Arithmetic::Negate);
}

TEST_CASE("conditions: what is wrong with one is said") {
  refuse_reference("{if scores[1,0]}a{else}b{end}", "claims nothing", "scores[1,0] > 0");
  refuse_reference("{if scores[1,0] > token[1]}a{else}b{end}", "no number", "largest");
  refuse_reference("{if mask is casual}a{else}b{end}", "can never be: \"casual\"", "\"causal\"");
  refuse_reference("{if (2 > 1}a{else}b{end}", "bracket", "(2 + 3)");
  refuse_reference("{if 2 > 1 d_k}a{else}b{end}", "ends with \"d_k\"", "{weights[1,0]}");
  refuse_reference("{if " + std::string(5000, '(') + "1 > 0}a{else}b{end}", "more than 200 parts",
                   "several sentences");
  std::string chain = "{if 1";
  for (int i = 0; i < 300; ++i)
    chain += " + 1";
  refuse_reference(chain + " > 0}a{else}b{end}", "more than 200 parts", "several sentences");
  refuse_reference("{if sores[1,0] > 0}a{else}b{end}", "unknown name", "\"scores\"");
}

TEST_CASE("lesson text: sentences that depend on a claim, one within another") {
  const std::vector<TextPiece> pieces =
      parse_text("A {if d_k = 1}b {if heads = 1}c{else}d{end}{elif d_k = 2}e{else}{scale}{end} f", 0, 0);
  REQUIRE(pieces.size() == 3);
  REQUIRE(pieces[1].branches.size() == 3);
  CHECK(pieces[1].branches[0].pieces[1].branches.size() == 2);
  CHECK(pieces[1].branches[1].pieces[0].words == "e");
  CHECK_FALSE(pieces[1].branches[2].condition);
  CHECK(references_of(pieces).size() == 4);
}

TEST_CASE("lesson text: comparisons, amounts, words, looking back, and what always holds") {
  const auto only = [](const std::string& text) {
    const std::vector<TextPiece> pieces = parse_text(text, 0, 0);
    REQUIRE(pieces.size() == 1);
    return pieces.front();
  };
  const TextPiece compared = only("{compare d_k, d_out: less than | as much as | more than}");
  REQUIRE(compared.branches.size() == 3);
  CHECK(compared.branches[0].condition->kind == ConditionKind::Alike);
  CHECK(compared.branches[0].pieces[0].words == "as much as");
  CHECK(compared.branches[1].pieces[0].words == "less than");
  CHECK(compared.branches[2].condition->kind == ConditionKind::Greater);
  CHECK(only("{calc 1 / d_k:2}").decimals == 2);
  CHECK(only("{heads words}").form == ReferenceForm::Words);
  CHECK(references_of({only("{now scores[1,0]}")}).back().moment == ReferencedState::First);
  CHECK(only("{fixed 1: softmax adds up to it}").reason == "softmax adds up to it");
  CHECK(only("{type −3}").words == "−3");
}

TEST_CASE("lesson text: what is wrong with it is said") {
  refuse_reference("{if d_k = 1}a{end}", "has no {else}", "{else}It is not.{end}");
  refuse_reference("{if d_k = 1}a{else}b", "has no {end}", "{else}It is not.{end}");
  refuse_reference("{if d_k = 1}a", "has no {else}", "{else}It is not.{end}");
  refuse_reference("{if d_k = 1}a{else}b{elif d_k = 2}c{end}", "goes on behind its {else}", "{else}");
  refuse_reference("{if d_k = 1}a{else}b{else}c{end}", "goes on behind its {else}", "{else}");
  std::string nested;
  for (int i = 0; i < 5000; ++i)
    nested += "{if d_k = 1}";
  refuse_reference(nested, "stands within too many others", "at most 16");
  refuse_reference("a{else}b", "{else} stands without its {if ...}", "{else}");
  refuse_reference("a{end}", "{end} stands without its {if ...}", "{else}");
  refuse_reference("{fixed 1}", "why its words always hold", "{fixed 1:");
  refuse_reference("{type three}", "no number", "{type −3}");
  refuse_reference("{compare d_k: a | b | c}", "compares with nothing", "less than |");
  refuse_reference("{compare d_k, 2}", "no words to choose from", "less than |");
  refuse_reference("{compare d_k, 2: a | b}", "less, equal and more", "less than |");
  refuse_reference("{now weights}", "has no index", "{weights[1,0]}");
}

TEST_CASE("references: what a model lacks of a quote is named by its axis") {
  const Layer layer = parsed(small_session()).layer;  // T 2, d_in 3, d_out 2, one head, no W_output
  const auto missing = [&](const std::string& text) { return missing_part(only_reference(text), layer); };
  CHECK(missing("{weights[0,5]}") == "column 5 of \"weights\", which has 2 columns");
  CHECK(missing("{weights[5,0]}") == "row 5 of \"weights\", which has 2 rows");
  CHECK(missing("{weights[,5]}") == "column 5 of \"weights\", which has 2 columns");
  CHECK(missing("{weights[0,0] head 3}") == "head 3 of \"weights\", which has 1 head");
  CHECK(missing("{output[0] sequence 1}") == "sequence 1 of the session, which has 1 sequence");
  CHECK(missing("{token[2]}") == "token 2 of the sequence, which has 2 tokens");
  CHECK(missing("{W_output[0,0]}") == "\"W_output\", which this model does not use");
  CHECK(missing("{W_query[0,2]}") == "column 2 of \"W_query\", which has 2 columns");
  CHECK(missing("{scores[1] entropy}") == "what is asked of \"scores\", which has none");
}

TEST_CASE("references: only what a model has can be quoted") {
  const Layer layer = parsed(small_session()).layer;  // T 2, d_in 3, d_out 2, one head, no W_output
  const auto exists = [&](const std::string& text) { return reference_exists(only_reference(text), layer); };
  CHECK(exists("{weights[1,1]}"));
  CHECK_FALSE(exists("{weights[2,0]}"));
  CHECK_FALSE(exists("{weights[0,2]}"));
  CHECK_FALSE(exists("{weights[0,0] head 1}"));
  CHECK(reference_exists(only_reference("{output[0,0]}", 0, 3), layer));  // `output` has all heads joined
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
