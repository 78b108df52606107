// The data set of the open model as the panels see it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/analysis.h"
#include "engine/core/error.h"

namespace headlight {

// The rows of a data set's file, and the number of each row's target in its text.
struct ReadSet {
  std::shared_ptr<const DataSet> all;          // null: it could not be read
  std::vector<std::optional<double>> metrics;  // of each row; empty: none could be computed
  Metric metric = Metric::Logit;               // which number they are
  std::optional<Error> failure;                // of the file, or of the numbers
};

// The token of a row that was opened, and the one against it.
struct RowTarget {
  std::optional<std::int32_t> target, against;
  bool operator==(const RowTarget&) const = default;
};

struct DataSetView {
  // Written by the program.
  std::shared_ptr<const ReadSet> read;  // null: none is open, or it is not read yet
  std::shared_ptr<const DataSet> rows;  // those that are on; null: none are
  bool reading = false;                 // the file, or its numbers

  // Set by the panels.
  std::optional<Metric>
      metric;           // none: the difference of two logits where there is a token against, else the logit
  bool asks = true;     // whether *Questions* are asked of the set
  bool folded = false;  // whether its table is one line
  std::optional<RowTarget> opened;        // of the last row that became the open text
  std::optional<std::size_t> opened_row;  // of read->all: which row that is
};

}  // namespace headlight
