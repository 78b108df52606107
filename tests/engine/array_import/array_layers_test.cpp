#include "engine/array_import/array_layers.h"

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

ArrayEntry entry(const std::string& name, std::vector<Index> shape) {
  ArrayEntry result;
  result.name = name;
  result.shape = std::move(shape);
  return result;
}

}  // namespace

TEST_CASE("array layers: one axis counts layers, where the name and the shape leave no better reading") {
  CHECK(layers_likely("saved", {12, 12, 96, 96}));
  CHECK(layers_likely("attentions", {12, 12, 96, 96}));
  CHECK_FALSE(layers_likely("attn_weights", {12, 12, 96, 96}));
  CHECK_FALSE(layers_likely("saved", {1, 12, 96, 96}));
  CHECK_FALSE(layers_likely("attentions", {12, 96, 96}));
  const NamedArray all{"a", {2, 1, 1, 2}, {1, 2, 3, 4}};
  CHECK(layer_slice(all, 1).values == std::vector<float>{3, 4});
  CHECK(layer_slice(all, 1).shape == std::vector<Index>{1, 1, 2});
  check_error([&] { layer_slice(all, 2); }, "no layer 2", "a", "2 x 1 x 1 x 2");
  const auto layers = layers_of({entry("a", {12, 2, 3, 3})}, {0}, 0, true);
  REQUIRE(layers.size() == 12);
  CHECK(layers[11].slice == 11);
}

TEST_CASE("array layers: names tell the layers that have all arrays of the chosen one, in order") {
  const std::vector<ArrayEntry> entries = {
      entry("h.10.q_proj.weight", {4, 4}), entry("h.2.q_proj.weight", {4, 4}),
      entry("h.3.q_proj.weight", {8, 4}), entry("hidden_states", {5, 4})};
  const auto layers = layers_of(entries, {1, 3}, std::nullopt, false);
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].label == "h.2");
  CHECK(layers[1].names == std::vector<std::string>{"h.10.q_proj.weight", "hidden_states"});
}

TEST_CASE("array layers: saved attention of one layer after the other") {
  const std::vector<ArrayEntry> entries = {entry("arr_0", {1, 2, 3, 3}), entry("arr_1", {1, 2, 3, 3}),
                                           entry("ids", {3})};
  CHECK(layers_of(entries, {1}, std::nullopt, true).size() == 2);
  CHECK(layers_of(entries, {1}, std::nullopt, false).empty());
}
