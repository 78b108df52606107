// The measures of heads as a table for other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// Heads of one sequence, a row each.
struct HeadTable {
  std::string session;                // its title
  Index sequence = 0;                 // from 0
  std::vector<Index> heads;           // from 0
  std::vector<std::string> measures;  // names of the columns
  std::string picture;                // what likeness is of: "head 3", "mask"; "" where there is none
  std::vector<std::vector<std::optional<float>>> values;  // by head, then by measure
};

// A line of names, then one for each head. Numbers as the shortest text that reads back as the same float32;
// nothing where a head has none.
std::string head_csv(const HeadTable& table);
std::string head_tsv(const HeadTable& table);
// An object with session, sequence, picture (null without one) and heads: a list of objects with the head and
// each of its measures, null where it has none.
std::string head_json(const HeadTable& table);

}  // namespace headlight
