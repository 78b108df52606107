// The head measures as the bytes of a file.
#pragma once

#include <string>
#include <vector>

#include "app/figure/paint/file_format.h"
#include "engine/arrays/head_table.h"
#include "engine/views/head_measures.h"
#include "engine/views/query.h"

namespace headlight {

// The order of the heads: by number, or by a measure.
struct HeadOrder {
  std::optional<HeadMeasure> by;  // none: by number
  bool ascending = false;
};

// `measures`: one entry for each head, by number. The rows of the table are in `order`.
HeadTable ordered_table(const std::string& session_title, Index sequence, const HeadPicture& picture,
                        const std::vector<HeadMeasures>& measures, const HeadOrder& order);

bool is_head_format(FileFormat format);  // CSV, TSV, JSON and NPZ
// Precondition: is_head_format(format).
std::string head_bytes(const HeadTable& table, FileFormat format);

}  // namespace headlight
