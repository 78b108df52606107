// The program's version; the build's description says the same (tests/app/cli).
#pragma once

namespace headlight {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace headlight
