// Regular expressions as Oniguruma reads them, which the Rust library `tokenizers` uses, written for PCRE2.
#pragma once

#include <string>

namespace headlight {

// Properties, \s \w \d \h \b and their opposites, sets within sets, &&, [:names:], \uHHHH, {,n} and (?m) are
// put in PCRE2's words; what characters they mean is Unicode 16's. Throws Error at `place` for what would
// silently mean something else: {n,m}+, and within a set that has sets in it, a property that is not known
// here.
std::string pcre_expression(const std::string& text, const std::string& place);

}  // namespace headlight
