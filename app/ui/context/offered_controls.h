// Which controls panels draw: all, or while a lesson is read only those that each step needs and those that
// its text names. What is left out is in the menu "…" of its panel.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace headlight {

struct OfferedControls {
  bool few = false;
  std::vector<std::string_view> named;  // probe names, by the text of the shown step
  bool names(std::string_view control) const {
    return std::find(named.begin(), named.end(), control) != named.end();
  }
  // Whether a control that few readers need is drawn.
  bool shows(std::string_view control) const { return !few || names(control); }
};

}  // namespace headlight
