// The weights of a model: in a Hugging Face folder model.safetensors, or shards with their index; or in
// another file, whose reader names its tensors as such a folder does. Files are memory-mapped: opening one
// reads only its header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/checkpoint/tensor.h"
#include "engine/core/mapped_file.h"

namespace headlight {

// Display name of a model's folder, its last part: "gpt2" for models/gpt2/.
std::string folder_name(const std::filesystem::path& folder);

// Whether the folder has weights in pickled or other formats only, which are not opened.
bool has_only_pickled(const std::filesystem::path& folder);
// How to convert pickled weights into files that can be opened: "convert them in Python: ...".
std::string converting_hint(const std::string& library_class);

// The tensors of a file that is not .safetensors.
struct TensorFile {
  struct Entry {
    Tensor tensor;
    std::string where;  // for messages
  };
  std::unique_ptr<MappedFile> file;
  std::vector<std::unique_ptr<std::vector<float>>> numbers;  // of tensors that are not in it as they are
  std::vector<Entry> tensors;                                // of different names
};

class Checkpoint {
 public:
  // library_class: the class of the transformers library that converts pickled .bin files of this model.
  // Throws Error if the folder has no safetensors files (for pickled ones the message says how to convert
  // them); if a shard is missing, truncated or malformed; if its tensors overlap or lie beyond its end; or if
  // the index names a file outside the folder or a tensor that its file does not hold.
  explicit Checkpoint(const std::filesystem::path& folder, const std::string& library_class = "AutoModel");

  // The tensors of `file`, which lies at `path`.
  Checkpoint(TensorFile file, std::filesystem::path path);

  // Float32 tensors in memory of the caller, which must outlive this at the same place; `folder` names them
  // in messages. Their numbers may change.
  Checkpoint(std::vector<Tensor> tensors, std::filesystem::path folder);

  // The folder, or the file of a model that is one file.
  const std::filesystem::path& folder() const { return folder_; }
  bool has(const std::string& name) const { return tensors_.contains(name); }
  std::vector<std::string> names() const;
  // Throws Error if there is no such tensor (the message gives the nearest name), if its type is not
  // supported, or if it does not have the expected shape.
  const Tensor& require(const std::string& name, const std::vector<Index>& shape) const;
  // The same without checking the shape.
  const Tensor& require(const std::string& name) const;

  std::uint64_t bytes() const;        // of all files
  std::uint64_t numbers() const;      // of all tensors
  std::uint64_t header_hash() const;  // of the name, type and shape of every tensor
  // Throws Error if one of the files changed since it was opened; see MappedFile.
  void require_unchanged() const;

 private:
  struct Entry {
    Tensor tensor;
    std::string type;  // as the file names it
    std::string where;
  };
  void read(const std::filesystem::path& file);
  void read_index(const std::filesystem::path& file);

  std::filesystem::path folder_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<std::unique_ptr<std::vector<float>>> numbers_;
  std::map<std::string, Entry> tensors_;
};

}  // namespace headlight
