// Where a model lies below a folder that a person opens: in the cache of the hub, in a folder of
// sentence-transformers, or beside an adapter.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

struct ModelPlace {
  std::filesystem::path folder;                  // with config.json and the weights
  std::optional<std::filesystem::path> adapter;  // the folder of an adapter that changes them
  std::vector<std::string> notes;                // what was chosen, one sentence each
};

// The root of the hub's cache of one model (refs/main names the snapshot), the folder of
// sentence-transformers (modules.json names the model's), and an adapter (adapter_config.json names its base)
// lead to another folder; all others are themselves the place. Throws Error if what is named is not there.
ModelPlace model_place(const std::filesystem::path& opened);

}  // namespace headlight
