// A table of per-head measures, for export.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// Heads of one sequence, one row each.
struct HeadTable {
  std::string session;                // its title
  Index sequence = 0;                 // from 0
  std::vector<Index> heads;           // from 0
  std::vector<std::string> measures;  // names of the columns
  std::string picture;                // what `likeness` compares with: "head 3", "mask"; "" if absent
  std::vector<std::vector<std::optional<float>>> values;  // by head, then by measure
  std::string about = {};                                 // a JSON object for JSON and NPZ; "": none
};

// A line of names, then one line per head. Each number is the shortest text that parses to the same float32;
// a missing measure is an empty field.
std::string head_csv(const HeadTable& table);
std::string head_tsv(const HeadTable& table);
// An object with session, sequence, picture (null if empty) and heads: a list of objects with the head and
// each of its measures, null if missing; and `about`.
std::string head_json(const HeadTable& table);
// The arrays `measures` (heads x measures; NaN: missing), rows.measures and columns.measures (their names),
// and `about` as text.
std::string head_npz(const HeadTable& table);

}  // namespace headlight
