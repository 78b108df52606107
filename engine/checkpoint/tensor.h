// A tensor of a file that is mapped, not read: its numbers are widened to float32 where they are needed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/mapped_file.h"
#include "engine/core/matrix.h"

namespace headlight {

enum class TensorType { F32, F16, BF16 };
const char* type_name(TensorType type);

struct Tensor {
  std::string name;
  std::vector<Index> shape;  // of one or two axes; row-major
  TensorType type = TensorType::F32;
  std::string_view bytes;            // little-endian, of no alignment; alive as long as their file is mapped
  const MappedFile* file = nullptr;  // that they lie in; null: memory of somebody's own

  Index rows() const { return shape.size() < 2 ? 1 : shape[0]; }
  Index columns() const { return shape.empty() ? 1 : shape.back(); }
};

// to = `count` numbers from number `first` on, counted row by row. Preconditions: they are there. Throws
// Error when their file has changed.
void read_numbers(const Tensor& tensor, Index first, Index count, float* to);

// For those who read numbers in many pieces. Whoever has read by widen() or as_floats() asks
// require_unchanged() before anything is made of the numbers: of a file that was changed they are not the
// tensor's. It throws Error then; see MappedFile.
void require_unchanged(const Tensor& tensor);
void widen(const Tensor& tensor, Index first, Index count, float* to);
// The numbers themselves where they stand as float32 does, at an address that suits it; else null.
const float* as_floats(const Tensor& tensor);

}  // namespace headlight
