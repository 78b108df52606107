// A script in fewer bytes: without blanks that nothing needs, and with short names for what it declares
// itself.
#pragma once

#include <string>
#include <string_view>

namespace headlight {

// The same script, for the scripts of assets/page: modules in one, without comments. A name that is declared
// for the whole script is the same short name wherever it stands for a variable, one that is declared within
// a statement of the script has one for that statement; names of properties stay, and those of the browser
// ("window"), which a variable may have too. Throws Error if brackets do not match.
std::string compact_script(std::string_view script);

}  // namespace headlight
