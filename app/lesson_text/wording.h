// What a lesson may not say: a number that is typed, and words that compare without a condition behind them.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace headlight {

// Numbers in digits and in words.
const std::regex& number_words();

// The faults of a text, which is read as it is written: "a bare number, 0.1538: It is 0.1538." What compares
// needs a condition or a reference beside it that does so too.
std::vector<std::string> wording_faults(const std::string& text);

}  // namespace headlight
