// A matrix as text, as it travels over the clipboard to and from spreadsheets, NumPy and PyTorch.
#pragma once

#include <string>

#include "engine/core/matrix.h"

namespace headlight {

// Reads rows of numbers separated by tabs, semicolons, commas or blanks, or a print-out in brackets as NumPy
// and PyTorch write it: [[0.43, 0.15], [0.55, 0.87]], [[0.43 0.15]\n [0.55 0.87]], array([...],
// dtype=float32), tensor([[...]], grad_fn=<...>). Rows without brackets are cut into fields as
// delimited_text.h has it. One bracket alone is one row. A comma is never a decimal point. Throws Error that
// says where in the text (line, or row and column) and what: rows of unequal length, an empty cell, what is
// no finite float32, brackets nested three deep, a print-out that leaves numbers out. What is too small for
// float32 becomes 0.
Matrix parse_table_text(const std::string& text);

// Every number as the shortest text that reads back as the same float32.
std::string tsv_text(const MatrixRef& matrix);    // rows end with a line feed, as spreadsheets have it
std::string numpy_text(const MatrixRef& matrix);  // np.array([[0.43, 0.15], ...], dtype=np.float32)
std::string torch_text(const MatrixRef& matrix);  // torch.tensor([[0.43, 0.15], ...])

}  // namespace headlight
