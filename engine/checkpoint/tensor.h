// A tensor of a file that is mapped, not read: its numbers are widened to float32 where they are needed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

enum class TensorType { F32, F16, BF16 };
const char* type_name(TensorType type);

struct Tensor {
  std::string name;
  std::vector<Index> shape;  // of one or two axes; row-major
  TensorType type = TensorType::F32;
  std::string_view bytes;  // little-endian, of no alignment; alive as long as their file is mapped

  Index rows() const { return shape.size() < 2 ? 1 : shape[0]; }
  Index columns() const { return shape.empty() ? 1 : shape.back(); }
};

// to = `count` numbers from number `first` on, counted row by row. Preconditions: they are there.
void widen(const Tensor& tensor, Index first, Index count, float* to);
// The numbers themselves where they stand as float32 does, at an address that suits it; else null.
const float* as_floats(const Tensor& tensor);

}  // namespace headlight
