#include "engine/layer/weight_report.h"

#include <cmath>
#include <cstdio>

#include "engine/core/digits.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

void look_at_row(const MatrixRef& matrix, const WeightPlace& row, WeightReport& report) {
  double sum = 0, size = 0;
  WeightPlace place = row;
  bool finite = true;
  for (; place.key < matrix.cols(); ++place.key) {
    const float weight = matrix(row.query, place.key);
    if (!std::isfinite(weight)) {
      if (report.not_finite++ == 0) report.first_not_finite = place;
      finite = false;
      continue;
    }
    sum += double{weight};
    size += std::abs(double{weight});
    if (weight >= 0 && double{weight} <= 1 + kWeightTolerance) continue;
    if (report.outside++ > 0) continue;
    report.first_outside = place;
    report.outside_value = weight;
  }
  if (!finite) return;
  if (size == 0) {
    if (report.empty++ == 0) report.first_empty = row;
  } else if (const double off = std::abs(sum - 1); off > kWeightTolerance) {
    if (report.wrong++ > 0 && off <= std::abs(report.worst_sum - 1)) return;
    report.worst = row;
    report.worst_sum = sum;
  }
}

// Adds `next`, the report on later matrices.
void join(WeightReport& report, const WeightReport& next) {
  const double off = std::abs(report.worst_sum - 1), next_off = std::abs(next.worst_sum - 1);
  if (next.wrong > 0 && (report.wrong == 0 || next_off > off)) {
    report.worst = next.worst;
    report.worst_sum = next.worst_sum;
  }
  if (report.empty == 0) report.first_empty = next.first_empty;
  if (report.outside == 0) {
    report.first_outside = next.first_outside;
    report.outside_value = next.outside_value;
  }
  if (report.not_finite == 0) report.first_not_finite = next.first_not_finite;
  report.rows += next.rows;
  report.wrong += next.wrong;
  report.empty += next.empty;
  report.outside += next.outside;
  report.not_finite += next.not_finite;
}

std::string sum_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

WeightReport report_weights(const std::vector<MatrixRef>& matrices) {
  const auto count = static_cast<Index>(matrices.size());
  std::vector<WeightReport> parts(matrices.size());
  const double cells = matrices.empty() ? 0 : static_cast<double>(matrices.front().size());
  for_each_index(count, cells * static_cast<double>(count), [&](Index at) {
    const MatrixRef& matrix = matrices[static_cast<std::size_t>(at)];
    WeightReport& part = parts[static_cast<std::size_t>(at)];
    part.rows = matrix.rows();
    for (Index query = 0; query < matrix.rows(); ++query)
      look_at_row(matrix, {at, query, 0}, part);
  });
  WeightReport report;
  for (const WeightReport& part : parts)
    join(report, part);
  return report;
}

WeightReport report_weights(const PairArray& weights) {
  return report_weights(std::vector<MatrixRef>(weights.matrices.begin(), weights.matrices.end()));
}

std::string report_text(const WeightReport& report, const WeightNames& names) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (report.wrong > 0)
    add(std::to_string(report.wrong) + " of " +
        counted(report.rows, "row of the attention weights", "rows of the attention weights") +
        (report.wrong == 1 ? " does" : " do") + " not sum to 1: " + names.row(report.worst) + " sums to " +
        sum_text(report.worst_sum));
  if (report.outside > 0)
    add(counted(report.outside, "attention weight lies", "attention weights lie") + " outside 0 to 1: " +
        names.cell(report.first_outside) + " is " + sum_text(double{report.outside_value}));
  if (report.not_finite > 0)
    add(counted(report.not_finite, "attention weight is", "attention weights are") +
        " NaN or infinite: " + names.cell(report.first_not_finite));
  if (report.empty > 0)
    add(counted(report.empty, "row is all zero and attends", "rows are all zero and attend") +
        " to nothing: " + names.row(report.first_empty));
  return text;
}

std::string report_text(const WeightReport& report, const Layer& layer, const Counting& counting) {
  const Index heads = layer.given_weights.heads;
  const bool batch = layer.given_weights.sequences > 1;
  const auto row = [=](const WeightPlace& place) {
    return (batch ? "sequence " + counting.number(place.matrix / heads) + ", " : "") + "head " +
           counting.number(place.matrix % heads) + ", query " + counting.number(place.query);
  };
  const auto cell = [=](const WeightPlace& place) {
    return row(place) + ", key " + counting.number(place.key);
  };
  return report_text(report, {row, cell});
}

}  // namespace headlight
