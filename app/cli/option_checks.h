// What the command line asks of what is typed behind an option.
#pragma once

#include <functional>
#include <string>

namespace headlight {

// For CLI11: "" where the text is good, else what is wrong with it.
using OptionCheck = std::function<std::string(const std::string&)>;

// A number within these bounds, which are whole or have one decimal. "nan", "inf" and text behind the number
// are refused.
OptionCheck number_between(double least, double most);
// The name of a file or a folder.
OptionCheck file_name();

}  // namespace headlight
