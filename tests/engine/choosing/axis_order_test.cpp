#include "engine/array_import/axis_order.h"

#include <numeric>

#include "engine/array_import/fused_widths.h"
#include "engine/array_import/given_order.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

NamedArray counted_array(std::vector<Index> shape) {
  NamedArray array{"a", std::move(shape), {}};
  Index count = 1;
  for (const Index size : array.shape)
    count *= size;
  array.values.resize(static_cast<std::size_t>(count));
  std::iota(array.values.begin(), array.values.end(), 0.0f);
  return array;
}

using Orders = std::vector<AxisOrder>;

Orders orders_of(std::vector<Index> query, std::vector<Index> key, const KnownSizes& known = {}) {
  return possible_orders({query, key, key}, known);
}

}  // namespace

TEST_CASE("axis order: each becomes the axes that the model takes, number by number") {
  const NamedArray third = ordered(counted_array({2, 3, 4, 5}), AxisOrder::HeadsThird);
  CHECK(third.shape == std::vector<Index>{2, 4, 3, 5});
  CHECK(third.values[static_cast<std::size_t>(((1 * 4 + 2) * 3 + 1) * 5 + 3)] ==
        ((1 * 3 + 1) * 4 + 2) * 5 + 3);
  const NamedArray tokens = ordered(counted_array({3, 4, 5}), AxisOrder::TokensFirst);
  CHECK(tokens.shape == std::vector<Index>{1, 4, 3, 5});
  CHECK(tokens.values[static_cast<std::size_t>((2 * 3 + 1) * 5 + 3)] == (1 * 4 + 2) * 5 + 3);
  const NamedArray weights = ordered(counted_array({2, 6, 3}), AxisOrder::HeadWeights);
  CHECK(weights.shape == std::vector<Index>{6, 6});
  CHECK(weights.values[static_cast<std::size_t>(4 * 6 + 1 * 3 + 2)] == (1 * 6 + 4) * 3 + 2);
  CHECK(ordered(counted_array({6, 2, 3}), AxisOrder::HeadColumns).values == counted_array({36}).values);
  CHECK(ordered(counted_array({2, 3, 6}), AxisOrder::HeadRows).shape == std::vector<Index>{6, 6});
  CHECK(ordered(counted_array({2, 3}), AxisOrder::HeadRows).shape == std::vector<Index>{6});
  CHECK(ordered_shape({2, 5, 5}, AxisOrder::Sequences) == std::vector<Index>{2, 1, 5, 5});
  CHECK(heads_in_weights({2, 6, 3}, AxisOrder::HeadWeights) == 2);
  CHECK(heads_in_weights({6, 2, 3}, AxisOrder::HeadColumns) == 2);
  CHECK(heads_in_weights({6, 6}, AxisOrder::AsIs) == 0);
}

TEST_CASE("given order: what goes together and agrees with what is known") {
  using Order = AxisOrder;
  CHECK(orders_of({1, 2, 5, 4}, {1, 2, 5, 4}) == Orders{Order::AsIs, Order::HeadsThird});
  CHECK(orders_of({1, 2, 5, 4}, {1, 2, 5, 4}, {{}, 5, {}, {}, {}}) == Orders{Order::AsIs});
  CHECK(orders_of({1, 2, 5, 4}, {1, 2, 5, 4}, {{}, {}, {}, 5, {}}) == Orders{Order::HeadsThird});
  // HeadsThird would mean one query head and six key heads, which is not possible.
  CHECK(orders_of({1, 2, 1, 4}, {1, 2, 6, 4}) == Orders{Order::AsIs});
  CHECK(orders_of({1, 3, 2, 4}, {1, 8, 2, 4}) == Orders{Order::HeadsThird});
  // An order that leaves a single key is not proposed.
  CHECK(orders_of({1, 1, 5, 4}, {1, 1, 5, 4}) == Orders{Order::AsIs});
  CHECK(orders_of({1, 5, 1, 4}, {1, 5, 1, 4}) == Orders{Order::HeadsThird});
  CHECK(orders_of({1, 5, 8}, {1, 5, 8}) == Orders{Order::AsIs});
  CHECK(orders_of({2, 5, 4}, {2, 5, 4}) == Orders{Order::AsIs, Order::HeadsFirst, Order::TokensFirst});
  CHECK(orders_of({2, 5, 4}, {2, 5, 4}, {2, {}, {}, {}, {}}) == Orders{Order::AsIs});
  CHECK(orders_of({2, 5, 4}, {2, 6, 3}).empty());
}

TEST_CASE("fused widths: by the heads, as three thirds, or with keys that are shared") {
  const auto widths = [](Index lines, Index d_in, const HeadCounts& known) {
    const auto found = fused_widths(lines, d_in, known);
    return found ? std::vector<Index>{found->query, found->key, found->ambiguous} : std::vector<Index>{};
  };
  using W = std::vector<Index>;
  CHECK(widths(24, 8, {}) == W{8, 8, 0});
  CHECK(widths(16, 8, {}) == W{8, 4, 0});
  CHECK(widths(16, 8, {4, 2, {}}) == W{8, 4, 0});
  CHECK(widths(16, 8, {4, {}, {}}) == W{8, 4, 0});
  CHECK(widths(12, 8, {}) == W{4, 4, 1});
  CHECK(widths(12, 8, {4, 1, {}}) == W{8, 2, 0});
  CHECK(widths(12, 8, {4, 4, {}}) == W{4, 4, 0});
  CHECK(widths(40, 8, {2, {}, 10}) == W{20, 10, 0});
  CHECK(widths(15, 8, {}) == W{5, 5, 0});
  CHECK(widths(17, 8, {}).empty());
  CHECK(widths(24, 8, {5, {}, {}}).empty());
}
