// Projections of tokens to a plane: rows of one or more stages of the same width along two directions.
#pragma once

#include <array>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/layer/stage.h"

namespace headlight {

enum class PlaneKind : std::uint8_t { FirstTwo, Principal };  // dimensions 1 and 2, or principal components

struct PointsRequest {
  std::vector<Stage> stages;  // all of the same width
  Index sequence = 0, head = 0;
  PlaneKind plane = PlaneKind::FirstTwo;
  Index max_points = 400;  // per stage; more tokens are thinned evenly
  bool operator==(const PointsRequest&) const = default;
};

struct PointCloud {
  PointsRequest request;
  Index dimensions = 0;     // of the space; if 1, every y is 0
  Index total = 0;          // number of tokens
  std::vector<Index> rows;  // the selected tokens, ascending
  // Per stage of the request: rows.size() x 2. Coordinates are not centred: the origin of the space is 0, 0.
  std::vector<Matrix> points;
  // The fraction of the variance along each of the two directions; 0 if there is none.
  std::array<float, 2> explained{};
};

// Two orthogonal unit vectors as columns; in a space of one dimension the second is zero.
struct Plane {
  Eigen::MatrixXd axes;  // d x 2
  std::array<double, 2> explained{};
};

// The directions of greatest variance of the rows of `sample` (n x d): eigenvectors of their covariance, with
// the sign that makes the largest component positive. Rows that are not finite are excluded. Cost: a
// symmetric eigenvalue problem of size min(n, d).
Plane principal_plane(const Eigen::MatrixXd& sample);
// Dimensions 1 and 2, with their fractions of the sample's variance.
Plane first_two(const Eigen::MatrixXd& sample);

// Limit on the rows from which principal components are computed.
inline constexpr Index kMostSampledRows = 256;

// matrices: T x d each, in the order of the request's stages.
PointCloud point_cloud(const PointsRequest& request, const std::vector<const Matrix*>& matrices);

}  // namespace headlight
