// Sets of characters written for PCRE2: those of Unicode 16, whatever version PCRE2 has.
#pragma once

#include <string>

#include "engine/unicode/characters.h"

namespace headlight {

// The contents of brackets for the members: PCRE2's own name and what it lacks, or ranges.
std::string pcre_members(const CharacterProperty& property);
std::string pcre_ranges(const CharacterSet& set);

}  // namespace headlight
