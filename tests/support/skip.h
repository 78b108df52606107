// Skips a test that cannot run on this machine, so that it does not count as passed.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/catch.h"

namespace headlight_test {

// Ends the process, because Catch2 2 has no SKIP. tests/runner/cases.py sets HEADLIGHT_UNDER_RUNNER, reports
// the exit status 77 as a skipped test case, and runs the others of the process again.
[[noreturn]] inline void skip_under_runner(const std::string& reason) {
  constexpr int kSkipped = 77;
  std::printf("skipped: %s\n",
              reason.c_str());  // not by std::cout, which Catch2 keeps to itself during a test
  std::fflush(stdout);
  std::_Exit(kSkipped);
}

inline bool under_runner() {
  return std::getenv("HEADLIGHT_UNDER_RUNNER") != nullptr;
}

}  // namespace headlight_test

// Returns from the test case; outside the runner, Catch2 2 only prints a warning.
#ifdef SKIP
#define HEADLIGHT_SKIP(reason)                                                     \
  do {                                                                             \
    if (headlight_test::under_runner()) headlight_test::skip_under_runner(reason); \
    SKIP(reason);                                                                  \
  } while (false)
#else
#define HEADLIGHT_SKIP(reason)                                                     \
  do {                                                                             \
    if (headlight_test::under_runner()) headlight_test::skip_under_runner(reason); \
    WARN("skipped: " << (reason));                                                 \
    return;                                                                        \
  } while (false)
#endif
