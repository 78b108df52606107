// Models of two sides and of images from tests/golden/library, with the inputs of their golden arrays.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/arrays/catalog.h"
#include "engine/interpretation/open_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headlight_test {

inline std::string library_folder(const std::string& name) {
  return source_root() + "/tests/golden/library/" + name;
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

// t5 with a tokenizer of the words w2, w3, ..., which adds </s> (1) behind a text, and with a token, <pad>
// (0), that the decoder's text begins with.
class T5WithWords {
 public:
  T5WithWords() {
    std::filesystem::copy_file(library_folder("t5") + "/model.safetensors", folder_ / "model.safetensors");
    std::ifstream file(library_folder("t5") + "/config.json");
    std::string config{std::istreambuf_iterator<char>(file), {}};
    config.insert(config.find('{') + 1, R"("decoder_start_token_id": 0,)");
    folder_.write("config.json", config);
    std::string words = R"("<pad>": 0, "</s>": 1)";
    for (int id = 2; id < 90; ++id)
      words += ", \"w" + std::to_string(id) + "\": " + std::to_string(id);
    folder_.write("tokenizer.json",
                  R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
      {"id": 0, "content": "<pad>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
      {"id": 1, "content": "</s>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}],
      "normalizer": null, "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": null,
      "post_processor": {"type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
      "model": {"type": "WordLevel", "unk_token": "<pad>", "vocab": {)" +
                      words + "}}}");
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

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
