// Labels in text tables that a spreadsheet may open, escaped so that it does not run them as formulas.
#pragma once

#include <string>

namespace headlight {

// Prepends an apostrophe to a label that begins with = + - @, a tab or a carriage return and is not a number:
// spreadsheets read it as a formula, even in quotation marks. Also prepends one if such a prefix follows
// leading apostrophes, so that label_of_sheet can remove exactly one.
std::string sheet_label(const std::string& label);
std::string label_of_sheet(const std::string& text);

}  // namespace headlight
