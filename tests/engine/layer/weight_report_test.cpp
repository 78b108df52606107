#include "engine/layer/weight_report.h"

#include <limits>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

// Two sequences with two heads of 3 x 4 weights.
Layer uniform() {
  Layer layer;
  layer.given_weights = {2, 2, std::vector<Matrix>(4, Matrix::Constant(3, 4, 0.25f))};
  return layer;
}

std::string told(const Layer& layer, Index first = 0) {
  return report_text(report_weights(layer.given_weights), layer, {first});
}

}  // namespace

TEST_CASE("weight report: rows of a softmax are clean, in the rounding of half precision too") {
  Layer layer = uniform();
  CHECK(report_weights(layer.given_weights).clean());
  CHECK(report_weights(layer.given_weights).rows == 12);
  CHECK(told(layer).empty());
  layer.given_weights.matrices[0].row(1) << 1.0009766f, 0, 0, 0;  // one unit in the last place of float16
  layer.given_weights.matrices[0].row(2) << 0.9980469f, 0, 0, 0;  // half a unit in the last place of bfloat16
  CHECK(told(layer).empty());
  CHECK(report_weights(PairArray{}).clean());
}

TEST_CASE("weight report: rows that do not sum to 1 are counted, and the worst is named") {
  Layer layer = uniform();
  layer.given_weights.matrices[1](2, 0) = 0.2f;
  layer.given_weights.matrices[2](1, 3) = 0.124f;
  layer.given_weights.matrices[3](0, 0) = 0.26f;
  CHECK(told(layer) ==
        "3 of 12 rows of the attention weights do not sum to 1: sequence 1, head 0, query 1 sums to 0.874");
  CHECK(told(layer, 1) ==
        "3 of 12 rows of the attention weights do not sum to 1: sequence 2, head 1, query 2 sums to 0.874");
  // The worst row is the one farthest from 1 in either direction; the first of equals.
  layer.given_weights.matrices[0](0, 0) = 0.376f + 0.05f;
  CHECK(report_weights(layer.given_weights).worst.matrix == 0);
}

TEST_CASE("weight report: weights outside 0 to 1, rows of zeros and numbers that are none") {
  Layer layer = uniform();
  layer.given_weights.matrices[0].row(1) << -0.5f, 1.5f, 0, 0;
  layer.given_weights.matrices[1].row(0).setZero();
  layer.given_weights.matrices[1].row(2).setZero();
  layer.given_weights.matrices[3](2, 1) = std::numeric_limits<float>::quiet_NaN();
  const WeightReport report = report_weights(layer.given_weights);
  CHECK(report.wrong == 0);
  CHECK(report.outside == 2);
  CHECK(report.empty == 2);
  CHECK(report.not_finite == 1);
  CHECK(told(layer) ==
        "2 attention weights lie outside 0 to 1: sequence 0, head 0, query 1, key 0 is -0.5; "
        "1 attention weight is NaN or infinite: sequence 1, head 1, query 2, key 1; "
        "2 rows are all zero and attend to nothing: sequence 0, head 1, query 0");
}
