// How people are told of tokens and heads: one way for the window, figures and the terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/counting.h"

namespace headlight {

// A label as one visible line: "⏎" for a line break, "⇥" for a tab, "·" for each blank at an end, "U+0007"
// for another control character and "U+202E" for one that turns the order of letters round or is not seen, as
// visible_text has it. A long one is shortened in its middle.
std::string visible_label(const std::string& label);

// A token that is named alone: its label and its position among `labels`, "to (7)". Without a label of its
// own the position stands alone: "(7)".
std::string token_name(std::span<const std::string> labels, Index at, Counting counting);

std::string head_name(Index head, Counting counting);                        // "head 0"
std::string heads_name(const std::vector<Index>& heads, Counting counting);  // "heads 0, 2"

}  // namespace headlight
