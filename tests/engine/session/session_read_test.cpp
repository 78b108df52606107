// How the members of a valid session file are read.
#include "engine/core/torch_stream.h"
#include "engine/layer/reshape.h"
#include "engine/session/session.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

TEST_CASE("session: what is missing has a sensible value") {
  const Session session = parsed(plain_session());
  CHECK(session.title == "");
  CHECK(session.notes == "");
  CHECK_FALSE(session.lesson.has_value());
  AttentionSettings expected;
  expected.d_out = 3;
  CHECK(session.layer.attention == expected);
  CHECK(session.layer.attention.scale.kind == ScaleKind::InverseSqrtDk);
  CHECK(session.layer.attention.dropout.training);
  CHECK_FALSE(session.layer.weights.recipe.has_value());
}

TEST_CASE("session: explicit weights are read as they stand") {
  const Session session = parsed(small_session());
  const Layer& layer = session.layer;
  CHECK(session.title == "small");
  CHECK(session.notes == "two tokens");
  CHECK(layer.tokens == std::vector<std::string>{"a", "b"});
  REQUIRE(layer.sequence_count() == 1);
  CHECK(layer.embeddings[0](1, 2) == 6.5f);
  CHECK(layer.attention.projection == Projection::Linear);
  CHECK(layer.weights.layout == WeightLayout::InOut);
  CHECK(layer.weights.matrix(Parameter::Query)(2, 1) == 6);
  CHECK(layer.weights.matrix(Parameter::Value)(2, 1) == -4);
  CHECK_FALSE(layer.weights.recipe.has_value());
}

TEST_CASE("session: every word of the settings is read") {
  json document = small_session();
  document["tokens"] = {"a", "b"};
  document["attention"] =
      json::parse(R"({"projection": "linear", "d_out": 2, "num_heads": 2, "qkv_bias": true,
      "output_projection": true, "scale": 0.25, "mask": [[1, 0], [1, 1]], "normalization": "naive_softmax",
      "dropout": {"probability": 0.1, "training": false, "seed": -5}})");
  document["weights"].merge_patch(json::parse(R"({"output": [[1, 0], [0, 1]], "query_bias": [1, 2],
      "key_bias": [3, 4], "value_bias": [5, 6], "output_bias": [7, 8]})"));
  const Layer layer = parsed(document).layer;
  const AttentionSettings& a = layer.attention;
  CHECK(a.num_heads == 2);
  CHECK(a.qkv_bias);
  CHECK(a.output_projection);
  CHECK(a.scale == Scale{ScaleKind::Number, 0.25});
  CHECK(a.mask == MaskKind::Custom);
  CHECK(same_bits(layer.custom_mask, (Matrix(2, 2) << 1, 0, 1, 1).finished()));
  CHECK(a.normalization == Normalization::NaiveSoftmax);
  CHECK(a.dropout == Dropout{0.1, false, -5});
  CHECK(same_bits(layer.weights.bias(Parameter::Output), (Matrix(1, 2) << 7, 8).finished()));

  document["attention"]["mask"] = "causal";
  document["attention"]["scale"] = "none";
  document["attention"]["normalization"] = "sum";
  document["attention"]["dropout"]["seed"] = nullptr;
  const Layer other = parsed(document).layer;
  CHECK(other.attention.mask == MaskKind::Causal);
  CHECK(other.attention.scale.kind == ScaleKind::None);
  CHECK(other.attention.normalization == Normalization::Sum);
  CHECK_FALSE(other.attention.dropout.seed.has_value());
}

TEST_CASE("session: a batch has one matrix for each sequence") {
  json document = plain_session();
  document["embeddings"] = json::parse("[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]");
  const Layer layer = parsed(document).layer;
  REQUIRE(layer.sequence_count() == 3);
  CHECK(layer.embeddings[2](1, 0) == 11);
}

TEST_CASE("session: a recipe draws the weights") {
  json document = small_session();
  document["weights"] = {{"init", "rand"}, {"seed", 123}};
  const Layer layer = parsed(document).layer;
  TorchStream stream(123);
  Matrix query(3, 2);
  fill_rand(stream, query);
  CHECK(same_bits(layer.weights.matrix(Parameter::Query), query));
  CHECK(layer.weights.layout == WeightLayout::InOut);
  CHECK_FALSE(layer.weights.edited);
  REQUIRE(layer.weights.recipe.has_value());
  CHECK(*layer.weights.recipe == WeightRecipe{InitKind::Rand, 123, {kParameters.begin(), kParameters.end()}});

  document["weights"] = {{"init", "linear"}, {"seed", 123}, {"order", {"value", "query", "output", "key"}}};
  const Layer linear = parsed(document).layer;
  TorchStream second(123);
  Matrix value(2, 3);
  fill_linear_weight(second, value);
  CHECK(same_bits(linear.weights.matrix(Parameter::Value), value));
  CHECK(linear.weights.layout == WeightLayout::OutIn);
}

TEST_CASE("session: numbers beside a recipe are the weights, and the recipe stays for the stream") {
  json document = small_session();
  document["weights"]["init"] = "rand";
  document["weights"]["seed"] = 7;
  const Layer layer = parsed(document).layer;
  CHECK(layer.weights.edited);
  REQUIRE(layer.weights.recipe.has_value());
  CHECK(layer.weights.recipe->seed == 7);
  // What came after the drawing, such as an output projection, is no part of it.
  document["weights"]["order"] = {"query", "key"};
  CHECK(parsed(document).layer.weights.recipe->order == std::vector{Parameter::Query, Parameter::Key});
  CHECK(layer.weights.matrix(Parameter::Query)(2, 1) == 6);
  CHECK(drawn_value_count(layer) == 18);

  document["weights"].erase("layout");  // the recipe implies it
  CHECK(parsed(document).layer.weights.layout == WeightLayout::InOut);
  document["weights"]["init"] = "linear";
  document["weights"]["query"] = json::parse("[[1, 2, 3], [4, 5, 6]]");
  document["weights"]["key"] = document["weights"]["value"] = document["weights"]["query"];
  CHECK(parsed(document).layer.weights.layout == WeightLayout::OutIn);
}

TEST_CASE("session: whole numbers may be written as 2.0, seeds may be large or negative") {
  json document = small_session();
  document["attention"]["d_out"] = 2.0;
  document["weights"] = {{"init", "rand"}, {"seed", 9223372036854775807}};
  CHECK(parsed(document).layer.weights.recipe->seed == 9223372036854775807);
  document["weights"]["seed"] = -1;
  CHECK(parsed(document).layer.weights.recipe->seed == -1);
}

TEST_CASE("session: a lesson's address") {
  json document = small_session();
  document["lesson"] = {{"order", 4}, {"chapter", "C"}, {"source", "S"}, {"stage", "queries"},
                        {"head", 0},  {"row", 1},       {"column", 1}};
  const Session session = parsed(document);
  REQUIRE(session.lesson.has_value());
  CHECK(session.lesson->order == 4);
  CHECK(session.lesson->chapter == "C");
  CHECK(session.lesson->source == "S");
  CHECK(session.lesson->stage == Stage::Queries);
  CHECK(session.lesson->row == 1);
  CHECK(session.lesson->column == 1);
}

TEST_CASE("session: a lesson says what its text counts from, or leaves it to the reader") {
  json document = small_session();
  document["lesson"] = {{"order", 4}};
  CHECK_FALSE(parsed(document).lesson->count_from.has_value());
  for (const int first : {0, 1}) {
    document["lesson"]["count_from"] = first;
    CHECK(parsed(document).lesson->count_from == first);
  }
  document["lesson"]["count_from"] = 2;
  CHECK_THROWS_AS(parsed(document), headlight::Error);
}

TEST_CASE("session: UTF-8 survives, with a byte order mark too") {
  json document = plain_session();
  document["title"] = "注意力 über α";
  document["tokens"] = {"naïve", "😀"};
  const Session session = headlight::parse_session("\xef\xbb\xbf" + document.dump(), ".", "x");
  CHECK(session.title == "注意力 über α");
  CHECK(session.layer.tokens[1] == "😀");
}

TEST_CASE("session read: the language of a lesson") {
  json document = small_session();
  document["lesson"] = {{"order", 4}};
  CHECK(parsed(document).lesson->language == LessonLanguage{});
  document["lesson"]["labels"] = {{"next", "Weiter"}};
  document["lesson"]["glossary"] = {{"Maske", "Sie verbietet Paare."}};
  document["lesson"]["decimal"] = ",";
  const LessonLanguage language = parsed(document).lesson->language;
  CHECK(language.labels.at("next") == "Weiter");
  CHECK(language.decimal_comma);
  CHECK(language.glossary.at("Maske") == "Sie verbietet Paare.");
  document["lesson"]["decimal"] = ";";
  CHECK_THROWS_AS(parsed(document), Error);
  document["lesson"]["decimal"] = ".";
  document["lesson"]["labels"] = json::array({"Weiter"});
  CHECK_THROWS_AS(parsed(document), Error);
}
