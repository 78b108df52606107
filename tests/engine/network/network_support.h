// Opens the tiny models of tests/golden/models and reads their expected arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/arrays/catalog.h"
#include "engine/network/network_pass.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

namespace headlight_test {

// The largest effect of the order of float32 additions on a tiny model's residual stream and logits, whose
// numbers have magnitudes of some tens. The order depends on the processor; the effect grows with the layers.
inline constexpr float kRounding = 1e-4f;

inline constexpr std::array kNetworks = {"gpt2",  "gpt_neox", "llama",  "llama3", "mistral",
                                         "qwen2", "qwen3",    "gemma2", "bert"};

inline std::string model_folder(const std::string& family) {
  return source_root() + "/tests/golden/models/" + family;
}

inline std::shared_ptr<const headlight::Network> open_model(const std::string& family) {
  return std::make_shared<const headlight::Network>(model_folder(family));
}

inline headlight::NamedArray golden_array(const std::string& family, const std::string& name) {
  return headlight::read_array(model_folder(family) + "/golden.npz", name);
}

inline std::vector<std::int32_t> golden_ids(const std::string& family) {
  const headlight::NamedArray ids = golden_array(family, "ids");
  return {ids.values.begin(), ids.values.end()};
}

inline headlight::NetworkPass golden_pass(const std::string& family) {
  headlight::NetworkPass pass(open_model(family));
  pass.set_ids(golden_ids(family));
  return pass;
}

// A pass over a text of the same length with some other tokens.
inline headlight::NetworkPass pass_of_other_text(const std::string& family) {
  std::vector<std::int32_t> ids = golden_ids(family);
  std::swap(ids[2], ids[5]);
  ids[7] = ids[1];
  headlight::NetworkPass pass(open_model(family));
  pass.set_ids(ids);
  return pass;
}

// Infinity if the shapes differ or only one of two cells is NaN. Equal infinities count as equal.
inline float largest_difference(const headlight::MatrixRef& a, const headlight::MatrixRef& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<float>::infinity();
  float largest = 0;
  for (headlight::Index row = 0; row < a.rows(); ++row)
    for (headlight::Index column = 0; column < a.cols(); ++column) {
      const float one = a(row, column), other = b(row, column);
      if (one == other || (std::isnan(one) && std::isnan(other))) continue;
      const float apart = std::abs(one - other);
      largest = std::isnan(apart) ? std::numeric_limits<float>::infinity() : std::max(largest, apart);
    }
  return largest;
}

// Matrix `number` of an array whose last two axes are rows and columns.
inline headlight::Matrix golden_matrix(const headlight::NamedArray& array, headlight::Index number = 0) {
  const std::size_t axes = array.shape.size();
  const headlight::Index rows = array.shape[axes - 2], columns = array.shape[axes - 1];
  return Eigen::Map<const headlight::Matrix>(array.values.data() + number * rows * columns, rows, columns);
}

}  // namespace headlight_test
