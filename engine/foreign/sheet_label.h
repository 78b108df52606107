// Labels in tables of text that a spreadsheet may open: none of them is run there.
#pragma once

#include <string>

namespace headlight {

// A label that begins with = + - @, a tab or a carriage return, and is no number, with an apostrophe in front
// of it: spreadsheets take what begins so for a formula, in quotation marks too. So has one that begins with
// apostrophes and then so: label_of_sheet takes one away again.
std::string sheet_label(const std::string& label);
std::string label_of_sheet(const std::string& text);

}  // namespace headlight
