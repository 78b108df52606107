// Skips a test that cannot run on this machine, so that it does not count as passed.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/support/catch.h"

namespace headlight_test {

// Ends the process. ctest runs each test case in its own process, sets HEADLIGHT_UNDER_CTEST and reports the
// exit status 77 as skipped (see tests/CMakeLists.txt), because Catch2 2 has no SKIP.
[[noreturn]] inline void skip_under_ctest(const std::string& reason) {
  constexpr int kSkipped = 77;
  std::cout << "skipped: " << reason << std::endl;
  std::_Exit(kSkipped);
}

inline bool under_ctest() {
  return std::getenv("HEADLIGHT_UNDER_CTEST") != nullptr;
}

}  // namespace headlight_test

// Returns from the test case; outside ctest, Catch2 2 only prints a warning.
#ifdef SKIP
#define HEADLIGHT_SKIP(reason)                                                   \
  do {                                                                           \
    if (headlight_test::under_ctest()) headlight_test::skip_under_ctest(reason); \
    SKIP(reason);                                                                \
  } while (false)
#else
#define HEADLIGHT_SKIP(reason)                                                   \
  do {                                                                           \
    if (headlight_test::under_ctest()) headlight_test::skip_under_ctest(reason); \
    WARN("skipped: " << (reason));                                               \
    return;                                                                      \
  } while (false)
#endif
