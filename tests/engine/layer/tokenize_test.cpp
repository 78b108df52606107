#include "engine/layer/tokenize.h"

#include <array>
#include <limits>
#include <set>

#include "engine/array_import/token_table.h"
#include "engine/core/error.h"
#include "engine/core/torch_stream.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::Dice;
using headlight_test::random_cross_layer;
using Tokens = std::vector<std::string>;

namespace {

Layer small_model() {
  Layer layer;
  layer.tokens = {"a", "b"};
  layer.embeddings = {Matrix::Ones(2, 3), Matrix::Zero(2, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 2;
  draw_weights(layer, WeightRecipe{});
  return layer;
}

}  // namespace

TEST_CASE("tokenize: words and marks, as the book splits them") {
  CHECK(split_into_tokens("Hello, world. Is this-- a test?") ==
        Tokens{"Hello", ",", "world", ".", "Is", "this", "--", "a", "test", "?"});
  CHECK(split_into_tokens("It's (a) well-known_\"thing\";") ==
        Tokens{"It", "'", "s", "(", "a", ")", "well-known", "_", "\"", "thing", "\"", ";"});
  CHECK(split_into_tokens(" \t\n").empty());
  CHECK(split_into_tokens("").empty());
  CHECK(split_into_tokens("3.14") == Tokens{"3", ".", "14"});
}

TEST_CASE("tokenize: UTF-8 stays whole") {
  CHECK(split_into_tokens("„Größe“ – ça va…") == Tokens{"„", "Größe", "“", "–", "ça", "va", "…"});
  CHECK(split_into_tokens("one\u00A0two\u3000three") == Tokens{"one", "two", "three"});
  CHECK(split_into_tokens("a\xFF"
                          "b \xC3") == Tokens{"a\uFFFD"
                                              "b",
                                              "\uFFFD"});
  CHECK(split_into_tokens("\U0001F600!") == Tokens{"\U0001F600", "!"});
}

TEST_CASE(
    "tokenize: vectors are drawn for each different token as torch.rand draws them, seeded beside the "
    "weights") {
  const Tokens tokens = {"b", "a", "b", "c"};
  CHECK(distinct_tokens(tokens) == Tokens{"b", "a", "c"});
  const Matrix x = draw_token_embeddings(tokens, 123, 2);
  TorchStream stream(123 + (std::int64_t{1} << 31));
  Matrix drawn(3, 2);
  fill_rand(stream, drawn);
  CHECK(x.row(0) == drawn.row(0));
  CHECK(x.row(1) == drawn.row(1));
  CHECK(x.row(2) == drawn.row(0));
  CHECK(x.row(3) == drawn.row(2));
}

TEST_CASE("tokenize: with the same seed no two things that are drawn begin with the same numbers") {
  using Numbers = std::array<float, 4>;
  const auto first = [](const Matrix& m) { return Numbers{m(0, 0), m(0, 1), m(1, 0), m(1, 1)}; };
  for (const std::int64_t seed :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{42}, std::int64_t{123}, std::int64_t{-1},
        std::int64_t{1} << 31, (std::int64_t{1} << 32) - 1, std::numeric_limits<std::int64_t>::max()}) {
    INFO("seed " << seed);
    std::set<Numbers> drawn = {first(draw_token_embeddings({"a", "b"}, seed, 2))};
    std::size_t count = 1;
    for (const InitKind init : {InitKind::Rand, InitKind::Linear}) {
      Layer layer = small_model();
      layer.attention.output_projection = true;
      layer.attention.d_out = 2;
      draw_weights(layer, {init, seed, {kParameters.begin(), kParameters.end()}});
      for (const Parameter parameter : kParameters) {
        drawn.insert(first(layer.weights.matrix(parameter)));
        ++count;
      }
    }
    CHECK(drawn.size() == count);
  }
}

TEST_CASE("tokenize: the new tokens are one sequence, and the weights fit") {
  Layer layer = small_model();
  const Tokens tokens = {"x", "y", "z"};
  SECTION("of the same width: the weights stay") {
    const Matrix query = layer.weights.matrix(Parameter::Query);
    replace_tokens(layer, tokens, Matrix::Ones(3, 3));
    CHECK(layer.weights.matrix(Parameter::Query) == query);
  }
  SECTION("of another width") {
    replace_tokens(layer, tokens, Matrix::Ones(3, 5));
    CHECK(layer.d_in() == 5);
  }
  SECTION("with a custom mask: what fits of it stays") {
    layer.attention.mask = MaskKind::Custom;
    layer.custom_mask = Matrix::Zero(2, 2);
    layer.custom_mask.setIdentity();
    replace_tokens(layer, tokens, Matrix::Ones(3, 3));
    Matrix expected = Matrix::Ones(3, 3);
    expected(0, 1) = expected(1, 0) = 0;
    CHECK(layer.custom_mask == expected);
  }
  CHECK(layer.sequence_count() == 1);
  CHECK(layer.tokens == tokens);
  CHECK_NOTHROW(validate(layer));
}

TEST_CASE("tokenize: what does not fit leaves the model as it was") {
  Layer layer = small_model();
  CHECK_THROWS_AS(replace_tokens(layer, {}, Matrix()), Error);
  CHECK_THROWS_AS(replace_tokens(layer, {"x"}, Matrix::Ones(2, 3)), Error);
  CHECK(layer.tokens == Tokens{"a", "b"});
}

TEST_CASE("token table: commas, tabs and blanks, with and without a line of names") {
  const TokenTable commas = parse_token_table("token,x,y\r\ncat, 0.5,-1e-2\r\n\r\n\",\",1,2\r\n", "t.csv");
  CHECK(commas.tokens == Tokens{"cat", ","});
  CHECK(commas.vectors(0, 1) == -0.01f);
  CHECK(commas.vectors(1, 1) == 2.0f);
  CHECK(parse_token_table("New York\t1\t2\n", "t.tsv").tokens == Tokens{"New York"});
  CHECK(parse_token_table("the 0.1 0.2 0.3\n", "glove.txt").vectors.cols() == 3);
  CHECK(parse_token_table("\xEF\xBB\xBF"
                          "a,1",
                          "t.csv")
            .tokens == Tokens{"a"});
}

TEST_CASE("token table: marks that stand for themselves, and names above the columns") {
  const TokenTable glove =
      parse_token_table("the 0.1 0.2\n\" 1 2\n\"\" 3 4\n; 5 6\n\"a\"b 7 8\n", "glove.txt");
  CHECK(glove.tokens == Tokens{"the", "\"", "\"\"", ";", "\"a\"b"});
  CHECK(glove.vectors(4, 1) == 8.0f);
  CHECK(parse_token_table(",,1,2\n\"a, b\",3,4\n\"c\"\"\",5,6\n", "t.csv").tokens ==
        Tokens{",", "a, b", "c\""});
  // As pandas and the export of embeddings write tables.
  CHECK(parse_token_table(",0,1\na,1,2\n", "t.csv").tokens == Tokens{"a"});
  CHECK(parse_token_table("token,1,2\na,1,2\n", "t.csv").tokens == Tokens{"a"});
  CHECK(parse_token_table("a\t1\t2\t\n", "t.tsv").vectors.cols() == 2);
}

TEST_CASE("token table: a wrong line is named") {
  const auto message = [](const std::string& text) {
    try {
      parse_token_table(text, "t.csv");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(message("a,1,2\nb,1\n"), ContainsSubstring("line 2") && ContainsSubstring("expected 2"));
  CHECK_THAT(message("a,1,2\n\nb,1,x\n"), ContainsSubstring("line 3") && ContainsSubstring("\"x\""));
  CHECK_THAT(message("a,1,nan\n"), ContainsSubstring("line 1"));
  CHECK_THAT(message("a,1\nb\n"), ContainsSubstring("no numbers"));
  CHECK_THAT(message(""), ContainsSubstring("empty"));
}

TEST_CASE("token table: tokens that it lacks are named") {
  const TokenTable table = parse_token_table("cat,1\n", "t.csv");
  CHECK(look_up_token_embeddings({"cat", "cat"}, table) == Matrix::Ones(2, 1));
  try {
    look_up_token_embeddings({"cat", "dog", "dog", "cow"}, table);
    FAIL("it has no dog");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), ContainsSubstring("\"dog\", \"cow\""));
  }
}

TEST_CASE("tokenize: random layers take new tokens of their own width, with keys of other tokens as well") {
  Dice dice(904);
  for (int round = 0; round < 300; ++round) {
    Layer layer = random_cross_layer(dice);
    if (layer.attention.projection != Projection::Linear) continue;
    const Index count = dice.between(1, 9);
    Tokens tokens;
    for (Index t = 0; t < count; ++t)
      tokens.push_back("n" + std::to_string(t));
    const Matrix embeddings = dice.matrix(count, layer.d_in());
    CHECK_NOTHROW(replace_tokens(layer, tokens, embeddings));
    CHECK_NOTHROW(validate(layer));
    CHECK(layer.tokens == tokens);
  }
}
