// The displayed names of tokens and heads, the same in the window, in figures and in the terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/views/query.h"

namespace headlight {

// A label as one visible line: "⏎" for a line break, "⇥" for a tab, "·" for each blank at an end, "U+0007"
// for another control character and "U+202E" for one that reverses the order of letters or is invisible
// (visible_text). A label of more than 256 bytes is shortened in its middle.
std::string visible_label(const std::string& label);

// A token's label as a word of a sentence: visible_label without the blank that most tokens begin with.
std::string spoken_label(const std::string& label);

// A single token: its spoken_label and its position among `labels`, "to (7)"; without a label only "(7)".
std::string token_name(std::span<const std::string> labels, Index at, Counting counting);

std::string head_name(Index head, Counting counting);                        // "head 0"
std::string heads_name(const std::vector<Index>& heads, Counting counting);  // "heads 0, 2"
// A name of heads and MLPs as files and the command line have it, in the numbers that are shown: where these
// begin at 1, "L2 H3" becomes "L3 H4", and "L2 MLP" "L3 MLP". Other words stay.
std::string spoken_heads(const std::string& name, Counting counting);
// "head 0", or "mean of all heads".
std::string matrix_name(const TileRequest& request, Counting counting);
// "weights", or "weights × |value|".
std::string tile_name(const TileRequest& request);
// What a figure shows, in words: "Attention weights", "Attention weights × |value|", "Scaled scores".
std::string figure_title(const TileRequest& request);

}  // namespace headlight
