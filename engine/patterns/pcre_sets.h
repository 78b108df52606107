// Sets of characters written for PCRE2, so that they are those of Unicode 16 whatever version PCRE2 is of.
#pragma once

#include <string>

#include "engine/unicode/characters.h"

namespace headlight {

// What stands within brackets for the members: PCRE2's own name and what it lacks, or ranges.
std::string pcre_members(const CharacterProperty& property);
std::string pcre_ranges(const CharacterSet& set);

}  // namespace headlight
