// Operations on "lines": the tokens and dimensions that rows and columns of the inputs stand for. A row of
// embeddings is a token; a column of them is a dimension shared with the rows of W_query, W_key and W_value;
// a column of those is an output dimension, which the heads share out. A change of lines is applied to every
// matrix that has them, so that the layer stays valid.
#pragma once

#include <optional>
#include <string>

#include "engine/layer/edit.h"

namespace headlight {

enum class LineKind {
  Token,   // Tq: rows of embeddings; in self-attention also both sides of masks
  Key,     // Tk: the tokens attended to, in cross-attention
  Input,   // d_in: columns of embeddings, the inner side of W_query, W_key and W_value
  Output,  // d_out: the outer side of those, biases, both sides of W_out
};
enum class LineChange { Insert, Duplicate, Remove, Move };

// `count` lines from `at` on. Insert adds blank lines before `at`, which may be the end; Duplicate adds
// copies after the lines; Move moves them so that the first has index `to`.
struct LinesEdit {
  LineKind kind = LineKind::Token;
  LineChange change = LineChange::Insert;
  Index at = 0, count = 1, to = 0;
};

// The kind of lines that an input's rows and columns are; none for axes that are no lines (a bias's row).
std::optional<LineKind> row_kind(const Layer& layer, const InputId& input);
std::optional<LineKind> column_kind(const Layer& layer, const InputId& input);
Index line_count(const Layer& layer, LineKind kind);

// Why the change is not possible, as a sentence without a full stop; "" if it is possible.
std::string why_not(const Layer& layer, const LinesEdit& edit);

// Blank lines are zeros: a blank dimension changes no result except through the scale. A blank token is named
// "new" and may attend to and be attended to by all tokens. Throws Error, before anything has changed, if
// why_not returns a reason.
void change_lines(Layer& layer, const LinesEdit& edit);

// Single tokens, by position from 0. They throw Error as change_lines does.
// Inserts a token before position `at` (0..T) in every sequence. If `copy` is set, its embedding is that of
// the token before it, or after it if `at` is 0.
void insert_token(Layer& layer, Index at, const std::string& label, bool copy);
void remove_token(Layer& layer, Index at);  // the last token cannot be removed
void move_token(Layer& layer, Index from, Index to);

// Writes a block that may exceed the matrix, which then grows by blank lines at its end. Throws Error if it
// cannot grow that far; the layer is then unchanged.
void write_growing(Layer& layer, const InputId& input, Index row, Index column, const Matrix& values);
// Why an input cannot grow to at least that many rows and columns; "" if it can.
std::string growth_obstacle(const Layer& layer, const InputId& input, Index rows, Index columns);

}  // namespace headlight
