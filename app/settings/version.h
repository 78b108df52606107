// The program's version. The build defines it from the only place of the number, the topmost CMakeLists.txt.
#pragma once

namespace headlight {

extern const char* const kVersion;  // "0.1.0"

}  // namespace headlight
