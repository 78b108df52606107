#include "engine/checkpoint/checkpoint.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/arrays/safetensors.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_stamp.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"
#include "engine/foreign/foreign_file.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr const char* kIncomplete = "copy or download the folder again, with all of its files";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Whether the folder has weights in formats that may hold programs; these are not opened.
bool has_other_weights(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    for (const char* other : {".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack"})
      if (ending == other) return true;
  }
  return false;
}

[[noreturn]] void no_weights(const fs::path& folder, const std::string& library_class) {
  if (has_other_weights(folder))
    throw Error(
        "its weights are pickled or in another form (.bin, .pt, .ckpt, .h5 or .msgpack), which may hold "
        "programs, and are not opened",
        folder.string(), converting_hint(library_class));
  throw Error("there is no model.safetensors and no index of shards in it", folder.string(),
              "choose the folder that config.json and model.safetensors lie in");
}

void require_folder(const fs::path& folder) {
  require_no_zero_byte(folder);
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  throw Error("there is no such folder", folder.string(), "check the name");
}

}  // namespace

std::string folder_name(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

bool has_only_pickled(const fs::path& folder) {
  return has_other_weights(folder) && !is_file(folder / kSingle) && !is_file(folder / kIndex);
}

std::string converting_hint(const std::string& library_class) {
  return "convert them in Python: from transformers import " + library_class + "; " + library_class +
         ".from_pretrained(folder).save_pretrained(folder, safe_serialization=True)";
}

Checkpoint::Checkpoint(const fs::path& folder, const std::string& library_class) : folder_(folder) {
  require_folder(folder);
  if (is_file(folder / kSingle))
    read(folder / kSingle);
  else if (is_file(folder / kIndex))
    read_index(folder / kIndex);
  else
    no_weights(folder, library_class);
}

Checkpoint::Checkpoint(TensorFile file, fs::path path)
    : folder_(std::move(path)), numbers_(std::move(file.numbers)) {
  files_.push_back(std::move(file.file));
  for (TensorFile::Entry& entry : file.tensors) {
    const std::string name = entry.tensor.name, type = type_name(entry.tensor.type);
    tensors_.emplace(name, Entry{std::move(entry.tensor), type, std::move(entry.where)});
  }
}

Checkpoint::Checkpoint(std::vector<Tensor> tensors, fs::path folder) : folder_(std::move(folder)) {
  for (Tensor& tensor : tensors) {
    const std::string name = tensor.name;
    tensors_.emplace(name, Entry{std::move(tensor), type_name(TensorType::F32), name});
  }
}

void Checkpoint::read(const fs::path& file) {
  // Mapped before the header is read, so that any later change is detected.
  const MappedFile& mapped = *files_.emplace_back(std::make_unique<MappedFile>(file));
  const std::vector<TensorPlace> places = list_tensor_places(file);
  for (const TensorPlace& place : places) {
    throw_if_stopped();
    if (place.end > mapped.bytes().size())
      throw Error("the file ends before the tensor " + in_quotes(place.name) + " does", file.string(),
                  kIncomplete);
    Entry entry{{place.name, place.shape, TensorType::F32,
                 mapped.bytes().substr(place.begin, place.end - place.begin), &mapped},
                place.type,
                file.string() + "[" + place.name + "]"};
    for (const TensorType type : {TensorType::F16, TensorType::BF16})
      if (place.type == type_name(type)) entry.tensor.type = type;
    if (!tensors_.emplace(place.name, std::move(entry)).second)
      throw Error("the tensor " + in_quotes(place.name) + " stands in two files", file.string(), kIncomplete);
  }
  mapped.require_unchanged();
}

void Checkpoint::read_index(const fs::path& file) {
  require_form(file, FileForm::Json);
  const std::string text = read_file(file);
  Json index;
  try {
    index = parse_json(text);
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (!index.is_object() || map == index.end() || !map->is_object())
    throw Error("it has no weight_map that names the file of each tensor", file.string(), kIncomplete);
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : map->items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : std::string();
    // Only a plain name is accepted: a path could lead out of the folder.
    const bool leads_away = name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos;
    if (name.empty() || name == "." || name == ".." || leads_away)
      throw Error("the tensor " + in_quotes(tensor) + " is said to stand in " +
                      (shard.is_string() ? in_quotes(name) : json_kind(shard)) +
                      ", which is no file of this folder",
                  file.string(), "mend weight_map: it names files beside the index");
    shards.insert(name);
  }
  for (const std::string& shard : shards) {
    if (!is_file(folder_ / shard))
      throw Error("the shard " + in_quotes(shard) + " is missing", folder_.string(), kIncomplete);
    read(folder_ / shard);
  }
  for (const auto& [tensor, shard] : map->items())
    if (!has(tensor))
      throw Error("the tensor " + in_quotes(tensor) + " is not in " + in_quotes(shard.get<std::string>()),
                  file.string(), kIncomplete);
}

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : tensors_)
    names.push_back(name);
  return names;
}

const Tensor& Checkpoint::require(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    const std::vector<std::string> names = this->names();
    throw Error("there is no tensor " + in_quotes(name), folder_.string(),
                names.empty() ? "its files hold none"
                              : "the nearest name is " + in_quotes(nearest_name(name, names)));
  }
  const Entry& entry = found->second;
  if (entry.type != type_name(entry.tensor.type))
    throw Error("its numbers are of type " + in_quotes(entry.type) + ", which cannot be computed with",
                entry.where, "save the model as F32, F16 or BF16; quantised weights are not supported");
  return entry.tensor;
}

const Tensor& Checkpoint::require(const std::string& name, const std::vector<Index>& shape) const {
  const Tensor& tensor = require(name);
  if (tensor.shape != shape)
    throw Error("it is " + shape_text(tensor.shape) + ", expected " + shape_text(shape),
                tensors_.at(name).where,
                "the model's settings and its weights do not go together: take both from one model");
  return tensor;
}

std::uint64_t Checkpoint::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& file : files_)
    sum += file->bytes().size();
  return sum;
}

std::uint64_t Checkpoint::numbers() const {
  std::uint64_t all = 0;
  for (const auto& [name, entry] : tensors_) {
    std::uint64_t count = 1;
    for (const Index side : entry.tensor.shape)
      count *= static_cast<std::uint64_t>(side);
    all += count;
  }
  return all;
}

std::uint64_t Checkpoint::header_hash() const {
  std::string text;
  for (const auto& [name, entry] : tensors_)
    text += name + "|" + entry.type + "|" + shape_text(entry.tensor.shape) + "\n";
  return content_hash(text.data(), text.size());
}

void Checkpoint::require_unchanged() const {
  for (const auto& file : files_)
    file->require_unchanged();
}

}  // namespace headlight
