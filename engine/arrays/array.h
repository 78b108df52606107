// An n-dimensional float32 array with a name, as .npy, .npz and .safetensors hold them, and what a file says
// about one before its values are read.
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
  std::vector<std::string> texts = {};  // of an array of text, in UTF-8; it has no values then
};

struct ArrayEntry {
  std::string name;  // of an array that its file does not name: the file's name without its ending
  std::vector<Index> shape;
  std::string type;         // as the file writes it: "F32", "<f4"; "text" of a table
  std::uint64_t bytes = 0;  // of the values in the file; unpacked, if they are packed
  std::vector<std::string> row_labels, column_labels;  // of a table that has them
  // Why it cannot be read; none when it can. What could not be found out about it is left empty above.
  std::optional<Error> problem;
  bool text = false;  // it holds text (NumPy's U and S), and no numbers
};

// The largest array that is read, in bytes of its file and in bytes of float32: a damaged or hostile header
// cannot ask for more.
inline constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{1} << 30;

// "2 x 3", "6", or "a single number" for an empty shape.
std::string shape_text(const std::vector<Index>& shape);

}  // namespace headlight
