// The step between the sizes that exhaustive tests try: 1, so every size; 16 under a sanitizer, where a frame
// takes many times as long.
#pragma once

namespace headlight_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSizeSteps = 16;
#else
inline constexpr int kSizeSteps = 1;
#endif

}  // namespace headlight_test
