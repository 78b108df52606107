// What edits change, and that a rejected edit changes nothing.
#include "engine/layer/edit.h"

#include <memory>
#include <string>

#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/not_finite.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer drawn_model() {
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {Matrix::Ones(3, 3), Matrix::Zero(3, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.qkv_bias = true;
  layer.custom_mask = Matrix::Ones(3, 3);
  draw_weights(layer, WeightRecipe{});
  return layer;
}

void check_refused(const Edit& edit, const std::string& what, const std::string& where) {
  Layer layer = drawn_model();
  INFO(what);
  try {
    apply_edit(edit, layer);
    FAIL("it was carried out");
  } catch (const Error& error) {
    CHECK_THAT(error.summary(), ContainsSubstring(what));
    CHECK(error.where() == where);
    CHECK_FALSE(error.hint().empty());
  }
  CHECK(same_layer(layer, drawn_model()));
}

Matrix with_one(Matrix matrix, float value) {
  matrix(0, matrix.cols() - 1) = value;
  return matrix;
}

const InputId kEmbeddings1 = {InputKind::Embeddings, 1, Parameter::Query};
const InputId kQuery = {InputKind::Weight, 0, Parameter::Query};
const InputId kValueBias = {InputKind::Bias, 0, Parameter::Value};
const InputId kMask = {InputKind::Mask, 0, Parameter::Query};

}  // namespace

TEST_CASE("edit: a block of cells lands where it is meant to, and nowhere else") {
  for (const InputId& input : {kEmbeddings1, kQuery, kValueBias, kMask}) {
    INFO(input_name(input));
    Layer layer = drawn_model();
    const Matrix before = input_matrix(layer, input);
    const Index row = before.rows() - 1, column = before.cols() - 2;
    const Matrix values = with_one(Matrix::Ones(1, 2), 0.0f);
    apply_edit(CellsEdit{input, row, column, values}, layer);
    Matrix expected = before;
    expected(row, column) = 1.0f;
    expected(row, column + 1) = 0.0f;
    CHECK(same_bits(input_matrix(layer, input), expected));
    const bool is_weight = input == kQuery || input == kValueBias;
    CHECK(layer.weights.edited == is_weight);
    input_matrix(layer, input) = before;
    layer.weights.edited = false;
    CHECK(same_layer(layer, drawn_model()));
  }
}

TEST_CASE("edit: settings and whole models replace what was there") {
  Layer layer = drawn_model();
  AttentionSettings settings = layer.attention;
  settings.mask = MaskKind::Custom;
  settings.dropout = {0.5, true, 9};
  apply_edit(SettingsEdit{settings}, layer);
  CHECK(layer.attention == settings);
  const auto other = std::make_shared<Layer>(drawn_model());
  insert_token(*other, 1, "new", false);
  apply_edit(LayerEdit{other}, layer);
  CHECK(same_layer(layer, *other));
}

TEST_CASE("edit: a block that does not fit is refused") {
  check_refused(CellsEdit{kEmbeddings1, 2, 1, Matrix::Ones(2, 1)},
                "a block of 2 x 1 at row 3, column 2 does not fit into 3 x 3", "embeddings[1]");
  check_refused(CellsEdit{kQuery, -1, 0, Matrix::Ones(1, 1)}, "does not fit into 3 x 4", "weights.query");
  check_refused(CellsEdit{kQuery, 0, 4, Matrix::Ones(1, 1)}, "does not fit into 3 x 4", "weights.query");
  check_refused(CellsEdit{kValueBias, 1, 0, Matrix::Ones(1, 1)}, "does not fit into 1 x 4",
                "weights.value_bias");
  check_refused(CellsEdit{kMask, 0, 0, Matrix::Ones(4, 4)}, "does not fit into 3 x 3", "attention.mask");
  check_refused(CellsEdit{{InputKind::Weight, 0, Parameter::Output}, 0, 0, Matrix::Ones(1, 1)},
                "does not fit into 0 x 0", "weights.output");
}

TEST_CASE("edit: a value that cannot be an input is refused, and those beside it") {
  check_refused(CellsEdit{kEmbeddings1, 0, 0, with_one(Matrix::Ones(3, 3), kNan)}, "not a finite number",
                "embeddings[1]");
  check_refused(CellsEdit{kQuery, 0, 0, with_one(Matrix::Ones(1, 2), kInfinity)}, "not a finite number",
                "weights.query");
  check_refused(CellsEdit{kMask, 0, 0, with_one(Matrix::Ones(1, 3), 0.5f)}, "neither 0 nor 1",
                "attention.mask");
  check_refused(CellsEdit{kMask, 0, 0, with_one(Matrix::Ones(1, 3), kNan)}, "not a finite number",
                "attention.mask");
}

TEST_CASE("edit: a sequence that is not there is refused") {
  check_refused(CellsEdit{{InputKind::Embeddings, 2, Parameter::Query}, 0, 0, Matrix::Ones(1, 1)},
                "no such sequence", "embeddings[2]");
  check_refused(CellsEdit{{InputKind::Embeddings, -1, Parameter::Query}, 0, 0, Matrix::Ones(1, 1)},
                "no such sequence", "embeddings[-1]");
}

TEST_CASE("edit: settings that the model cannot have are refused") {
  AttentionSettings settings = drawn_model().attention;
  settings.num_heads = 3;
  check_refused(SettingsEdit{settings}, "does not divide", "attention.num_heads");
  settings = drawn_model().attention;
  settings.output_projection = true;  // its matrix is missing
  check_refused(SettingsEdit{settings}, "output is missing", "weights.output");
  settings = drawn_model().attention;
  settings.dropout.probability = 2.0;
  check_refused(SettingsEdit{settings}, "probability", "attention.dropout.probability");
}

TEST_CASE("edit: a mask that the model cannot have is refused") {
  check_refused(MaskEdit{MaskKind::Custom, Matrix::Zero(2, 3)}, "mask is 2 x 3, expected 3 x 3",
                "attention.mask");
  check_refused(MaskEdit{MaskKind::Custom, Matrix::Constant(3, 3, 0.5f)}, "neither 0 nor 1",
                "attention.mask");
}

TEST_CASE("edit: a whole model that is not valid is refused") {
  Layer broken = drawn_model();
  broken.embeddings[1](0, 0) = kNan;
  check_refused(LayerEdit{std::make_shared<Layer>(broken)}, "not a finite number", "embeddings[1]");
}

TEST_CASE("edit: inputs are named as in the session file") {
  CHECK(input_name(kEmbeddings1) == "embeddings[1]");
  CHECK(input_name(kQuery) == "weights.query");
  CHECK(input_name(kValueBias) == "weights.value_bias");
  CHECK(input_name(kMask) == "attention.mask");
}
