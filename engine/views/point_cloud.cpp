#include "engine/views/point_cloud.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

// At most `most` indices out of 0 to count - 1, evenly spaced, including both ends.
std::vector<Index> evenly(Index count, Index most) {
  const Index taken = std::min(count, std::max<Index>(most, 1));
  std::vector<Index> rows;
  for (Index i = 0; i < taken; ++i)
    rows.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  return rows;
}

Eigen::MatrixXd finite_rows(const Eigen::MatrixXd& sample) {
  Eigen::MatrixXd kept(sample.rows(), sample.cols());
  Index count = 0;
  for (Index row = 0; row < sample.rows(); ++row)
    if (sample.row(row).allFinite()) kept.row(count++) = sample.row(row);
  return kept.topRows(count);
}

// The variance of each column, divided by n.
Eigen::VectorXd variances(const Eigen::MatrixXd& centred) {
  return centred.colwise().squaredNorm().transpose() /
         std::max<double>(1.0, static_cast<double>(centred.rows()));
}

Eigen::MatrixXd centred_rows(const Eigen::MatrixXd& sample) {
  if (sample.rows() == 0) return sample;
  return sample.rowwise() - sample.colwise().mean();
}

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0.0;
}

void point_to_largest(Eigen::Ref<Eigen::VectorXd> axis) {
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  if (axis(largest) < 0) axis = -axis;
}

// A unit vector orthogonal to `axis`, for points on one line.
Eigen::VectorXd any_orthogonal(const Eigen::VectorXd& axis) {
  Index smallest = 0;
  axis.cwiseAbs().minCoeff(&smallest);
  Eigen::VectorXd other = Eigen::VectorXd::Unit(axis.size(), smallest);
  other -= axis * axis(smallest);
  return other.normalized();
}

// The two largest eigenvalues of the covariance and their eigenvectors. With fewer points than dimensions,
// the Gram matrix has the same eigenvalues and is smaller.
void largest_two(const Eigen::MatrixXd& centred, std::array<double, 2>& values, Eigen::MatrixXd& vectors) {
  const double count = static_cast<double>(centred.rows());
  const bool by_points = centred.rows() < centred.cols();
  const Eigen::MatrixXd products = by_points ? Eigen::MatrixXd(centred * centred.transpose() / count)
                                             : Eigen::MatrixXd(centred.transpose() * centred / count);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
  const Index last = products.rows() - 1;
  for (Index i = 0; i < 2 && i <= last; ++i) {
    values[static_cast<std::size_t>(i)] = std::max(0.0, solver.eigenvalues()(last - i));
    const Eigen::VectorXd vector = solver.eigenvectors().col(last - i);
    vectors.col(i) = by_points ? Eigen::VectorXd((centred.transpose() * vector).normalized()) : vector;
  }
}

}  // namespace

Plane first_two(const Eigen::MatrixXd& sample) {
  Plane plane;
  const Index d = sample.cols();
  plane.axes = Eigen::MatrixXd::Zero(d, 2);
  const Eigen::VectorXd spread = variances(centred_rows(finite_rows(sample)));
  for (Index i = 0; i < std::min<Index>(d, 2); ++i) {
    plane.axes(i, i) = 1;
    plane.explained[static_cast<std::size_t>(i)] = share(spread(i), spread.sum());
  }
  return plane;
}

Plane principal_plane(const Eigen::MatrixXd& sample) {
  const Index d = sample.cols();
  const Eigen::MatrixXd centred = centred_rows(finite_rows(sample));
  const double total = variances(centred).sum();
  if (d < 2 || !(total > 0)) return first_two(sample);
  Plane plane;
  plane.axes = Eigen::MatrixXd::Zero(d, 2);
  std::array<double, 2> values{};
  largest_two(centred, values, plane.axes);
  constexpr double kNothing = 1e-12;  // fraction of the total that is only rounding
  if (values[1] <= kNothing * total) {
    values[1] = 0;
    plane.axes.col(1) = any_orthogonal(plane.axes.col(0));
  }
  for (Index i = 0; i < 2; ++i) {
    point_to_largest(plane.axes.col(i));
    plane.explained[static_cast<std::size_t>(i)] = share(values[static_cast<std::size_t>(i)], total);
  }
  return plane;
}

PointCloud point_cloud(const PointsRequest& request, const std::vector<const Matrix*>& matrices) {
  PointCloud cloud;
  cloud.request = request;
  if (matrices.empty()) return cloud;
  cloud.dimensions = matrices.front()->cols();
  cloud.total = matrices.front()->rows();
  cloud.rows = evenly(cloud.total, request.max_points);
  const std::vector<Index> sampled =
      evenly(cloud.total, kMostSampledRows / static_cast<Index>(matrices.size()));
  Eigen::MatrixXd sample(static_cast<Index>(sampled.size() * matrices.size()), cloud.dimensions);
  Index at = 0;
  for (const Matrix* matrix : matrices)
    for (const Index row : sampled)
      sample.row(at++) = matrix->row(row).cast<double>();
  const Plane plane = request.plane == PlaneKind::Principal ? principal_plane(sample) : first_two(sample);
  for (std::size_t i = 0; i < 2; ++i)
    cloud.explained[i] = static_cast<float>(plane.explained[i]);
  for (const Matrix* matrix : matrices) {
    Matrix points(static_cast<Index>(cloud.rows.size()), 2);
    for (std::size_t i = 0; i < cloud.rows.size(); ++i)
      points.row(static_cast<Index>(i)) =
          (matrix->row(cloud.rows[i]).cast<double>() * plane.axes).cast<float>();
    cloud.points.push_back(std::move(points));
  }
  return cloud;
}

}  // namespace headlight
