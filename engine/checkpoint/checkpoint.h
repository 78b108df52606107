// The weights of a model as a folder of the hub holds them: model.safetensors, or shards with their index.
// Files are mapped: to open one costs its header alone.
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

// How people call a model's folder: by its last part, "gpt2" of models/gpt2/.
std::string folder_name(const std::filesystem::path& folder);

// Whether the folder has pickled weights and no others.
bool has_only_pickled(const std::filesystem::path& folder);
// How pickled weights become files that can be opened: "convert them in Python: ...".
std::string converting_hint(const std::string& library_class);

class Checkpoint {
 public:
  // library_class: of the hub's library, which converts pickled .bin files of this model. Throws Error when
  // the folder has no such files (of pickled ones it says how to convert them), when a shard is missing, cut
  // or malformed, when its tensors overlap or lie beyond it, or when the index names a file outside the
  // folder or a tensor that its file does not hold.
  explicit Checkpoint(const std::filesystem::path& folder, const std::string& library_class = "AutoModel");

  const std::filesystem::path& folder() const { return folder_; }
  bool has(const std::string& name) const { return tensors_.contains(name); }
  std::vector<std::string> names() const;
  // Throws Error when there is no such tensor, with the nearest name; when its type is none that can be
  // computed with; when it is not of the expected shape.
  const Tensor& require(const std::string& name, const std::vector<Index>& shape) const;
  // The same without looking at the shape.
  const Tensor& require(const std::string& name) const;

  std::uint64_t bytes() const;        // of all files
  std::uint64_t header_hash() const;  // of what the files hold by name, type, shape and place
  // Throws Error when one of the files was changed since it was opened; see MappedFile.
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
  std::map<std::string, Entry> tensors_;
};

}  // namespace headlight
