// Rows and columns of the inputs as what they stand for. A row of embeddings is a token; a column of them is
// a dimension that the weights' rows share; a column of the weights is a dimension of the output that heads
// share out. A change of lines reaches every matrix that has them, so that the model stays valid.
#pragma once

#include <optional>
#include <string>

#include "engine/model/edit.h"

namespace headlight {

enum class LineKind {
  Token,   // Tq: rows of embeddings; where queries and keys are of one list of tokens, both sides of masks
  Key,     // Tk: the tokens attended to, where they are others
  Input,   // d_in: columns of embeddings, the inner side of W_query, W_key and W_value
  Output,  // d_out: their other side, biases, both sides of W_out
};
enum class LineChange { Insert, Duplicate, Remove, Move };

// `count` lines from `at` on. Insert puts blank ones before `at` (at may be the end); Duplicate puts copies
// behind the lines themselves; Move takes them to where the first of them then is at `to`.
struct LinesEdit {
  LineKind kind = LineKind::Token;
  LineChange change = LineChange::Insert;
  Index at = 0, count = 1, to = 0;
};

// What the rows and columns of an input are; a bias has one row that stands for nothing.
std::optional<LineKind> row_kind(const Model& model, const InputId& input);
std::optional<LineKind> column_kind(const Model& model, const InputId& input);
Index line_count(const Model& model, LineKind kind);

// Why the change is not possible, as a sentence without a full stop; "" when it is.
std::string why_not(const Model& model, const LinesEdit& edit);

// Blank lines are zeros: a blank dimension changes no result but the scale. A blank token is called "new" and
// may attend to and be attended to by all. Throws Error, before anything has changed, where why_not has a
// reason.
void change_lines(Model& model, const LinesEdit& edit);

// One token, named by its position from 0. Both throw Error as change_lines does.
// Inserts it before position `at` (0..T) in every sequence; its embedding copies that of the token before it
// (of the first, that of the token behind it) when `copy` is set.
void insert_token(Model& model, Index at, const std::string& label, bool copy);
void remove_token(Model& model, Index at);  // the last token cannot be removed
void move_token(Model& model, Index from, Index to);

// Writes a block that may reach beyond the matrix: it grows by blank lines at its end first. Throws Error and
// leaves the model as it was when it can't grow so far.
void write_growing(Model& model, const InputId& input, Index row, Index column, const Matrix& values);
// Why an input can't have at least so many rows and columns; "" when it can.
std::string why_not_grow(const Model& model, const InputId& input, Index rows, Index columns);

}  // namespace headlight
