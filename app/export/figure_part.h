// A part of a matrix as it is typed: some of its rows and columns, by their numbers or by their tokens.
#pragma once

#include <string>
#include <vector>

#include "engine/model/stage.h"

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

// Reads one of these, `tokens` being those of the `count` rows or columns; without any, numbers alone are
// read.
//   ""         all
//   29:69      from 29 to 68, counted from 0; 29: and :69 are open, and negative numbers count from the end,
//              as Python's slices do, which also cut off what lies beyond the end
//   29         one
//   Your       the token of this text
//   Your:one   from the first token to the second, both included; either may be left out or be a number
//   "29"       text in quotes is a token, whatever stands in it
// A text that no token has may leave out the blank (or Ġ or ▁) before a token. Throws Error, with `where` in
// it, when nothing is left, there is no such token, or there are several.
IndexRange read_part(const std::string& text, Index count, const std::vector<std::string>& tokens,
                     const std::string& where);

// The rows and columns of a stage that these texts choose. Columns are keys or dimensions, whichever the
// stage has.
FigurePart read_part(const std::string& rows, const std::string& columns, const Model& model, Stage stage);

// "-rows29-69-columnsYour": what file names say of a part.
std::string part_name(const std::string& rows, const std::string& columns);

}  // namespace headlight
