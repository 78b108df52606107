// An n-dimensional float32 array with a name, as .npy, .npz and .safetensors hold them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

struct NamedArray {
  std::string name;
  std::vector<Index> shape;   // row-major (C order)
  std::vector<float> values;  // as many as the product of shape
};

// The largest array that is read, in bytes of its file: a damaged or hostile header cannot ask for more.
inline constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{1} << 30;

// "2 x 3", "6", or "a single number" for an empty shape.
std::string shape_text(const std::vector<Index>& shape);

}  // namespace headlight
