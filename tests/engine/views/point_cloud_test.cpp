// Rows of a stage as points: plain dimensions, and principal components against a plain covariance.
#include "engine/views/point_cloud.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Matrix random_matrix(Index rows, Index columns, std::uint32_t seed) {
  Dice dice(seed);
  return dice.matrix(rows, columns);
}

PointCloud cloud_of(const Matrix& matrix, PlaneKind plane, Index most = 400) {
  PointsRequest request;
  request.stages = {Stage::Embeddings};
  request.plane = plane;
  request.max_points = most;
  return point_cloud(request, {&matrix});
}

// The variance of the rows along an axis, by plain loops.
double variance_along(const Matrix& matrix, const Eigen::VectorXd& axis) {
  double mean = 0, square = 0;
  for (Index row = 0; row < matrix.rows(); ++row) {
    double along = 0;
    for (Index i = 0; i < matrix.cols(); ++i)
      along += static_cast<double>(matrix(row, i)) * axis(i);
    mean += along;
    square += along * along;
  }
  const double count = static_cast<double>(matrix.rows());
  return square / count - mean / count * (mean / count);
}

double total_variance(const Matrix& matrix) {
  double total = 0;
  for (Index i = 0; i < matrix.cols(); ++i)
    total += variance_along(matrix, Eigen::VectorXd::Unit(matrix.cols(), i));
  return total;
}

}  // namespace

TEST_CASE("point cloud: the first two dimensions are the numbers themselves") {
  const Matrix matrix = random_matrix(6, 4, 1);
  const PointCloud cloud = cloud_of(matrix, PlaneKind::FirstTwo);
  CHECK(cloud.dimensions == 4);
  CHECK(cloud.total == 6);
  REQUIRE(cloud.points.size() == 1);
  CHECK(cloud.points[0] == matrix.leftCols(2));
  for (Index i = 0; i < 2; ++i)
    CHECK_THAT(cloud.explained[static_cast<std::size_t>(i)],
               WithinAbs(variance_along(matrix, Eigen::VectorXd::Unit(4, i)) / total_variance(matrix), 1e-5));
}

TEST_CASE("point cloud: one dimension is a line") {
  const Matrix matrix = random_matrix(5, 1, 2);
  for (const PlaneKind plane : {PlaneKind::FirstTwo, PlaneKind::Principal}) {
    const PointCloud cloud = cloud_of(matrix, plane);
    CHECK(cloud.dimensions == 1);
    CHECK(cloud.points[0].col(0) == matrix.col(0));
    CHECK(cloud.points[0].col(1).isZero());
    CHECK(cloud.explained[0] == 1);
    CHECK(cloud.explained[1] == 0);
  }
}

TEST_CASE("principal plane: orthogonal, of unit length, and no direction holds more of the variance") {
  const std::vector<std::pair<Index, Index>> shapes = {{40, 5}, {6, 20}, {3, 3}, {200, 2}};
  for (const auto& [rows, columns] : shapes) {
    INFO(rows << " x " << columns);
    const Matrix matrix = random_matrix(rows, columns, 3);
    const Plane plane = principal_plane(matrix.cast<double>());
    CHECK_THAT(plane.axes.col(0).norm(), WithinAbs(1, 1e-9));
    CHECK_THAT(plane.axes.col(1).norm(), WithinAbs(1, 1e-9));
    CHECK_THAT(plane.axes.col(0).dot(plane.axes.col(1)), WithinAbs(0, 1e-9));
    const double total = total_variance(matrix), first = variance_along(matrix, plane.axes.col(0));
    CHECK_THAT(plane.explained[0], WithinAbs(first / total, 1e-5));
    CHECK_THAT(plane.explained[1], WithinAbs(variance_along(matrix, plane.axes.col(1)) / total, 1e-5));
    CHECK(plane.explained[0] >= plane.explained[1]);
    Dice dice(7);
    for (int trial = 0; trial < 50; ++trial) {
      const Eigen::VectorXd direction = dice.matrix(columns, 1).cast<double>().normalized();
      CHECK(variance_along(matrix, direction) <= first + 1e-6);
    }
    Index largest = 0;
    plane.axes.col(0).cwiseAbs().maxCoeff(&largest);
    CHECK(plane.axes(largest, 0) > 0);
  }
}

TEST_CASE("principal plane: points on one line leave a second direction at right angles") {
  Eigen::MatrixXd sample(5, 3);
  for (Index i = 0; i < 5; ++i)
    sample.row(i) << static_cast<double>(i), 2.0 * static_cast<double>(i), -1.0 * static_cast<double>(i);
  const Plane plane = principal_plane(sample);
  CHECK_THAT(plane.explained[0], WithinAbs(1, 1e-9));
  CHECK_THAT(plane.explained[1], WithinAbs(0, 1e-9));
  CHECK_THAT(plane.axes.col(1).norm(), WithinAbs(1, 1e-9));
  CHECK_THAT(plane.axes.col(0).dot(plane.axes.col(1)), WithinAbs(0, 1e-9));
}

TEST_CASE("principal plane: points all alike, and rows that are not finite") {
  const Plane alike = principal_plane(Eigen::MatrixXd::Ones(4, 3));
  CHECK(alike.axes.allFinite());
  CHECK(alike.explained[0] == 0);
  Eigen::MatrixXd sample = random_matrix(10, 3, 4).cast<double>();
  const Plane clean = principal_plane(sample.topRows(9));
  sample.row(9).setConstant(std::numeric_limits<double>::quiet_NaN());
  CHECK(principal_plane(sample).axes.isApprox(clean.axes));
  sample.setConstant(std::numeric_limits<double>::infinity());
  CHECK(principal_plane(sample).axes.allFinite());
}

TEST_CASE("point cloud: the origin stays where it is, and distances in the plane are not changed") {
  Matrix matrix = Matrix::Zero(5, 3);
  matrix.row(1) << 3, 4, 0;
  matrix.row(2) << 1, -1, 0;
  matrix.row(3) << 2, 2, 0;
  const PointCloud cloud = cloud_of(matrix, PlaneKind::Principal);
  CHECK(cloud.points[0].row(0).isZero());
  CHECK_THAT(cloud.points[0].row(1).norm(), WithinAbs(5, 1e-5));
  CHECK_THAT((cloud.points[0].row(2) - cloud.points[0].row(3)).norm(), WithinAbs(std::sqrt(10), 1e-5));
}

TEST_CASE("point cloud: of thousands of tokens some are taken, evenly and with both ends") {
  const Matrix matrix = random_matrix(5000, 8, 5);
  const PointCloud cloud = cloud_of(matrix, PlaneKind::Principal, 100);
  REQUIRE(cloud.rows.size() == 100);
  CHECK(cloud.total == 5000);
  CHECK(cloud.rows.front() == 0);
  CHECK(cloud.rows.back() == 4999);
  for (std::size_t i = 1; i < cloud.rows.size(); ++i)
    CHECK(cloud.rows[i] > cloud.rows[i - 1]);
  CHECK(cloud.points[0].rows() == 100);
}

TEST_CASE("point cloud: the evaluator's stages of one width, seen along the same directions") {
  Dice dice(17);
  for (int i = 0; i < 20; ++i) {
    const Layer layer = random_layer(dice);
    const Evaluator evaluator = evaluate(layer);
    PointsRequest request;
    request.stages = {Stage::Queries, Stage::Keys};
    request.head = layer.head_count() - 1;
    const PointCloud cloud = evaluator.points(request);
    REQUIRE(cloud.points.size() == 2);
    const Matrix& keys = evaluator.matrix(Stage::Keys, 0, request.head);
    CHECK(cloud.points[1].col(0) == keys.col(0));
    request.stages = {Stage::Embeddings};
    request.head = 0;
    CHECK(evaluator.points(request).points[0].col(0) == layer.embeddings[0].col(0));
    request.head = layer.head_count();
    request.stages = {Stage::Values};
    CHECK_THROWS_AS(evaluator.points(request), Error);
  }
}

TEST_CASE("point cloud: stages of different widths are refused") {
  Dice dice(18);
  Layer layer = random_layer(dice);
  while (layer.d_in() == layer.d_k())
    layer = random_layer(dice);
  PointsRequest request;
  request.stages = {Stage::Embeddings, Stage::Queries};
  CHECK_THROWS_AS(evaluate(layer).points(request), Error);
}
