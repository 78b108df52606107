#include "engine/array_import/array_facts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "engine/array_import/array_placement.h"
#include "engine/layer/weight_report.h"

namespace headlight {
namespace {

std::string name_of_place(const NamedArray& array, Index matrix, const std::vector<Index>& last) {
  std::vector<Index> places = last;
  for (std::size_t axis = array.shape.size() - 2; axis-- > 0; matrix /= array.shape[axis])
    places.insert(places.begin(), matrix % array.shape[axis]);
  std::string text = array.name + "[";
  for (std::size_t i = 0; i < places.size(); ++i)
    text.append(i == 0 ? "" : ", ").append(std::to_string(places[i]));
  return text + "]";
}

// The matrices in its last two axes, one after the other; empty for fewer axes.
std::vector<MatrixRef> matrices_of(const NamedArray& array) {
  std::vector<MatrixRef> matrices;
  const std::size_t axes = array.shape.size();
  if (axes < 2 || array.values.empty()) return matrices;
  const Index rows = array.shape[axes - 2], columns = array.shape[axes - 1];
  const auto count = static_cast<Index>(array.values.size());
  for (Index begin = 0; begin < count; begin += rows * columns)
    matrices.emplace_back(Eigen::Map<const Matrix>(array.values.data() + begin, rows, columns));
  return matrices;
}

void add_weight_facts(const NamedArray& array, ArrayFacts& facts) {
  const std::vector<MatrixRef> matrices = matrices_of(array);
  if (matrices.empty()) return;
  const WeightReport report = report_weights(matrices);
  facts.as_weights =
      report_text(report, {[&](const WeightPlace& at) { return name_of_place(array, at.matrix, {at.query}); },
                           [&](const WeightPlace& at) {
                             return name_of_place(array, at.matrix, {at.query, at.key});
                           }});
  Index rows = 0;
  double sum = 0;
  for (const MatrixRef& matrix : matrices)
    for (Index row = 0; row < matrix.rows(); ++row) {
      const double total = matrix.row(row).cast<double>().sum();
      if (!std::isfinite(total)) continue;
      sum += total;
      ++rows;
    }
  facts.mean_row = rows > 0 ? sum / static_cast<double>(rows) : 0;
  facts.weights = report.wrong == 0 && report.outside == 0 && rows > report.empty;
}

// What matrices of pairs could be that are not plain weights.
void add_map_facts(const std::vector<MatrixRef>& matrices, ArrayFacts& facts) {
  if (matrices.empty() || facts.not_finite) return;
  bool within = true, above = false, same = true, columns = true;
  double first = 0, least_zeros = 1;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const MatrixRef& matrix = matrices[i];
    within = within && matrix.cwiseAbs().maxCoeff() <= 1 + kWeightTolerance;
    const Eigen::VectorXd rows = matrix.cast<double>().rowwise().sum();
    if (i == 0) first = rows(0);
    above = above || rows.maxCoeff() > 1 + kWeightTolerance;
    same = same && (rows.array() - first).abs().maxCoeff() <= kWeightTolerance;
    columns =
        columns && (matrix.cast<double>().colwise().sum().array() - 1).abs().maxCoeff() <= kWeightTolerance;
    for (Index row = 0; row < matrix.rows(); ++row)
      least_zeros = std::min(least_zeros, static_cast<double>((matrix.row(row).array() == 0).count()));
  }
  facts.part_of_weights = within && !above && !facts.negative && facts.positive;
  facts.dropped_weights = !facts.negative && least_zeros > 0;
  facts.difference = within && same && facts.negative;
  facts.by_columns = columns && !facts.negative && !facts.weights;
}

void add_token_facts(const NamedArray& array, TokenFacts& facts) {
  const std::vector<float>& values = array.values;
  const std::size_t tokens = array.shape.empty() ? 1 : static_cast<std::size_t>(array.shape.back());
  facts.whole = facts.straight = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = values[i];
    facts.whole = facts.whole && value >= 0 && value == std::floor(value);
    facts.several = facts.several || value != values[0];
    facts.most = std::max(facts.most, value);
    if (i % tokens > 0) facts.straight = facts.straight && value == values[i - 1] + 1;
  }
  if (facts.whole && facts.most <= 255) facts.texts = 1 + std::count(values.begin(), values.end(), 0.0f);
}

// Whether it has a number for each token, or for each sequence.
bool is_of_tokens(const NamedArray& array) {
  const std::vector<Index>& shape = array.shape;
  return shape.size() == 1 || shape.size() == 2 || (shape.size() == 4 && shape[1] == 1 && shape[2] == 1);
}

void add_row_facts(const NamedArray& array, TokenFacts& facts) {
  constexpr std::size_t kMostRows = 1024;
  const std::vector<float>& values = array.values;
  if (!is_of_tokens(array) || values.empty()) return;
  if (array.shape.size() == 1 && values.size() <= kMostRows) facts.lengths = values;
  const auto tokens = static_cast<std::size_t>(array.shape.back());
  if (values.size() / tokens > kMostRows) return;
  facts.rows.resize(values.size() / tokens);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    TokenFacts::Row& row = facts.rows[i / tokens];
    const auto at = static_cast<Index>(i % tokens);
    if (row.count++ == 0) row.first = at;
    row.end = at + 1;
  }
}

void add_mask_facts(const NamedArray& array, MaskFacts& facts) {
  const Index columns = array.shape.empty() ? 1 : array.shape.back();
  const Index rows = array.shape.size() > 1 ? array.shape[array.shape.size() - 2] : 1;
  const Index offset = columns - rows;
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const Index place = at % columns - (at / columns % rows + offset);
    const bool one = array.values[i] != 0;
    if (place < 0)
      (one ? facts.one_before : facts.zero_before) = true;
    else if (place == 0)
      (one ? facts.one_at : facts.zero_at) = true;
    else
      (one ? facts.one_behind : facts.zero_behind) = true;
  }
}

}  // namespace

ArrayFacts facts_of(const NamedArray& array) {
  ArrayFacts facts;
  facts.not_finite = values_problem(array);
  if (facts.not_finite) facts.undefined = values_problem(array, InfinityIs::Closing);
  const std::vector<float>& values = array.values;
  const auto any = [&](auto test) { return std::any_of(values.begin(), values.end(), test); };
  facts.negative = any([](float value) { return value < 0 && std::isfinite(value); });
  facts.positive = any([](float value) { return value > 0; });
  facts.mask.zero_one = !any([](float value) { return value != 0 && value != 1; });
  const bool closing = any([](float value) { return value == -std::numeric_limits<float>::infinity(); });
  facts.mask.added = !facts.mask.zero_one && !facts.undefined && (facts.negative || closing);
  add_mask_facts(array, facts.mask);
  add_weight_facts(array, facts);
  add_map_facts(matrices_of(array), facts);
  add_token_facts(array, facts.tokens);
  add_row_facts(array, facts.tokens);
  if (values.size() == 1) facts.single = double{values[0]};
  facts.hash = std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  return facts;
}

}  // namespace headlight
