// The folders that tests read, and the programs that they start.
#pragma once

#include <string>

namespace headlight_test {

// Absolute, without a trailing slash: the root of the sources, and the folder of the build.
std::string source_root();
std::string build_root();
// The program as this build has made it.
std::string built_program();

}  // namespace headlight_test
