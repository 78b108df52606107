// Maps each token, dimension and sequence ("line") of a changed model to the line of the initial model it
// comes from, so that comparisons with an earlier state can match lines that were inserted, removed or moved.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// For each line its index when the model was opened, or kNewLine if it did not exist. Empty: the identity.
using Origins = std::vector<Index>;
inline constexpr Index kNewLine = -1;

// Not saved: opening a session starts with the identity.
struct Lineage {
  Origins tokens;     // Tq; in self-attention also the keys
  Origins keys;       // Tk, in cross-attention
  Origins inputs;     // d_in
  Origins outputs;    // d_out
  Origins sequences;  // B
};

// `count` lines that are all new.
Origins new_lines(Index count);
// Applies a change to `count` lines. sources: for each line after the change its index before, or kNewLine.
// Of several lines with one source, the first is the original and the others are copies, counted as new.
void follow_lines(Origins& origins, const std::vector<Index>& sources, Index count);
// Removes or adds new lines at the end.
void resize_lines(Origins& origins, Index count);

// The lines of one kind in one state of a model.
struct TrackedLines {
  const Origins& origins;
  Index count = 0;
};
// The index in `there` of the line `line` of `here`; none if the line is missing in one of the two.
std::optional<Index> same_line(const TrackedLines& here, Index line, const TrackedLines& there);

}  // namespace headlight
