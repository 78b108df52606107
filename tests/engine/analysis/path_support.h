// The model of tests/golden/paths, its two texts, and what a program in NumPy computes of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/text_set.h"
#include "engine/arrays/catalog.h"
#include "engine/network/network_pass.h"
#include "tests/engine/network/network_support.h"

namespace headlight_test {

inline const std::string& paths_folder() {
  static const std::string folder = source_root() + "/tests/golden/paths";
  return folder;
}

inline headlight::NamedArray expected_array(const std::string& name) {
  return headlight::read_array(paths_folder() + "/expected.npz", name);
}

inline headlight::Matrix expected_matrix(const std::string& name) {
  return golden_matrix(expected_array(name));
}

inline headlight::TokenIds expected_ids(const std::string& name) {
  const headlight::NamedArray ids = expected_array(name);
  return {ids.values.begin(), ids.values.end()};
}

// text: "clean" or "other".
inline headlight::NetworkPass paths_pass(const std::string& text) {
  headlight::NetworkPass pass(std::make_shared<const headlight::Network>(paths_folder()));
  pass.set_ids(expected_ids(text));
  return pass;
}

// The largest difference, over the largest expected number.
inline float relative_error(const headlight::Matrix& found, const headlight::Matrix& expected) {
  float largest = 0;
  for (headlight::Index i = 0; i < expected.size(); ++i)
    if (std::isfinite(expected.data()[i])) largest = std::max(largest, std::abs(expected.data()[i]));
  return largest_difference(found, expected) / largest;
}

// Of the largest number of an array, for float32 against float64.
inline constexpr float kPathError = 1e-5f;

}  // namespace headlight_test
