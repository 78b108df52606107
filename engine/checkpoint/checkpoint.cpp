#include "engine/checkpoint/checkpoint.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "engine/arrays/safetensors.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_stamp.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"
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

// The folder's .safetensors files that may hold the model's own weights, by name.
std::vector<std::string> weight_files(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    // Adapters, the state of a training, and the same weights by the names of another library.
    const bool others = name.starts_with("adapter") || name.starts_with("optimizer") ||
                        name.starts_with("scheduler") || name.starts_with("consolidated") ||
                        name.starts_with("random_states");
    if (entry.path().extension() == ".safetensors" && !others && is_file(entry.path())) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The number of a file among shards: "model-00002-of-00005.safetensors".
struct Shard {
  std::string of;  // the name without the number
  Index number = 0, count = 0;
};
std::optional<Shard> shard_of(const std::string& file) {
  static const std::regex kCounted("(.*)-([0-9]{1,6})-of-([0-9]{1,6})\\.safetensors");
  std::smatch parts;
  if (!std::regex_match(file, parts, kCounted)) return std::nullopt;
  return Shard{parts[1].str() + " of " + parts[3].str(), std::stol(parts[2].str()),
               std::stol(parts[3].str())};
}

}  // namespace

std::string folder_name(const fs::path& folder) {
  fs::path whole = fs::absolute(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  // models--org--name/snapshots/COMMIT
  const fs::path cached =
      whole.parent_path().filename() == "snapshots" ? whole.parent_path().parent_path() : whole;
  constexpr std::string_view kCached = "models--";
  std::string name = cached.filename().string();
  if (!name.starts_with(kCached)) return whole.filename().string();
  name = name.substr(kCached.size());
  if (const std::size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
  return name;
}

bool has_only_pickled(const fs::path& folder) {
  return has_other_weights(folder) && weight_files(folder).empty() && !is_file(folder / kIndex);
}

std::string converting_hint(const std::string& library_class) {
  return "convert them in Python: from transformers import " + library_class + "; " + library_class +
         ".from_pretrained(folder).save_pretrained(folder, safe_serialization=True)";
}

Checkpoint::Checkpoint(const fs::path& folder, const std::string& library_class) : folder_(folder) {
  require_folder(folder);
  const std::vector<std::string> files = weight_files(folder);
  const auto is_there = [&](const std::string& name) {
    return std::find(files.begin(), files.end(), name) != files.end();
  };
  const WeightMap map = is_file(folder / kIndex) ? read_index(folder / kIndex) : WeightMap();
  const bool all_there = !map.empty() && std::all_of(map.begin(), map.end(),
                                                     [&](const auto& one) { return is_there(one.second); });
  if (is_there(kSingle) && !all_there)
    read(folder / kSingle);
  else if (!map.empty())
    read_by_index(map, files);
  else
    read_counted_shards(files, library_class);
}

Checkpoint Checkpoint::of_file(const fs::path& file) {
  Checkpoint checkpoint;
  checkpoint.folder_ = file;
  checkpoint.read(file);
  return checkpoint;
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

void Checkpoint::read(const fs::path& file, const Kept& kept) {
  // Mapped before the header is read, so that any later change is detected.
  const MappedFile& mapped = *files_.emplace_back(std::make_unique<MappedFile>(file));
  std::map<std::string, std::string> metadata;
  const std::vector<TensorPlace> places = list_tensor_places(file, &metadata);
  for (const TensorPlace& place : places) {
    throw_if_stopped();
    if (place.end > mapped.bytes().size())
      throw Error("the file ends before the tensor " + in_quotes(place.name) + " does", file.string(),
                  kIncomplete);
    if (kept && !kept(place.name)) continue;
    Entry entry{{place.name, place.shape, TensorType::F32,
                 mapped.bytes().substr(place.begin, place.end - place.begin), &mapped},
                place.type,
                file.string() + "[" + place.name + "]"};
    for (const TensorType type : {TensorType::F16, TensorType::BF16})
      if (place.type == type_name(type)) entry.tensor.type = type;
    if (!tensors_.emplace(place.name, std::move(entry)).second)
      throw Error("the tensor " + in_quotes(place.name) + " stands in two files", file.string(), kIncomplete);
  }
  for (const auto& [name, stored] : metadata)
    if (!tensors_.contains(name) && tensors_.contains(stored)) aliases_.emplace(name, stored);
  mapped.require_unchanged();
}

Checkpoint::WeightMap Checkpoint::read_index(const fs::path& file) const {
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
  WeightMap shards;
  for (const auto& [tensor, shard] : map->items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : std::string();
    // Only a plain name is accepted: a path could lead out of the folder.
    const bool leads_away = name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos;
    if (name.empty() || name == "." || name == ".." || leads_away)
      throw Error("the tensor " + in_quotes(tensor) + " is said to stand in " +
                      (shard.is_string() ? in_quotes(name) : json_kind(shard)) +
                      ", which is no file of this folder",
                  file.string(), "mend weight_map: it names files beside the index");
    shards[tensor] = name;
  }
  return shards;
}

// The index decides which files and tensors count, as far as what it names is there.
void Checkpoint::read_by_index(const WeightMap& map, const std::vector<std::string>& files) {
  std::set<std::string> named, missing;
  for (const auto& [tensor, shard] : map)
    (is_file(folder_ / shard) ? named : missing).insert(shard);
  std::vector<std::string> beside;  // files that the index does not name
  std::copy_if(files.begin(), files.end(), std::back_inserter(beside),
               [&](const std::string& file) { return !named.contains(file); });
  std::vector<std::string> order(named.begin(), named.end());
  order.insert(order.end(), beside.begin(), beside.end());
  std::vector<std::string> unused;
  for (const std::string& file : order) {
    const std::size_t before = tensors_.size();
    read(folder_ / file, [&](const std::string& name) {
      const auto wanted = map.find(name);
      const bool elsewhere =
          wanted != map.end() && wanted->second != file && !missing.contains(wanted->second);
      return !elsewhere && !tensors_.contains(name);
    });
    if (named.contains(file)) continue;
    if (tensors_.size() == before) {
      files_.pop_back();
      unused.push_back(file);
    }
  }
  for (const auto& [tensor, shard] : map) {
    if (has(tensor)) continue;
    if (missing.contains(shard))
      throw Error("the shard " + in_quotes(shard) + " is missing", folder_.string(), kIncomplete);
    throw Error("the tensor " + in_quotes(tensor) + " is not in " + in_quotes(shard),
                (folder_ / kIndex).string(), kIncomplete);
  }
  if (!missing.empty())
    notes_.push_back(std::string(kIndex) + " names " + listed({missing.begin(), missing.end()}) +
                     ", which are not there: all of its tensors are in the files that are");
  std::erase_if(beside, [&](const std::string& file) {
    return std::find(unused.begin(), unused.end(), file) != unused.end();
  });
  if (!beside.empty() && missing.empty())
    notes_.push_back(std::string(kIndex) + " leaves out " + listed(beside) +
                     ": the tensors that no other file has are taken");
  if (!unused.empty())
    notes_.push_back(listed(unused) + (unused.size() == 1 ? " is" : " are") +
                     " left out: the files that the index names have its tensors");
}

// Without an index: shards whose names say how many there are, or a single file of another name.
void Checkpoint::read_counted_shards(const std::vector<std::string>& files,
                                     const std::string& library_class) {
  if (files.size() == 1 && !shard_of(files.front())) {
    notes_.push_back("the weights are those of " + files.front());
    return read(folder_ / files.front());
  }
  std::map<std::string, std::set<Index>> sets;  // the numbers of shards by what is common to their names
  for (const std::string& file : files)
    if (const auto shard = shard_of(file)) sets[shard->of].insert(shard->number);
  if (sets.size() != 1) no_weights(folder_, library_class);
  const auto& [of, numbers] = *sets.begin();
  for (const std::string& file : files)
    if (const auto shard = shard_of(file)) {
      for (Index number = 1; number <= shard->count; ++number)
        if (!numbers.contains(number))
          throw Error("there is no index of shards, and shard " + std::to_string(number) + " of " +
                          std::to_string(shard->count) + " is missing",
                      folder_.string(), kIncomplete);
      read(folder_ / file);
    }
  notes_.push_back(std::string("there is no ") + kIndex + ": the names of the shards say that all are there");
}

bool Checkpoint::has_plain_numbers() const {
  constexpr std::array<std::string_view, 7> kQuantised = {"qweight", "qzeros",       "scales",    ".SCB",
                                                          "absmax",  "weight_scale", "zero_point"};
  return std::all_of(tensors_.begin(), tensors_.end(), [&](const auto& one) {
    const std::string& name = one.first;
    const bool named = std::any_of(kQuantised.begin(), kQuantised.end(), [&](std::string_view part) {
      return name.find(part) != std::string::npos;
    });
    const std::string& type = one.second.type;
    const bool plain = type == "F32" || type == "F16" || type == "BF16" || type == "F64";
    return !named && (plain || one.second.tensor.shape.size() < 2);
  });
}

void Checkpoint::strip_prefix(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : tensors_)
    if (name.starts_with(prefix) && !tensors_.contains(name.substr(prefix.size()))) names.push_back(name);
  for (const std::string& name : names) {
    auto node = tensors_.extract(name);
    node.key() = name.substr(prefix.size());
    tensors_.insert(std::move(node));
  }
  std::map<std::string, std::string> aliases;
  const auto shorter = [&](const std::string& name) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  };
  for (const auto& [name, stored] : aliases_)
    aliases.emplace(shorter(name), shorter(stored));
  aliases_ = std::move(aliases);
}

void Checkpoint::replace(const std::string& name, const Matrix& numbers) {
  Entry& entry = tensors_.at(stored_name(name));
  const auto& kept = numbers_.emplace_back(
      std::make_unique<std::vector<float>>(numbers.data(), numbers.data() + numbers.size()));
  entry.tensor.type = TensorType::F32;
  entry.tensor.bytes = {reinterpret_cast<const char*>(kept->data()), kept->size() * sizeof(float)};
  entry.tensor.file = nullptr;
  entry.type = type_name(TensorType::F32);
}

const std::string& Checkpoint::stored_name(const std::string& name) const {
  const auto alias = aliases_.find(name);
  return alias == aliases_.end() ? name : alias->second;
}

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : tensors_)
    names.push_back(name);
  return names;
}

const Tensor& Checkpoint::require(const std::string& name) const {
  const auto found = tensors_.find(stored_name(name));
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
                tensors_.at(stored_name(name)).where,
                "the model's settings and its weights do not go together: take both from one model");
  return tensor;
}

std::vector<fs::path> Checkpoint::files() const {
  std::vector<fs::path> paths;
  for (const auto& file : files_)
    paths.push_back(file->path());
  return paths;
}

std::uint64_t Checkpoint::bytes() const {
  std::uint64_t sum = bytes_of_adapter_;
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

void Checkpoint::count_in(const Checkpoint& adapter) {
  const std::array<std::uint64_t, 2> both = {header_hash(), adapter.header_hash()};
  header_with_adapter_ = content_hash(reinterpret_cast<const char*>(both.data()), sizeof both);
  bytes_of_adapter_ = adapter.bytes();
}

std::uint64_t Checkpoint::header_hash() const {
  if (header_with_adapter_) return *header_with_adapter_;
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
