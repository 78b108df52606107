// Regular expressions as Oniguruma reads them, which the Rust library `tokenizers` uses, written for PCRE2.
#pragma once

#include <string>

namespace headlight {

// \s \w \h and their opposites by Unicode, \uHHHH, {,n} and (?m) are put in PCRE2's words. Throws Error at
// `place` for what would silently mean something else: sets within sets, &&, and {n,m}+.
std::string pcre_expression(const std::string& text, const std::string& place);

}  // namespace headlight
