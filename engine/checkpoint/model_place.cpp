#include "engine/checkpoint/model_place.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/core/number_text.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool has_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool has_weights(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".safetensors" && entry.path().filename() != "adapter_model.safetensors")
      return true;
  return false;
}

Json read_json(const fs::path& file) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  require_file(file, kMost);
  require_form(file, FileForm::Json);
  try {
    return parse_json(read_file(file));
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
}

// A plain name or a few of them, that stay inside the folder.
bool leads_away(const std::string& name) {
  const fs::path path(name);
  return path.is_absolute() || name.find('\0') != std::string::npos ||
         std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

// models--org--name/{refs/main, snapshots/COMMIT/}
std::optional<fs::path> cached_snapshot(const fs::path& root) {
  if (!is_folder(root / "snapshots") || has_file(root / "config.json")) return std::nullopt;
  if (has_file(root / "refs" / "main")) {
    constexpr std::uint64_t kMostName = 4096;
    require_file(root / "refs" / "main", kMostName);
    const std::string commit(trimmed(read_file(root / "refs" / "main")));
    if (commit.empty() || leads_away(commit) || !is_folder(root / "snapshots" / commit))
      throw Error("refs/main names the snapshot " + in_quotes(commit) + ", which is not among the snapshots",
                  root.string(),
                  "download the model again, or open one of the folders in " + (root / "snapshots").string());
    return root / "snapshots" / commit;
  }
  std::vector<fs::path> snapshots;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "snapshots"))
    if (entry.is_directory()) snapshots.push_back(entry.path());
  if (snapshots.size() == 1) return snapshots.front();
  throw Error("it is the cache of a model with " + std::to_string(snapshots.size()) +
                  " snapshots, and no refs/main says which is meant",
              root.string(), "open one of the folders in " + (root / "snapshots").string());
}

// The first module of modules.json, which is the model that gives the embeddings.
std::optional<fs::path> sentence_model(const fs::path& folder) {
  const fs::path file = folder / "modules.json";
  if (!has_file(file) || has_weights(folder)) return std::nullopt;
  const Json modules = read_json(file);
  if (!modules.is_array() || modules.empty() || !modules[0].is_object()) return std::nullopt;
  const auto path = modules[0].find("path");
  if (path == modules[0].end() || !path->is_string()) return std::nullopt;
  const auto name = path->get<std::string>();
  if (leads_away(name) || !is_folder(folder / name))
    throw Error("modules.json names the model's folder " + in_quotes(name) + ", which is not there",
                folder.string(), "copy or download the folder again, with all of its folders");
  return folder / name;
}

fs::path base_of_adapter(const fs::path& folder) {
  const fs::path file = folder / "adapter_config.json";
  const Json settings = read_json(file);
  const auto named = settings.is_object() ? settings.find("base_model_name_or_path") : settings.end();
  if (!settings.is_object() || named == settings.end() || !named->is_string())
    throw Error(
        "it is an adapter, and adapter_config.json has no base_model_name_or_path that names its base",
        folder.string(), "put config.json and the weights of its base beside it");
  const auto base = named->get<std::string>();
  for (const fs::path& place : {fs::path(base), folder / base})
    if (base.find('\0') == std::string::npos && is_folder(place)) return place;
  throw Error(
      "it is an adapter (LoRA), which changes the weights of a base that is not in it: "
      "base_model_name_or_path is " +
          in_quotes(base),
      folder.string(),
      "write the folder of its base there, put config.json and model.safetensors of its base beside the "
      "adapter, or save both as one: model.merge_and_unload()");
}

}  // namespace

ModelPlace model_place(const fs::path& opened) {
  ModelPlace place;
  place.folder = opened;
  if (!is_folder(opened)) return place;
  if (const auto snapshot = cached_snapshot(opened)) {
    place.folder = *snapshot;
    place.notes.push_back("it is the hub's cache of a model: the snapshot " + snapshot->filename().string() +
                          " is opened");
  }
  if (const auto model = sentence_model(place.folder)) {
    place.folder = *model;
    place.notes.push_back("it is a folder of sentence-transformers: the model in " +
                          model->filename().string() + " is opened, without the modules behind it");
  }
  if (!has_file(place.folder / "adapter_config.json")) return place;
  place.adapter = place.folder;
  if (!has_file(place.folder / "config.json") || !has_weights(place.folder))
    place.folder = base_of_adapter(place.folder);
  return place;
}

}  // namespace headlight
