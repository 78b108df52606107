// Options of a figure as words: as they are typed on the command line and kept in the settings.
#pragma once

#include <optional>
#include <string>

#include "app/export/figure_options.h"

namespace headlight {

// A number that takes all of the text; none otherwise.
std::optional<double> number_in(const std::string& text);

// "89mm", "3.5in", "1200px" or "1200".
std::optional<Length> length_in(const std::string& text);
std::string length_text(const Length& length);  // which length_in reads back
std::string_view unit_name(LengthUnit unit);    // "mm"

// "whole", "robust", "symmetric", "log" or "0:0.5". False, and nothing is changed, where it is none of them.
bool read_range(const std::string& text, StageColors& colors);
std::string range_text(const StageColors& colors);

// "auto", "on", "off".
std::string grid_lines_text(GridLines lines);
GridLines grid_lines_in(const std::string& text);  // anything else is auto

}  // namespace headlight
