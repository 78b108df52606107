// Saving and loading a session preserves the layer bit for bit.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "engine/layer/reshape.h"
#include "engine/session/session.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Matrix random_matrix(std::mt19937& random, Index rows, Index columns) {
  Matrix matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) {
    do
      matrix.data()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    while (!std::isfinite(matrix.data()[i]));
  }
  return matrix;
}

void check_same(const Session& a, const Session& b) {
  CHECK(a.title == b.title);
  CHECK(a.notes == b.notes);
  CHECK(a.layer.tokens == b.layer.tokens);
  REQUIRE(a.layer.embeddings.size() == b.layer.embeddings.size());
  for (std::size_t i = 0; i < a.layer.embeddings.size(); ++i)
    CHECK(same_bits(a.layer.embeddings[i], b.layer.embeddings[i]));
  CHECK(a.layer.attention == b.layer.attention);
  if (a.layer.attention.mask == MaskKind::Custom) CHECK(same_bits(a.layer.custom_mask, b.layer.custom_mask));
  CHECK(a.layer.weights.layout == b.layer.weights.layout);
  CHECK(a.layer.weights.recipe == b.layer.weights.recipe);
  CHECK(a.layer.weights.edited == b.layer.weights.edited);
  for (Parameter p : kParameters) {
    CHECK(same_bits(a.layer.weights.matrix(p), b.layer.weights.matrix(p)));
    if (a.layer.uses_bias(p)) CHECK(same_bits(a.layer.weights.bias(p), b.layer.weights.bias(p)));
  }
}

Session reread(const Session& session) {
  return parse_session(session_text(session), ".", "again.headlight");
}

Session drawn_session(InitKind init) {
  Session session = parsed(small_session());
  session.layer.attention.output_projection = true;
  session.layer.attention.qkv_bias = true;
  WeightRecipe recipe;
  recipe.init = init;
  recipe.seed = -42;
  recipe.order = {Parameter::Key, Parameter::Output, Parameter::Query, Parameter::Value};
  draw_weights(session.layer, recipe);
  return session;
}

}  // namespace

TEST_CASE("saving: every finite float32 comes back with the same bits") {
  std::mt19937 random(1);
  Session session = parsed(plain_session());
  Layer& layer = session.layer;
  layer.embeddings = {random_matrix(random, 2, 5000)};
  const std::vector<float> special = {0.0f,
                                      -0.0f,
                                      0.1f,
                                      16777216.0f,
                                      16777217.0f,
                                      1e10f,
                                      3.4028235e38f,
                                      std::numeric_limits<float>::denorm_min(),
                                      -std::numeric_limits<float>::min(),
                                      1.17549421e-38f,
                                      8388608.5f,
                                      9007199254740993.0f,
                                      123456792.0f};
  for (std::size_t i = 0; i < special.size(); ++i)
    layer.embeddings[0](0, static_cast<Index>(i)) = special[i];
  layer.attention.d_out = 5000;
  const Session again = reread(session);
  CHECK(same_bits(again.layer.embeddings[0], layer.embeddings[0]));
}

TEST_CASE("saving: explicit weights, biases and a mask") {
  std::mt19937 random(2);
  Session session;
  session.title = "with \"quotes\", a \\ and\na new line";
  session.notes = "α β 😀 \x01";
  Layer& layer = session.layer;
  layer.tokens = {"a", "", "c"};
  layer.embeddings = {random_matrix(random, 3, 4), random_matrix(random, 3, 4)};
  AttentionSettings& a = layer.attention;
  a.projection = Projection::Linear;
  a.d_out = 6;
  a.num_heads = 3;
  a.qkv_bias = a.output_projection = true;
  a.scale = {ScaleKind::Number, 1.0 / 3.0};
  a.mask = MaskKind::Custom;
  a.normalization = Normalization::Sum;
  a.dropout = {0.1, false, std::numeric_limits<std::int64_t>::min()};
  layer.custom_mask = (Matrix(3, 3) << 1, 0, 0, 0, 0, 0, 1, 1, 1).finished();
  layer.weights.layout = WeightLayout::OutIn;
  for (Parameter p : kParameters) {
    layer.weights.matrix(p) = random_matrix(random, 6, p == Parameter::Output ? 6 : 4);
    layer.weights.bias(p) = random_matrix(random, 1, 6);
  }
  session.lesson = Lesson{3, "chapter", "source", std::nullopt, Stage::Context, 2, 1, 1, 1, {}, {}};
  const Session again = reread(session);
  check_same(again, session);
  REQUIRE(again.lesson.has_value());
  CHECK(again.lesson->order == 3);
  CHECK(again.lesson->stage == Stage::Context);
  CHECK(again.lesson->head == 2);
  CHECK(session_text(again) == session_text(session));
}

TEST_CASE("saving: drawn weights are written as their recipe") {
  for (InitKind init : {InitKind::Rand, InitKind::Linear}) {
    const Session session = drawn_session(init);
    const std::string text = session_text(session);
    CHECK_THAT(text, ContainsSubstring("\"seed\": -42"));
    CHECK(text.find("\"query\": [") == std::string::npos);
    CHECK(text.find("\"layout\"") == std::string::npos);
    check_same(reread(session), session);
  }
}

TEST_CASE("saving: edited weights are written with the recipe that the stream needs") {
  Session session = drawn_session(InitKind::Linear);
  session.layer.weights.matrix(Parameter::Key)(1, 1) = 0.75f;
  session.layer.weights.edited = true;
  const Session again = reread(session);
  check_same(again, session);
  CHECK(again.layer.weights.edited);
  CHECK(drawn_value_count(again.layer) == drawn_value_count(session.layer));
}

TEST_CASE("saving: nothing is written for weights that do not exist") {
  const Session session = parsed(plain_session());
  CHECK(session_text(session).find("weights") == std::string::npos);
  check_same(reread(session), session);
}

TEST_CASE("saving: weights that are switched off are kept") {
  Session session = parsed(small_session());
  session.layer.attention.projection = Projection::None;
  session.layer.attention.d_out = 3;
  check_same(reread(session), session);

  Session drawn = parsed(small_session());
  draw_weights(drawn.layer, WeightRecipe{});
  drawn.layer.attention.projection = Projection::None;
  drawn.layer.attention.d_out = 3;
  CHECK(reread(drawn).layer.weights.recipe == drawn.layer.weights.recipe);
}

TEST_CASE("saving: one sequence is written without the batch's brackets") {
  Session session = parsed(plain_session());
  CHECK_THAT(session_text(session),
             ContainsSubstring("\"embeddings\": [\n    [1, 2, 3],\n    [4, 5, 6]\n  ]"));
  session.layer.embeddings.push_back(session.layer.embeddings[0]);
  CHECK_THAT(session_text(session), ContainsSubstring("\"embeddings\": [\n    [\n      [1, 2, 3],"));
  check_same(reread(session), session);
}

TEST_CASE("saving: bytes that are not UTF-8 do not make the file unreadable") {
  Session session = parsed(plain_session());
  session.title = "\xff";
  CHECK(reread(session).title == "\xef\xbf\xbd");
}

TEST_CASE("saving: a model that could not be opened again is not saved") {
  const TemporaryFolder folder;
  Session session = parsed(plain_session());
  session.layer.embeddings[0](0, 0) = NAN;
  check_error([&] { save_session(session, folder / "x.headlight"); }, "not a finite number", "embeddings[0]",
              "replace");
  CHECK(folder.names().empty());
}

TEST_CASE("saving: a file on disk opens again") {
  const TemporaryFolder folder;
  const Session session = parsed(small_session());
  save_session(session, folder / "x.headlight");
  check_same(load_session(folder / "x.headlight"), session);
  CHECK(folder.names() == std::vector<std::string>{"x.headlight"});
}
