// What Python reads: literals, names in quotes, comments, arrays of numbers.
#pragma once

#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// An array that a program loads in place of having its numbers written out. Row-major.
struct ProgramArray {
  std::string name;
  std::vector<Index> shape;
  std::vector<float> values;
};

std::string python_number(Index value);
std::string python_number(double value);
// "-np.inf" of minus infinity; `library`: "np" or "torch".
std::string python_number(float value, const std::string& library);
// "[1, 2]"
std::string python_list(const std::vector<Index>& values);
std::string python_list(const std::vector<double>& values);
// A literal of Python. It does not run with a NUL in it, and takes a carriage return for the end of a line.
std::string python_quoted(const std::string& text);
std::string python_quoted(const std::vector<std::string>& texts);  // a list of them
// The first line of a title, as a comment.
std::string python_comment(const std::string& title);

// The matrices, all of one shape, as nested lists: below the dimensions `leading`, whose product is their
// number. Lines after the first one begin with so many blanks.
std::string python_rows(const std::vector<const Matrix*>& matrices, const std::vector<Index>& leading,
                        std::size_t indent, const std::string& library);

}  // namespace headlight
