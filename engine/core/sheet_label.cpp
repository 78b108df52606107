#include "engine/core/sheet_label.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/number_text.h"

namespace headlight {
namespace {

bool is_number(std::string_view text) {
  try {
    number_in(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Whether a spreadsheet may read the text after its leading apostrophes as a formula.
bool may_run(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  if (text.empty() || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos) return false;
  return !is_number(text);
}

}  // namespace

std::string sheet_label(const std::string& label) {
  return may_run(label) ? "'" + label : label;
}

std::string label_of_sheet(const std::string& text) {
  return text.starts_with('\'') && may_run(text) ? text.substr(1) : text;
}

}  // namespace headlight
