// Weights as they are stored in a file.
#pragma once

#include <cstddef>

namespace headlight {

// How a number is stored: float32, its upper half, or IEEE half precision.
enum class StoredType { F32, BF16, F16 };

// The right factor of a product, inputs x outputs, as it lies in memory at any address.
struct StoredFactor {
  const char* data = nullptr;
  StoredType type = StoredType::F32;
  std::ptrdiff_t stride = 0;  // numbers from one row to the next
  bool transposed = false;    // one row per output, else one per input
  std::ptrdiff_t inputs = 0, outputs = 0;
};
// The outputs from `first` on.
StoredFactor outputs_of(const StoredFactor& w, std::ptrdiff_t first, std::ptrdiff_t count);

std::ptrdiff_t stored_bytes(StoredType type);  // of one number

// So many rows of a left factor are multiplied without packing either factor.
inline constexpr std::ptrdiff_t kMostFewRows = 3;

}  // namespace headlight
