// Models of two sides and of images from tests/golden/library, with the inputs of their golden arrays.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/arrays/catalog.h"
#include "engine/interpretation/open_model.h"
#include "tests/engine/network/network_support.h"

namespace headlight_test {

inline std::string library_folder(const std::string& name) {
  return HEADLIGHT_SOURCE_DIR "/tests/golden/library/" + name;
}

inline headlight::NamedArray library_array(const std::string& model, const std::string& name) {
  return headlight::read_array(library_folder(model) + "/golden.npz", name);
}

inline std::vector<std::int32_t> library_ids(const std::string& model, const std::string& name) {
  const headlight::NamedArray ids = library_array(model, name);
  return {ids.values.begin(), ids.values.end()};
}

// t5 or bart, on the texts of their golden arrays.
inline headlight::OpenModel two_sided(const std::string& model) {
  headlight::OpenModel work;
  work.network = std::make_shared<const headlight::Network>(library_folder(model));
  set_ids(work, library_ids(model, "encoder.ids"), headlight::Side::Encoder);
  set_ids(work, library_ids(model, "decoder.ids"));
  return work;
}

// vit, on the image of its golden arrays.
inline headlight::OpenModel image_model() {
  headlight::OpenModel work;
  work.network = std::make_shared<const headlight::Network>(library_folder("vit"));
  const headlight::NamedArray image = library_array("vit", "image");
  set_image(work, {"", Eigen::Map<const headlight::Matrix>(image.values.data(), image.shape[0],
                                                           image.shape[1] * image.shape[2])});
  return work;
}

inline headlight::NetworkPass pass_over(const headlight::OpenModel& work) {
  headlight::NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  return pass;
}

inline bool near_golden(const headlight::MatrixRef& computed, const headlight::Matrix& golden) {
  constexpr float kShare = 3e-4f;  // of the largest number
  return largest_difference(computed, golden) < kShare * golden.cwiseAbs().maxCoeff();
}

}  // namespace headlight_test
