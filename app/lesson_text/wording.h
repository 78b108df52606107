// Checks the wording of a lesson: it contains no typed numbers, and no comparing words without a condition.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace headlight {

// Matches numbers in digits and in words.
const std::regex& number_words();

// The faults of an unparsed text: "a bare number, 0.1538: It is 0.1538." A comparing word requires a
// condition or a reference beside it that makes the same comparison.
std::vector<std::string> wording_faults(const std::string& text);

}  // namespace headlight
