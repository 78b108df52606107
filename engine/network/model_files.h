// The files that a whole model is read from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

class Network;

struct ModelFile {
  std::string name;  // without a folder; in one folder under these names they are the model
  std::filesystem::path path;
  std::uint64_t bytes = 0;
};

// config.json, the weights, their index, the files of the tokenizer and of the preparation of images, those
// of an adapter, and a licence, as far as they are there; or one GGUF file. Throws Error if one cannot be
// read.
std::vector<ModelFile> model_files(const Network& network);

}  // namespace headlight
