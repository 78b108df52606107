// The text of references to values, settings and lists.
#include "app/lesson_text/reference_text.h"

#include <cmath>
#include <limits>

#include "engine/session/lesson_text.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::lesson_session;

namespace {

std::string text_of_reference(const Layer& layer, const std::string& text) {
  const Evaluator pass = evaluate(layer);
  return reference_text(*parse_text(text, 0, 0).front().reference, PassValues(pass));
}

// A state for which the engine has returned no result yet.
class NothingYet : public ValueSource {
 public:
  explicit NothingYet(const Layer& layer) : layer_(layer) {}
  const Layer& layer() const override { return layer_; }
  std::shared_ptr<const CellTrace> cell(const CellAddress&) const override { return nullptr; }
  std::shared_ptr<const RowSummary> row(const RowRequest&) const override { return nullptr; }

 private:
  const Layer& layer_;
};

}  // namespace

TEST_CASE("references read: numbers, lists, products and parts of a row") {
  const Layer layer = lesson_session("16-causal-mask").layer;
  CHECK(text_of_reference(layer, "{weights[1,0]}") == "0.5517");
  CHECK(text_of_reference(layer, "{weights[1,0]:2}") == "0.55");
  CHECK(text_of_reference(layer, "{weights[1]:1}") == "0.6, 0.4, 0.0, 0.0, 0.0, 0.0");
  CHECK(text_of_reference(layer, "{masked[0,1]}") == "−∞");
  CHECK(text_of_reference(layer, "{embeddings[1]}") == "0.55, 0.87, 0.66");  // as many decimals as typed
  CHECK(text_of_reference(layer, "{embeddings[1]:3}") == "0.550, 0.870, 0.660");
  CHECK(text_of_reference(layer, "{weights[1] sum}") == "1.0000");
  CHECK(text_of_reference(layer, "{weights[1] largest}") == "0.5517");
  CHECK(text_of_reference(layer, "{weights[1] largest_token}") == "Your");
  CHECK(text_of_reference(layer, "{token[5]}") == "step");
  CHECK(text_of_reference(layer, "{d_in}") == "3");
  CHECK(text_of_reference(layer, "{scale}") == "0.7071");
  const std::string terms = text_of_reference(layer, "{queries[1,1] terms}");
  CHECK(terms.find("0.55 × ") == 0);
  CHECK(terms.find("(−") != std::string::npos);  // negative factors are in brackets
  CHECK(text_of_reference(layer, "{W_query[0]}").find(", ") != std::string::npos);
}

TEST_CASE("references read: dropout") {
  const Layer layer = lesson_session("19-dropout-with-its-own-seed").layer;
  CHECK(text_of_reference(layer, "{dropout}") == "0.5");
  CHECK(text_of_reference(layer, "{dropout_factor}") == "2");
  CHECK(text_of_reference(layer, "{dropped[2,0] noise}") == "2");
  CHECK(text_of_reference(layer, "{dropped[1,0] noise}") == "0");
}

TEST_CASE("references read: what has not come yet and what has gone") {
  const Layer causal = lesson_session("16-causal-mask").layer;
  const TextReference cell = *parse_text("{weights[5,0]}", 0, 0).front().reference;
  const TextReference row = *parse_text("{weights[5] largest}", 0, 0).front().reference;
  CHECK(reference_text(cell, NothingYet(causal)) == "…");
  CHECK(reference_text(row, NothingYet(causal)) == "…");
  const Layer three = lesson_session("09-hello-shiny-sun").layer;  // three tokens
  CHECK(reference_text(cell, NothingYet(three)) == "–");
  CHECK_FALSE(reference_need(cell, three).cell);
}

TEST_CASE("references read: what is made of rows, columns and whole stages") {
  const Layer layer = lesson_session("02-dividing-by-the-sum").layer;
  CHECK(text_of_reference(layer, "{scores[1] smallest}") == "0.7070");
  CHECK(text_of_reference(layer, "{scores[1] smallest_token}") == "one");
  CHECK(text_of_reference(layer, "{scores[,4] smallest_token}") == "step");
  CHECK(text_of_reference(layer, "{scores[,4] smallest}") ==
        text_of_reference(layer, "{scores[4] smallest}"));
  CHECK(text_of_reference(layer, "{scores count < 0}") == "0");
  CHECK(text_of_reference(layer, "{scores count > 0}") == "36");
  CHECK(text_of_reference(layer, "{weights[1] mean}") == "0.1667");
  CHECK(text_of_reference(layer, "{embeddings[0] spread}") == "0.74");
  CHECK(text_of_reference(layer, "{embeddings[,1]}") == "0.15, 0.87, 0.85, 0.58, 0.25, 0.8");
  CHECK(text_of_reference(layer, "{weight_seed}") == "–");  // the weights are not drawn
  CHECK(text_of_reference(layer, "{sequences}") == "1");
  const Layer drawn = lesson_session("10-queries-keys-values").layer;
  CHECK(text_of_reference(drawn, "{weight_seed}") == "123");
  CHECK(text_of_reference(drawn, "{W_query[,0] largest}") == text_of_reference(drawn, "{W_query[0,0]}"));
}

TEST_CASE("references read: a row of NaN has no entropy, and nothing in it is the largest") {
  Layer layer = lesson_session("03-naive-softmax").layer;
  layer.embeddings[0].row(1) *= 20;  // the exponentials overflow
  CHECK(text_of_reference(layer, "{weights[1] entropy}") == "–");
  CHECK(text_of_reference(layer, "{weights[1] largest_token}") == "–");
  CHECK(text_of_reference(layer, "{weights[1] largest}") == "NaN");
  Layer sums = lesson_session("02-dividing-by-the-sum").layer;
  sums.embeddings[0](4, 0) = -3;  // negative weights
  CHECK(text_of_reference(sums, "{weights[1] entropy}") == "–");
}

TEST_CASE("references read: small whole numbers in words") {
  CHECK(number_word(0) == "no");
  CHECK(number_word(6) == "six");
  CHECK(number_word(12) == "twelve");
  CHECK(number_word(13) == "13");
  CHECK(number_word(2.5) == "2.5");
}

TEST_CASE("references read: long lists are cut") {
  Layer layer;
  layer.tokens.assign(40, "x");
  layer.embeddings = {Matrix::Ones(40, 3)};
  layer.attention.d_out = 3;
  CHECK(text_of_reference(layer, "{scores[0]:0}") == "3, 3, 3, 3, 3, 3, …, 3");
  const std::string terms = text_of_reference(layer, "{context[0,0] terms}");
  CHECK(terms.find(" + … + ") != std::string::npos);
}
