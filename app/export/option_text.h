// Figure options as text, for the command line and the settings.
#pragma once

#include <optional>
#include <string>

#include "app/export/figure_options.h"

namespace headlight {

// The number, if the whole text is one; else none.
std::optional<double> number_in(const std::string& text);

// "89mm", "8.9cm", "3.5in", "250pt", "1200px" or "1200".
std::optional<Length> length_in(const std::string& text);
std::string length_text(const Length& length);  // the inverse of length_in
std::string_view unit_name(LengthUnit unit);    // "mm"

// "whole", "robust", "symmetric", "log" or "0:0.5". Returns false and changes nothing for any other text.
bool read_range(const std::string& text, StageColors& colors);
std::string range_text(const StageColors& colors);

// "auto", "on", "off".
std::string grid_lines_text(GridLines lines);
GridLines grid_lines_in(const std::string& text);  // anything else is auto

}  // namespace headlight
