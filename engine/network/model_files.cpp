#include "engine/network/model_files.h"

#include <system_error>

#include "engine/checkpoint/model_place.h"
#include "engine/core/error.h"
#include "engine/network/network.h"
#include "engine/tokenizers/folder_tokenizer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

void add_file(std::vector<ModelFile>& files, const fs::path& path) {
  std::error_code unreadable;
  const std::uint64_t bytes = fs::file_size(path, unreadable);
  if (unreadable)
    throw Error("the model's file cannot be read: " + unreadable.message(), path.string(),
                "put it back, or open the model again");
  files.push_back({path.filename().string(), path, bytes});
}

void add_where_there(std::vector<ModelFile>& files, const fs::path& path) {
  std::error_code unreadable;
  if (fs::is_regular_file(path, unreadable)) add_file(files, path);
}

}  // namespace

std::vector<ModelFile> model_files(const Network& network) {
  const Checkpoint& checkpoint = network.checkpoint();
  std::vector<ModelFile> files;
  for (const fs::path& path : checkpoint.files())
    add_file(files, path);
  std::error_code unreadable;
  if (!fs::is_directory(checkpoint.folder(), unreadable)) return files;
  const ModelPlace place = model_place(checkpoint.folder());
  for (const char* name : {"config.json", "model.safetensors.index.json", "generation_config.json",
                           "preprocessor_config.json", "LICENSE", "LICENSE.txt"})
    add_where_there(files, place.folder / name);
  for (const std::string& name : tokenizer_file_names())
    add_where_there(files, place.folder / name);
  if (place.adapter)
    for (const char* name : {"adapter_config.json", "adapter_model.safetensors"})
      add_where_there(files, *place.adapter / name);
  return files;
}

}  // namespace headlight
