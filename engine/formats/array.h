// An n-dimensional float32 array with a name, as .npy, .npz and .safetensors hold them.
#pragma once

#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

struct NamedArray {
  std::string name;
  std::vector<Index> shape;   // row-major (C order)
  std::vector<float> values;  // as many as the product of shape
};

}  // namespace headlight
