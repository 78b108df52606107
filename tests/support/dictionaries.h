// A dictionary whose features are the numbers of a place themselves.
#pragma once

#include <string>
#include <vector>

#include "engine/arrays/npy.h"

namespace headlight_test {

inline void write_identity_dictionary(const std::string& file, headlight::Index width) {
  const auto count = static_cast<std::size_t>(width);
  std::vector<float> identity(count * count, 0.0f);
  for (std::size_t i = 0; i < count; ++i)
    identity[i * (count + 1)] = 1;
  const std::vector<float> zeros(count, 0.0f);
  headlight::write_npz(file, {{"W_enc", {width, width}, identity},
                              {"W_dec", {width, width}, identity},
                              {"b_enc", {width}, zeros},
                              {"b_dec", {width}, zeros}});
}

}  // namespace headlight_test
