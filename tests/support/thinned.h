// The step between the sizes that exhaustive tests try: every seventh, in other places for each test that
// asks; all of them with HEADLIGHT_TEST_SIZES=all (`./tests/run --sizes`); one in sixteen under a sanitizer,
// where a frame takes many times as long. And how many sessions random tests try.
#pragma once

#include <cstdlib>
#include <string_view>

namespace headlight_test {

inline bool asks_for_all() {
  const char* sizes = std::getenv("HEADLIGHT_TEST_SIZES");
  return sizes && std::string_view(sizes) == "all";
}

inline int size_steps() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 16;
#else
  return asks_for_all() ? 1 : 7;
#endif
}

// How many random sessions a test tries.
inline int session_count() {
  return asks_for_all() ? 1000 : 24;
}

}  // namespace headlight_test
