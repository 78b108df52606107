// The entries of a report that do not come from a picture on screen.
#pragma once

#include <cstdint>
#include <optional>

#include "app/report/report.h"
#include "engine/interpretation/open_model.h"

namespace headlight {

// The table of the model's changes (engine/analysis/changes_table.h), with its model and text. Throws Error
// as changes_table().
ReportEntry changes_entry(const OpenModel& work, std::optional<std::int32_t> target);

// "gpt2 · The cat sat · 2 changes: layer 3, head 5 switched off, ...".
std::string model_in_words(const OpenModel& work);

}  // namespace headlight
