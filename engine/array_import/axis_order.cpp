#include "engine/array_import/axis_order.h"

#include <utility>

namespace headlight {
namespace {

// The array with two neighbouring axes swapped: `before` x first x second x `inner`.
NamedArray swapped(const NamedArray& array, std::size_t first) {
  const std::vector<Index>& shape = array.shape;
  Index before = 1, inner = 1;
  for (std::size_t axis = 0; axis < first; ++axis)
    before *= shape[axis];
  for (std::size_t axis = first + 2; axis < shape.size(); ++axis)
    inner *= shape[axis];
  const Index rows = shape[first], columns = shape[first + 1];
  NamedArray result{array.name, shape, {}};
  std::swap(result.shape[first], result.shape[first + 1]);
  result.values.reserve(array.values.size());
  for (Index outer = 0; outer < before; ++outer)
    for (Index column = 0; column < columns; ++column)
      for (Index row = 0; row < rows; ++row) {
        const auto from = array.values.begin() + ((outer * rows + row) * columns + column) * inner;
        result.values.insert(result.values.end(), from, from + inner);
      }
  return result;
}

}  // namespace

std::vector<Index> ordered_shape(const std::vector<Index>& shape, AxisOrder order) {
  switch (order) {
    case AxisOrder::AsIs:
      return shape;
    case AxisOrder::HeadsThird:
      return {shape[0], shape[2], shape[1], shape[3]};
    case AxisOrder::HeadsFirst:
      return {1, shape[0], shape[1], shape[2]};
    case AxisOrder::TokensFirst:
      return {1, shape[1], shape[0], shape[2]};
    case AxisOrder::TimeFirst:
      return {shape[1], shape[0], shape[2]};
    case AxisOrder::Sequences:
      return {shape[0], 1, shape[1], shape[2]};
    case AxisOrder::HeadWeights:
      return {shape[1], shape[0] * shape[2]};
    case AxisOrder::HeadColumns:
      return {shape[0], shape[1] * shape[2]};
    case AxisOrder::HeadRows:
      if (shape.size() == 2) return {shape[0] * shape[1]};
      return {shape[0] * shape[1], shape[2]};
  }
  return shape;
}

NamedArray ordered(const NamedArray& array, AxisOrder order) {
  const bool second = order == AxisOrder::HeadsThird;
  const bool first =
      order == AxisOrder::TokensFirst || order == AxisOrder::HeadWeights || order == AxisOrder::TimeFirst;
  NamedArray result = second ? swapped(array, 1) : first ? swapped(array, 0) : array;
  result.shape = ordered_shape(array.shape, order);
  return result;
}

Index heads_in_weights(const std::vector<Index>& shape, AxisOrder order) {
  if (order == AxisOrder::HeadWeights || order == AxisOrder::HeadRows) return shape[0];
  return order == AxisOrder::HeadColumns ? shape[1] : 0;
}

}  // namespace headlight
