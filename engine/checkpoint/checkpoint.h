// The weights of a model: in a Hugging Face folder model.safetensors, or shards with their index; or in
// another file, whose reader names its tensors as such a folder does. Files are memory-mapped: opening one
// reads only its header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/tensor.h"
#include "engine/core/mapped_file.h"

namespace headlight {

// Display name of a model's folder, its last part: "gpt2" for models/gpt2/, "org/gpt2" in the cache of the
// hub.
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
  // The tensors of the folder's files: those that the index of shards names; of model.safetensors; of all
  // shards whose names count them; or of a single other file. Of a tensor in two files the index says which
  // one counts, files that it leaves out add the tensors that no other has, and an index whose files are not
  // there is left aside if the files that are there have all of its tensors; notes() tells these. A tensor is
  // found by its other names, too, that the file's metadata states. library_class: the class of the
  // transformers library that converts pickled .bin files of this model. Throws Error if the folder has no
  // safetensors files (for pickled ones the message says how to convert them); if a shard is missing,
  // truncated or malformed; if its tensors overlap or lie beyond its end; or if the index names a file
  // outside the folder or a tensor that no file holds.
  explicit Checkpoint(const std::filesystem::path& folder, const std::string& library_class = "AutoModel");

  // The tensors of one .safetensors file.
  static Checkpoint of_file(const std::filesystem::path& file);

  // The tensors of `file`, which lies at `path`.
  Checkpoint(TensorFile file, std::filesystem::path path);

  // Float32 tensors in memory of the caller, which must outlive this at the same place; `folder` names them
  // in messages. Their numbers may change.
  Checkpoint(std::vector<Tensor> tensors, std::filesystem::path folder);

  // The folder, or the file of a model that is one file.
  const std::filesystem::path& folder() const { return folder_; }
  bool has(const std::string& name) const { return tensors_.contains(name) || aliases_.contains(name); }
  std::vector<std::string> names() const;
  // Throws Error if there is no such tensor (the message gives the nearest name), if its type is not
  // supported, or if it does not have the expected shape.
  const Tensor& require(const std::string& name, const std::vector<Index>& shape) const;
  // require() of any shape.
  const Tensor& require(const std::string& name) const;

  // What was chosen among the files, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // Whether all matrices are F32, F16, BF16 or F64, and no names speak of quantised ones.
  bool has_plain_numbers() const;
  // Gives each tensor whose name begins so the name without it, unless another has that.
  void strip_prefix(const std::string& prefix);
  // Names it by another folder, which leads to this one.
  void found_at(const std::filesystem::path& folder) { folder_ = folder; }
  // Counts the files of an adapter as the checkpoint's own, in bytes() and in header_hash(), whether its
  // numbers are added or not.
  void count_in(const Checkpoint& adapter);
  // Other numbers for a matrix of that shape.
  void replace(const std::string& name, const Matrix& numbers);

  std::vector<std::filesystem::path> files() const;  // those of the tensors, without an adapter's
  std::uint64_t bytes() const;                       // of all files
  std::uint64_t numbers() const;                     // of all tensors
  std::uint64_t header_hash() const;                 // of the name, type and shape of every tensor
  // Throws Error if one of the files changed since it was opened; see MappedFile.
  void require_unchanged() const;

 private:
  struct Entry {
    Tensor tensor;
    std::string type;  // as the file names it
    std::string where;
  };
  // For which tensors of a file; `kept` decides for each name.
  using Kept = std::function<bool(const std::string& name)>;
  Checkpoint() = default;
  const std::string& stored_name(const std::string& name) const;
  void read(const std::filesystem::path& file, const Kept& kept = {});
  using WeightMap = std::map<std::string, std::string>;  // a tensor's name, its file
  WeightMap read_index(const std::filesystem::path& file) const;
  void read_by_index(const WeightMap& map, const std::vector<std::string>& files);
  void read_counted_shards(const std::vector<std::string>& files, const std::string& library_class);

  std::filesystem::path folder_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<std::unique_ptr<std::vector<float>>> numbers_;
  std::map<std::string, Entry> tensors_;
  std::map<std::string, std::string> aliases_;  // another name of a tensor
  std::vector<std::string> notes_;
  std::uint64_t bytes_of_adapter_ = 0;
  std::optional<std::uint64_t> header_with_adapter_;
};

}  // namespace headlight
