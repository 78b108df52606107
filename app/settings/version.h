// The program's version, as the build names it: the number stands in the topmost CMakeLists.txt and nowhere
// else.
#pragma once

namespace headlight {

extern const char* const kVersion;  // "0.1.0"

}  // namespace headlight
