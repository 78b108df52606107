// A tensor in a memory-mapped file; its numbers are widened to float32 where they are needed.
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
  std::vector<Index> shape;  // one or two axes; row-major
  TensorType type = TensorType::F32;
  std::string_view bytes;            // little-endian, unaligned; valid while their file is mapped
  const MappedFile* file = nullptr;  // that holds the bytes; null: memory of the caller

  Index rows() const { return shape.size() < 2 ? 1 : shape[0]; }
  Index columns() const { return shape.empty() ? 1 : shape.back(); }
};

// Writes `count` numbers from number `first` on, in row-major order, to `to`. Precondition: they exist.
// Throws Error if their file has changed.
void read_numbers(const Tensor& tensor, Index first, Index count, float* to);

// For reading in many pieces: after widen() or as_floats(), call require_unchanged() before using the
// numbers, because those of a changed file are not the tensor's. It throws Error then; see MappedFile.
void require_unchanged(const Tensor& tensor);
void widen(const Tensor& tensor, Index first, Index count, float* to);
// The numbers in place if they are aligned float32; else null.
const float* as_floats(const Tensor& tensor);

}  // namespace headlight
