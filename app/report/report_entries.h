// The entries of a report that do not come from a picture on screen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/report/report.h"
#include "engine/analysis/analysis.h"
#include "engine/interpretation/open_model.h"

namespace headlight {

// The table of the model's changes (engine/analysis/changes_table.h), with its model and text. Throws Error
// as changes_table().
ReportEntry changes_entry(const OpenModel& work, std::optional<std::int32_t> target);

// "gpt2 · The cat sat · 2 changes: layer 3, head 5 switched off, ...".
std::string model_in_words(const OpenModel& work);

// What an answer is of, with its notes: "gpt2 · mean over the 20 rows of pairs.tsv · ...". The open text is
// named only where the numbers are about it.
std::string answer_caption(const OpenModel& work, const Analysis& analysis,
                           const std::vector<std::string>& notes);

}  // namespace headlight
