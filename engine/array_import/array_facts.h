// Facts about the values of an array that its name and shape do not show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/arrays/array.h"

namespace headlight {

// For numbers of pairs: the last two axes are queries and keys, and the last query is at the last key.
struct MaskFacts {
  bool zero_one = false;  // every number is 0 or 1
  // Not a mask of 0 and 1, but added to scores: some are negative, none is NaN or plus infinity.
  bool added = false;
  // Whether there is a 0, and a 1, among the keys before a query's position, at it, and after it.
  bool zero_before = false, one_before = false, zero_at = false, one_at = false;
  bool zero_behind = false, one_behind = false;
};

// For numbers of tokens along the last axis.
struct TokenFacts {
  bool whole = false;     // every number is whole and 0 or more
  bool straight = false;  // every one is by 1 more than the one before it
  bool several = false;   // they are not all the same
  float most = 0;
  // Of arrays of keys or lengths, of at most 1024 rows: where numbers other than 0 begin and end, and how
  // many there are. A row is along the last axis.
  struct Row {
    Index first = 0, end = 0, count = 0;
  };
  std::vector<Row> rows;
  std::vector<float> lengths;  // all numbers of an array of one axis, if there are at most 1024
  Index texts = 0;             // of bytes of text with a 0 between two; 0 if they are no bytes
};

struct ArrayFacts {
  std::optional<Error> unreadable;
  std::optional<Error> not_finite;  // number of NaN and infinite values, position of the first
  std::optional<Error> undefined;   // the same for NaN and plus infinity only
  // How its last two axes differ from attention weights; positions as in Python: "a[0, 2, 5]".
  std::string as_weights;
  MaskFacts mask;
  TokenFacts tokens;
  std::optional<double> single;  // the number, if there is only one
  std::size_t hash = 0;          // of all numbers
  // Every finite number lies between 0 and 1, rows without NaN sum to 1 or are all zero, and some sum to 1.
  bool weights = false;
  // Its last two axes could be what is left of weights: from 0 to 1, no row above 1 (with a sink, a column
  // left out, half precision), but some of it.
  bool part_of_weights = false;
  // Without negative numbers, and rows have zeros: what dropout let through.
  bool dropped_weights = false;
  // The difference of two maps of weights: numbers from -1 to 1, and all rows have the same sum.
  bool difference = false;
  // Columns sum to 1, and rows do not.
  bool by_columns = false;
  bool negative = false;  // some finite number is below 0
  bool positive = false;  // some number is above 0
  double mean_row = 0;    // the mean sum of the rows without NaN and infinity
};

// Cost: reads every value a few times.
ArrayFacts facts_of(const NamedArray& array);

}  // namespace headlight
