// Dictionaries whose features are the numbers of a place themselves.
#pragma once

#include <string>
#include <vector>

#include "engine/arrays/npy.h"

namespace headlight_test {

inline std::vector<headlight::NamedArray> identity_arrays(headlight::Index width) {
  const auto count = static_cast<std::size_t>(width);
  std::vector<float> identity(count * count, 0.0f);
  for (std::size_t i = 0; i < count; ++i)
    identity[i * (count + 1)] = 1;
  const std::vector<float> zeros(count, 0.0f);
  return {{"W_enc", {width, width}, identity},
          {"W_dec", {width, width}, identity},
          {"b_enc", {width}, zeros},
          {"b_dec", {width}, zeros}};
}

inline void write_identity_dictionary(const std::string& file, headlight::Index width) {
  headlight::write_npz(file, identity_arrays(width));
}

// A transcoder by its W_skip.
inline void write_identity_transcoder(const std::string& file, headlight::Index width) {
  std::vector<headlight::NamedArray> arrays = identity_arrays(width);
  arrays.push_back({"W_skip", {width, width}, arrays.front().values});
  headlight::write_npz(file, arrays);
}

}  // namespace headlight_test
