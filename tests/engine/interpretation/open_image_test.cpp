// Models of images: the image, its tokens and classes, and what a window shows of their layers.
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/interpretation/attribution.h"
#include "engine/interpretation/logit_lens.h"
#include "engine/interpretation/model_worker.h"
#include "engine/interpretation/picture.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/layer_at.h"
#include "tests/engine/interpretation/sides_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("image model: its layers have the library's weights, and its classes the library's logits") {
  const OpenModel work = image_model();
  NetworkPass pass = pass_over(work);
  for (Index layer = 0; layer < pass.network().config().layers; ++layer) {
    const Layer shown = layer_at(pass, layer);
    validate(shown);
    const Evaluator evaluator = evaluate(shown);
    const NamedArray golden = library_array("vit", "weights." + std::to_string(layer));
    for (Index head = 0; head < shown.head_count(); ++head)
      CHECK(near_golden(evaluator.matrix(Stage::Weights, 0, head), golden_matrix(golden, head)));
  }
  const NamedArray logits = library_array("vit", "logits");
  CHECK(
      near_golden(pass.logits(0, 1), Eigen::Map<const Matrix>(logits.values.data(), 1, logits.shape.back())));
  CHECK(predicted_position(*work.network, work.ids) == 0);
}

TEST_CASE("image model: tokens are named by their patches and classes by their labels") {
  const OpenModel work = image_model();
  NetworkPass pass = pass_over(work);
  const std::vector<std::string> labels = token_labels(pass);
  REQUIRE(labels.size() == 10);
  CHECK(labels[0] == "class");
  CHECK(labels[1] == "patch 0,0");
  CHECK(labels[6] == "patch 1,2");
  CHECK(token_label(work, 9) == "patch 2,2");
  CHECK(work.network->label(3) == "label 3");
}

TEST_CASE("image model: the parts of a class sum to its logit") {
  NetworkPass pass = pass_over(image_model());
  const Attribution parts = attribute(pass, {0, 2, {}});
  CHECK_THAT(parts.logit, WithinAbs(double{pass.logits(0, 1)(0, 2)}, 1e-4));
  CHECK_THAT(parts.embedding + parts.constant +
                 static_cast<double>(parts.heads.sum() + parts.output_bias.sum() + parts.mlps.sum()),
             WithinAbs(parts.logit, 1e-4));
  CHECK(parts.cross_heads.size() == 0);
}

TEST_CASE("image model: the same numbers are not computed again, other ones are") {
  OpenModel work = image_model();
  NetworkPass pass = pass_over(work);
  const Matrix before = pass.logits(0, 1);
  const float* const stream = pass.residual(1).data();
  set_image(work, OpenImage(*work.image));
  take_state(pass, state_of(work));
  CHECK(pass.residual(1).data() == stream);
  CHECK(largest_difference(pass.logits(0, 1), before) == 0);
  set_image(work, first_image(*work.network));
  add_patch(work, {PatchStage::Residual, 1, 0, 4, 0, Matrix::Ones(1, 8)});
  take_state(pass, state_of(work));
  NetworkPass anew = pass_over(work);
  CHECK(largest_difference(pass.logits(0, 1), anew.logits(0, 1)) == 0);
  CHECK(largest_difference(pass.logits(0, 1), before) > 1e-3f);
}

TEST_CASE("image model: a patch of any row of the first stream leaves the other rows as they are") {
  const OpenModel work = image_model();
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  const Matrix before = pass.residual(0), logits = pass.logits(0, 1);
  for (const Index row : {Index{0}, Index{3}, before.rows() - 1}) {
    Matrix expected = before;
    expected.row(row).setConstant(0.25f);
    pass.set_patches({{PatchStage::Residual, 0, 0, row, 0, expected.row(row)}});
    CHECK(Matrix(pass.residual(0)) == expected);
    CHECK(pass.logits(0, 1) != logits);
    pass.set_patches({});
    CHECK(Matrix(pass.residual(0)) == before);
    CHECK(pass.logits(0, 1) == logits);
  }
}

TEST_CASE("image model: a picture for the screen has the bytes that were read") {
  const auto network = std::make_shared<const Network>(library_folder("vit"));
  const ImageShape& shape = network->config().image;
  const ImagePreparation how = preparation_of(*network);
  Picture picture{shape.width, shape.height, 3, {}};
  for (Index i = 0; i < shape.width * shape.height * 3; ++i)
    picture.bytes.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  const Matrix numbers = prepared_image(picture, how, 3, shape.height, shape.width, "");
  CHECK(picture_of(numbers, how, shape.width).bytes == picture.bytes);
  Matrix extreme = Matrix::Constant(1, 4, 1e9f);
  extreme(0, 1) = -1e9f;
  extreme(0, 2) = std::numeric_limits<float>::quiet_NaN();
  const Picture grey = picture_of(extreme, how, 2);
  CHECK(grey.channels == 1);
  CHECK(grey.height == 2);
  CHECK(grey.bytes == std::vector<std::uint8_t>{255, 0, 0, 255});
}

TEST_CASE("image model: the program's picture is the same each time and not uniform") {
  const auto network = std::make_shared<const Network>(library_folder("vit"));
  const OpenImage image = first_image(*network);
  CHECK(image.path.empty());
  CHECK(same_matrix(image.pixels, first_image(*network).pixels));
  CHECK(image.pixels.maxCoeff() - image.pixels.minCoeff() > 1);
}

TEST_CASE("image model: texts and images of another shape are refused, and the model stays") {
  OpenModel work = image_model();
  const OpenModel before = work;
  CHECK_THROWS_AS(set_text(work, "a"), Error);
  CHECK_THROWS_AS(set_ids(work, {1}), Error);
  CHECK_THROWS_AS(set_image(work, {"", Matrix::Zero(3, 7)}), Error);
  OpenModel text;
  text.network = open_model("gpt2");
  CHECK_THROWS_AS(set_image(text, {"", Matrix::Zero(3, 7)}), Error);
  CHECK(work == before);
}

TEST_CASE("image model: the worker answers with classes, a lens and parts") {
  const OpenModel work = image_model();
  NetworkPass pass(work.network);
  ModelRequest question;
  question.top = 3;
  question.lens = true;
  question.picture_side = 16;
  question.parts = LogitChoice{0, 1, {}};
  const ModelResult answer = answer_of(pass, state_of(work), question, [](double) {});
  CHECK(answer.predictions.size() == 3);
  CHECK(answer.lens.size() == 3);
  CHECK(answer.lens.back().front().id == answer.predictions.front().id);
  CHECK(answer.glance->layers == 2);
}
