// Python source text: literals, quoted names, comments, arrays of numbers.
#pragma once

#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// An array that a program loads instead of holding its numbers as literals. Row-major.
struct ProgramArray {
  std::string name;
  std::vector<Index> shape;
  std::vector<float> values;
};

std::string python_number(Index value);
std::string python_number(double value);
// "-np.inf" for minus infinity; `library`: "np" or "torch".
std::string python_number(float value, const std::string& library);
// "[1, 2]"
std::string python_list(const std::vector<Index>& values);
std::string python_list(const std::vector<double>& values);
// A Python string literal. Escapes NUL, which Python rejects, and carriage return, which it reads as a line
// end.
std::string python_quoted(const std::string& text);
std::string python_quoted(const std::vector<std::string>& texts);  // a list of literals
// The first line of a title, as a comment.
std::string python_comment(const std::string& title);

// The matrices, all of one shape, as nested lists with the leading dimensions `leading`, whose product is the
// number of matrices. indent: the column in which the text starts, to align the lines after the first.
std::string python_rows(const std::vector<const Matrix*>& matrices, const std::vector<Index>& leading,
                        std::size_t indent, const std::string& library);

}  // namespace headlight
