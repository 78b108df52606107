// A whole model in one GGUF file, as a folder of the hub would have it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/checkpoint/checkpoint.h"
#include "engine/core/error.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

// Whether the path is a file that begins as GGUF, or whose name ends in .gguf.
bool is_gguf_file(const std::filesystem::path& path);

// The GGUF file that stands for the model: the path itself, or the only one of a folder without
// .safetensors files; nullopt otherwise. Throws Error if a folder has several.
std::optional<std::filesystem::path> gguf_of_model(const std::filesystem::path& path);

struct GgufModel {
  std::string config;  // as config.json
  TensorFile weights;  // by the library's names, in its order
  std::optional<Tokenizer> tokenizer;
  std::optional<Error> tokenizer_error;  // why there is none
  bool has_tokenizer = false;            // whether the file has one, usable or not
};

// Throws Error for what read_gguf() and gguf_config() reject, for an unknown architecture, and for tensors
// that are missing or that the architecture does not have; Stopped. A tokenizer that cannot be read is no
// error.
GgufModel read_gguf_model(const std::filesystem::path& path);

}  // namespace headlight
