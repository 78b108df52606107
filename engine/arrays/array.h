// A named n-dimensional float32 array of a .npy, .npz or .safetensors file, and the description of one that
// is available before its values are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/matrix.h"

namespace headlight {

struct NamedArray {
  std::string name;
  std::vector<Index> shape;             // row-major (C order)
  std::vector<float> values;            // as many as the product of shape
  std::vector<std::string> texts = {};  // of an array of text, in UTF-8; `values` is empty then
};

struct ArrayEntry {
  std::string name;  // the file's name without its extension if the file names no arrays
  std::vector<Index> shape;
  std::string type;         // as the file writes it: "F32", "<f4"; "text" for a table
  std::uint64_t bytes = 0;  // of the values in the file; of packed values, their unpacked size
  std::vector<std::string> row_labels, column_labels;  // of a table with labels
  // Why the array cannot be read; empty if it can. Facts that are not known are left empty above.
  std::optional<Error> problem;
  bool text = false;           // text (NumPy's U and S) instead of numbers
  std::string scaled_by = {};  // of weights stored as whole numbers: the array of their scales; "": none
};

// The limit for one array, in bytes of its file and in bytes of float32, so that a damaged or hostile header
// cannot demand more.
inline constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{1} << 30;

// "2 x 3", "6", or "a single number" for an empty shape.
std::string shape_text(const std::vector<Index>& shape);

}  // namespace headlight
