// Regular expressions in Oniguruma's dialect, which the Rust library `tokenizers` uses, rewritten for PCRE2.
#pragma once

#include <string>

namespace headlight {

// Rewrites properties, \s \w \d \h \b and their opposites, sets within sets, &&, [:names:], \uHHHH, {,n} and
// (?m); the members of properties are those of Unicode 16. Throws `Error` at `place` for what would silently
// mean something else: {n,m}+, and an unknown property within a set that has sets in it.
std::string pcre_expression(const std::string& text, const std::string& place);

}  // namespace headlight
