// The measures of heads as the bytes of a file.
#pragma once

#include <string>
#include <vector>

#include "app/figure/paint/file_format.h"
#include "engine/arrays/head_table.h"
#include "engine/views/head_measures.h"
#include "engine/views/query.h"

namespace headlight {

// Which head stands first: as they are numbered, or the one with the most or the least of a measure.
struct HeadOrder {
  std::optional<HeadMeasure> by;  // none: as they are numbered
  bool ascending = false;
};

// measures: one for each head, from the first on. Its rows have that order.
HeadTable ordered_table(const std::string& session_title, Index sequence, const HeadPicture& picture,
                        const std::vector<HeadMeasures>& measures, const HeadOrder& order);

bool is_head_format(FileFormat format);  // CSV, TSV and JSON
// Precondition: the format is one of these.
std::string head_bytes(const HeadTable& table, FileFormat format);

}  // namespace headlight
