// How thinly a test of every size goes through them under a sanitizer, where a frame takes many times as
// long: the build without one tries each.
#pragma once

namespace headlight_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSizeSteps = 16;
#else
inline constexpr int kSizeSteps = 1;
#endif

}  // namespace headlight_test
