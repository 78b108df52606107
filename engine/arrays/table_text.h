// A matrix as text, as exchanged over the clipboard with spreadsheets, NumPy and PyTorch.
#pragma once

#include <string>

#include "engine/core/matrix.h"

namespace headlight {

// Parses rows of numbers separated by tabs, semicolons, commas or blanks, or a print-out in brackets as NumPy
// and PyTorch write it: [[0.43, 0.15], [0.55, 0.87]], [[0.43 0.15]\n [0.55 0.87]], array([...],
// dtype=float32), tensor([[...]], grad_fn=<...>). Rows without brackets are split into fields as in
// delimited_text.h. A single bracket is one row. Between tabs and semicolons a comma may mark the decimals,
// as NumberMarks tells. Throws `Error` with the position in the text (line, or row and column) and the cause:
// rows of unequal length, an empty cell, a value that is not a finite float32, brackets nested three deep, a
// print-out that omits numbers. Values too small for float32 become 0.
Matrix parse_table_text(const std::string& text);

// Each number is the shortest text that parses to the same float32.
std::string tsv_text(const MatrixRef& matrix);    // rows end with a line feed, as in spreadsheets
std::string numpy_text(const MatrixRef& matrix);  // np.array([[0.43, 0.15], ...], dtype=np.float32)
std::string torch_text(const MatrixRef& matrix);  // torch.tensor([[0.43, 0.15], ...])

}  // namespace headlight
