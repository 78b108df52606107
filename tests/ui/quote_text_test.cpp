// Quotes as they are read, and how running text is broken into lines.
#include "app/ui/lesson/quote_text.h"

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;

namespace {

std::string text_of_quote(const Model& model, const std::string& text) {
  const Evaluator pass = evaluate(model);
  const Quote quote = *parse_quotes(text, 0, 0).front().quote;
  const QuoteNeed need = quote_need(quote, model);
  CellTrace cell;
  RowSummary row;
  if (need.cell) cell = pass.trace(*need.cell);
  if (need.row) row = pass.row(*need.row);
  return quote_text(quote, model, need.cell ? &cell : nullptr, need.row ? &row : nullptr);
}

TextPlan planned(const std::vector<TextRun>& runs, float width) {
  return plan_text(runs, width, 10, [](const std::string& text) { return static_cast<float>(text.size()); });
}

}  // namespace

TEST_CASE("quotes read: numbers, lists, products and parts of a row") {
  const Model model = lesson_session("16-causal-mask").model;
  CHECK(text_of_quote(model, "{weights[1,0]}") == "0.5517");
  CHECK(text_of_quote(model, "{weights[1,0]:2}") == "0.55");
  CHECK(text_of_quote(model, "{weights[1]:1}") == "0.6, 0.4, 0.0, 0.0, 0.0, 0.0");
  CHECK(text_of_quote(model, "{masked[0,1]}") == "−∞");
  CHECK(text_of_quote(model, "{embeddings[1]}") == "0.55, 0.87, 0.66");  // as typed
  CHECK(text_of_quote(model, "{embeddings[1]:3}") == "0.550, 0.870, 0.660");
  CHECK(text_of_quote(model, "{weights[1] sum}") == "1.0000");
  CHECK(text_of_quote(model, "{weights[1] largest}") == "0.5517");
  CHECK(text_of_quote(model, "{weights[1] largest_token}") == "Your");
  CHECK(text_of_quote(model, "{token[5]}") == "step");
  CHECK(text_of_quote(model, "{d_in}") == "3");
  CHECK(text_of_quote(model, "{scale}") == "0.7071");
  const std::string terms = text_of_quote(model, "{queries[1,1] terms}");
  CHECK(terms.find("0.55 × ") == 0);
  CHECK(terms.find("(−") != std::string::npos);  // negative factors stand in brackets
  CHECK(text_of_quote(model, "{W_query[0]}").find(", ") != std::string::npos);
}

TEST_CASE("quotes read: dropout") {
  const Model model = lesson_session("19-dropout-with-its-own-seed").model;
  CHECK(text_of_quote(model, "{dropout}") == "0.5");
  CHECK(text_of_quote(model, "{dropout_factor}") == "2");
  CHECK(text_of_quote(model, "{dropped[2,0] noise}") == "2");
  CHECK(text_of_quote(model, "{dropped[1,0] noise}") == "0");
}

TEST_CASE("quotes read: what has not come yet and what has gone") {
  Model model = lesson_session("16-causal-mask").model;
  const Quote quote = *parse_quotes("{weights[5,0]}", 0, 0).front().quote;
  CHECK(quote_text(quote, model, nullptr, nullptr) == "…");
  model = lesson_session("09-hello-shiny-sun").model;  // three tokens
  CHECK(quote_text(quote, model, nullptr, nullptr) == "–");
  CHECK_FALSE(quote_need(quote, model).cell);
}

TEST_CASE("quotes read: long lists are cut") {
  Model model;
  model.tokens.assign(40, "x");
  model.embeddings = {Matrix::Ones(40, 3)};
  model.attention.d_out = 3;
  CHECK(text_of_quote(model, "{scores[0]:0}") == "3, 3, 3, 3, 3, 3, …, 3");
  const std::string terms = text_of_quote(model, "{context[0,0] terms}");
  CHECK(terms.find(" + … + ") != std::string::npos);
}

TEST_CASE("running text: broken at spaces, and a quote keeps the full stop behind it") {
  const TextPlan plan = planned({{"one two ", false, {}}, {"3.14", true, {}}, {". Four", false, {}}}, 9);
  REQUIRE(plan.pieces.size() == 5);
  CHECK(plan.pieces[2].text == "3.14");
  CHECK(plan.pieces[2].x == 0);
  CHECK(plan.pieces[2].y == 10);
  CHECK(plan.pieces[3].text == ".");
  CHECK(plan.pieces[3].x == 4);
  CHECK(plan.pieces[3].y == 10);
  CHECK(plan.pieces[4].text == "Four");
  CHECK(plan.pieces[4].y == 20);
  CHECK(plan.height == 30);
}

TEST_CASE("running text: line breaks, nothing, and words wider than the line") {
  CHECK(planned({}, 9).height == 0);
  const TextPlan broken = planned({{"a\nb", false, {}}}, 9);
  REQUIRE(broken.pieces.size() == 2);
  CHECK(broken.pieces[1].y == 10);
  const TextPlan wide = planned({{"a abcdefghijkl b", false, {}}}, 5);
  REQUIRE(wide.pieces.size() == 3);
  CHECK(wide.pieces[1].y == 10);
  CHECK(wide.pieces[2].y == 20);
}
