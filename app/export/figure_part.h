// Parts of a matrix: ranges of rows and columns, typed as numbers or tokens.
#pragma once

#include <string>
#include <vector>

#include "engine/layer/stage.h"

namespace headlight {

struct IndexRange {
  Index begin = 0, end = 0;  // half open
  Index count() const { return end - begin; }
  bool contains(Index index) const { return index >= begin && index < end; }
  bool operator==(const IndexRange&) const = default;
};

struct FigurePart {
  IndexRange rows, columns;
  bool operator==(const FigurePart&) const = default;
};

// Parses a range of `count` rows or columns with these tokens; without tokens only numbers are allowed.
//   ""         all
//   29:69      from 29 to 68, counted from 0; 29: and :69 are open; as in Python's slices negative numbers
//              count from the end, and ends out of range are clamped
//   29         one
//   Your       the token of this text
//   Your:one   from the first token to the second, both included; either may be left out or be a number
//   "29"       text in quotes is a token, whatever it contains
// If no token has exactly the text, a blank (or Ġ or ▁) at the beginning of tokens is ignored. Throws Error,
// with `where` as the place, if the range is empty, there is no such token, or there are several.
IndexRange read_part(const std::string& text, Index count, const std::vector<std::string>& tokens,
                     const std::string& where);

// Parses the rows and columns of a stage. Columns are keys or dimensions, whichever the stage has.
FigurePart read_part(const std::string& rows, const std::string& columns, const Layer& layer, Stage stage);

// The part in a file name: "-rows29-69-columnsYour".
std::string part_name(const std::string& rows, const std::string& columns);

}  // namespace headlight
