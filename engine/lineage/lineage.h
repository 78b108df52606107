// Which of the lines that a model began with its lines are now: tokens, dimensions and sequences come, go and
// move, and what looks back on an earlier state must find the same ones there.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// For each line its place when the model was opened; kNewLine: it was not there. Empty: each stands where it
// stood.
using Origins = std::vector<Index>;
inline constexpr Index kNewLine = -1;

// Not saved: a session that is opened begins anew.
struct Lineage {
  Origins tokens;     // Tq; where queries and keys are of one list of tokens, of both
  Origins keys;       // Tk, where the tokens attended to are others
  Origins inputs;     // d_in
  Origins outputs;    // d_out
  Origins sequences;  // B
};

// So many lines that were not there.
Origins new_lines(Index count);
// Follows a change of `count` lines. sources: for each line that there is then the one it comes from;
// kNewLine: none. Of lines with one source the first is the line itself, the others are copies.
void follow_lines(Origins& origins, const std::vector<Index>& sources, Index count);
// Lines that go at the end, or come there.
void resize_lines(Origins& origins, Index count);

// The lines of one kind in one state of a model.
struct TrackedLines {
  const Origins& origins;
  Index count = 0;
};
// The line of another state that is the line `line` of this one; none where there is no such line, in this
// state or in the other.
std::optional<Index> same_line(const TrackedLines& here, Index line, const TrackedLines& there);

}  // namespace headlight
