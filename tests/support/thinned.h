// The step between the sizes that exhaustive tests try: every seventh, in other places for each test that
// asks; all of them with HEADLIGHT_TEST_SIZES=all (`./tests/run --sizes`); one in sixteen under a sanitizer,
// where a frame takes many times as long.
#pragma once

#include <cstdlib>
#include <string_view>

namespace headlight_test {

inline int size_steps() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 16;
#else
  const char* sizes = std::getenv("HEADLIGHT_TEST_SIZES");
  return sizes && std::string_view(sizes) == "all" ? 1 : 7;
#endif
}

}  // namespace headlight_test
