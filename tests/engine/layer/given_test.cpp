#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "engine/layer/tokenize.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer given_model(Dice& dice) {
  while (true) {
    Layer layer = random_layer(dice);
    if (layer.attention.projection == Projection::Given) return layer;
  }
}

Session parse(const std::string& text) {
  return parse_session(text, "/", "two.headlight");
}

// Two tokens, d_in 1, d_out 2.
std::string session_json(const std::string& projection, const std::string& given) {
  return R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b"], "embeddings": [[1], [2]],
             "attention": {"projection": ")" +
         projection + R"(", "d_out": 2}, "given": )" + given + "}";
}

}  // namespace

TEST_CASE("given: queries, keys and values begin as they were, bit for bit") {
  Dice dice(61);
  for (int i = 0; i < 40; ++i) {
    Layer layer = random_layer(dice);
    const Evaluator before = evaluate(layer);
    set_projection(layer, Projection::Given);
    const Evaluator after = evaluate(layer);
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (const Stage stage : {Stage::Queries, Stage::Keys, Stage::Values, Stage::Scores, Stage::Context})
        for (Index h = 0; h < layer.head_count(); ++h) {
          if (stage == Stage::Context && layer.attention.dropout.active()) continue;  // the draws differ
          CHECK(same_bits(before.matrix(stage, b, h), after.matrix(stage, b, h)));
        }
  }
}

TEST_CASE("given: what is edited is what the head attends with, and X plays no part") {
  Dice dice(62);
  Layer layer = given_model(dice);
  layer.embeddings.front()(0, 0) += 100;
  CellsEdit edit;
  edit.input = {InputKind::Given, 0, Parameter::Key};
  edit.row = layer.token_count() - 1;
  edit.values = Matrix::Constant(1, 1, 5.0f);
  Evaluator lived(layer);
  lived.refresh();
  const Matrix queries = lived.matrix(Stage::Queries, 0, 0);
  lived.apply(edit);
  lived.refresh();
  CHECK(lived.matrix(Stage::Keys, 0, 0)(layer.token_count() - 1, 0) == 5.0f);
  CHECK(same_bits(lived.matrix(Stage::Queries, 0, 0), queries));
  CHECK(same_bits(queries, layer.given[0][0].leftCols(layer.d_k())));
}

TEST_CASE("given: another projection lets it go, and the file says nothing of it") {
  Dice dice(63);
  Session session;
  session.layer = given_model(dice);
  set_projection(session.layer, Projection::None);
  CHECK(session.layer.given[0].empty());
  CHECK(session.layer.d_out() == session.layer.d_in());
  CHECK(session_text(session).find("given") == std::string::npos);
}

TEST_CASE("given: a session is read as it was written") {
  Dice dice(64);
  for (int i = 0; i < 20; ++i) {
    Session session;
    session.layer = given_model(dice);
    const std::string text = session_text(session);
    CHECK(text.find("\"projection\": \"none\"") != std::string::npos);
    const Layer again = parse(text).layer;
    CHECK(again.attention.projection == Projection::Given);
    CHECK(again.d_out() == session.layer.d_out());
    for (std::size_t p = 0; p < again.given.size(); ++p)
      CHECK(all_same_bits(again.given[p], session.layer.given[p]));
  }
}

TEST_CASE("given: one that the file leaves out is X itself") {
  const Session session = parse(
      R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b"], "embeddings": [[1], [2]],
          "attention": {"projection": "none"}, "given": {"query": [[7], [8]]}})");
  CHECK(session.layer.attention.projection == Projection::Given);
  CHECK(session.layer.given[0][0](1, 0) == 8.0f);
  CHECK(session.layer.given[1][0](1, 0) == 2.0f);
}

TEST_CASE("given: what does not fit is refused with its place") {
  const auto message = [](const std::string& json) {
    try {
      parse(json);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string all =
      R"({"query": [[1, 2], [3, 4]], "key": [[1, 2], [3, 4]], "value": [[1, 2], [3, 4]]})";
  CHECK(message(session_json("none", all)).empty());
  CHECK_THAT(message(session_json("linear", all)), ContainsSubstring("the projection is linear"));
  CHECK_THAT(message(session_json("none", R"({"query": [[1, 2]], "key": [[1, 2]], "value": [[1, 2]]})")),
             ContainsSubstring("given.query[0]") && ContainsSubstring("is 1 x 2, expected 2 x 2"));
  CHECK_THAT(message(session_json("none", R"({"query": [[1, 2], [3, 4]]})")),
             ContainsSubstring("given.key[0]"));
  CHECK_THAT(message(session_json("none", R"({"queries": []})")), ContainsSubstring("\"query\""));
}

TEST_CASE("given: tokens from a text are refused, lines follow in all three") {
  Dice dice(65);
  Layer layer = given_model(dice);
  CHECK_THROWS_AS(replace_tokens(layer, {"a"}, Matrix::Ones(1, layer.d_in())), Error);
  const Index tokens = layer.token_count(), d_out = layer.d_out(), d_in = layer.d_in();
  change_lines(layer, {LineKind::Token, LineChange::Duplicate, 0, 1, 0});
  change_lines(layer, {LineKind::Output, LineChange::Insert, 0, layer.head_count(), 0});
  validate(layer);
  for (const auto& matrices : layer.given) {
    CHECK(matrices.front().rows() == tokens + 1);
    CHECK(matrices.front().cols() == d_out + layer.head_count());
  }
  CHECK(layer.d_in() == d_in);
}
