// Labels as fields of a text table; a label that a spreadsheet would run is marked, see sheet_label.h.
#pragma once

#include <string>

namespace headlight {

// In quotation marks where it would be read otherwise.
std::string csv_field(const std::string& label);
// Tabs and line breaks as "\\t", "\\n", "\\r".
std::string tsv_field(const std::string& label);

}  // namespace headlight
