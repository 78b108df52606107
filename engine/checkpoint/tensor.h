// A tensor in a memory-mapped file; its numbers are widened to float32 where they are needed.
//
// A file may store a matrix in another order than the one its model's library has: transposed, or with its
// rows in another order. `shape` and the numbers that widen() returns are those of the library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/mapped_file.h"
#include "engine/core/matrix.h"

namespace headlight {

// The types from Q8_0 on store blocks of numbers that share a scale (quantized_blocks.h).
enum class TensorType { F32, F16, BF16, Q8_0, Q4_0, Q4_K, Q6_K };
const char* type_name(TensorType type);
// How many numbers lie in one block, and the bytes of a block; one number for the types without blocks.
Index block_numbers(TensorType type);
std::uint64_t block_bytes(TensorType type);

// Where the rows of a matrix are stored. The rows are seen as an array of outer x a x b x inner; in the file
// a and b are exchanged. The default is the order of the matrix itself.
struct RowOrder {
  Index a = 1, b = 1, inner = 1;
  bool is_plain() const { return a == 1 || b == 1; }
  Index stored(Index row) const {
    const Index within = row / inner % (a * b), outer = row / inner / (a * b);
    return (outer * a * b + within % b * a + within / b) * inner + row % inner;
  }
};

struct Tensor {
  std::string name;
  std::vector<Index> shape;  // one or two axes; row-major
  TensorType type = TensorType::F32;
  std::string_view bytes;            // little-endian, unaligned; valid while their file is mapped
  const MappedFile* file = nullptr;  // that holds the bytes; null: memory of the caller
  bool turned = false;               // the bytes are those of the transposed matrix
  RowOrder order = {};               // of a tensor that is not turned

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
// widen() in the order in which the matrix is stored; if it is turned: columns() x rows(), row-major.
void widen_stored(const Tensor& tensor, Index first, Index count, float* to);
// The numbers of widen_stored() in place if they are aligned float32; else null.
const float* as_floats(const Tensor& tensor);

}  // namespace headlight
