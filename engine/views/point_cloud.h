// Where tokens lie in the plane: rows of one or more stages of the same width, seen along two directions.
#pragma once

#include <array>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/model/stage.h"

namespace headlight {

enum class PlaneKind : std::uint8_t { FirstTwo, Principal };  // dimensions 1 and 2, or principal components

struct PointsRequest {
  std::vector<Stage> stages;  // all of the same width
  Index sequence = 0, head = 0;
  PlaneKind plane = PlaneKind::FirstTwo;
  Index max_points = 400;  // of each stage; of more tokens some are taken, evenly
  bool operator==(const PointsRequest&) const = default;
};

struct PointCloud {
  PointsRequest request;
  Index dimensions = 0;     // of the space; in one of one dimension every y is 0
  Index total = 0;          // tokens there are
  std::vector<Index> rows;  // the tokens taken, ascending
  // By stage of the request: rows.size() x 2. Coordinates are not shifted: the origin of the space is 0, 0.
  std::vector<Matrix> points;
  // The share of the points' variance that each of the two directions holds; 0 when there is none.
  std::array<float, 2> explained{};
};

// Two orthogonal directions of unit length, as columns; of a space of one dimension there is only one, and
// the second is zero.
struct Plane {
  Eigen::MatrixXd axes;  // d x 2
  std::array<double, 2> explained{};
};

// The directions of greatest variance of the rows of `sample`, by the eigenvectors of their covariance; each
// points to where its largest component is positive. Rows that are not finite are left out. Cost: that of a
// symmetric eigenvalue problem of the smaller side of the sample.
// sample: n x d.
Plane principal_plane(const Eigen::MatrixXd& sample);
// Dimensions 1 and 2, and what they hold of the sample's variance.
Plane first_two(const Eigen::MatrixXd& sample);

// At most so many rows go into the principal components.
inline constexpr Index kMostSampledRows = 256;

// matrices: T x d each, in the order of the request's stages.
PointCloud point_cloud(const PointsRequest& request, const std::vector<const Matrix*>& matrices);

}  // namespace headlight
