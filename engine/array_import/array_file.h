// Reads a file of arrays in the background or for a command: its contents, facts about its values, and the
// chosen arrays placed in a model. None of these functions throws: errors are in the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_facts.h"
#include "engine/array_import/array_placement.h"
#include "engine/array_import/mask_meaning.h"
#include "engine/layer/layer.h"

namespace headlight {

// Whether the name has the extension of a file of arrays.
bool is_array_file(const std::filesystem::path& path);

struct ArrayListing {
  std::vector<ArrayEntry> entries;  // none of a file that is refused: nothing in it can be chosen
  // By entry: for arrays whose role depends on their values, unless they are too large to be read at once.
  std::vector<std::optional<ArrayFacts>> facts;
  std::optional<LayerConfig> config;  // from the directory of the file
  std::optional<Error> config_problem;
  std::optional<Error> problem;
};
ArrayListing list_array_file(const std::filesystem::path& path);

// The facts about one array's values; none for text.
ArrayFacts read_facts(const std::filesystem::path& path, const std::string& name);

// Arrays of one file, by name, with its time and size when they were read. Valid until the file changes;
// later reads of the same file reuse them.
struct ReadArrays {
  std::map<std::string, std::shared_ptr<const NamedArray>> arrays;
  std::filesystem::file_time_type written{};
  std::uintmax_t bytes = 0;
  // Whether the file has changed since. A file that no longer exists has not.
  bool outdated(const std::filesystem::path& path) const;
};

struct PlacementRequest {  // what to read, and where to put it
  std::filesystem::path path;
  struct Part {
    std::string name;
    RoleProposal place;
    std::vector<std::string> row_labels;
    std::optional<Index> layer;            // on the array's first axis; empty: the whole array is placed
    MaskTruth truth = MaskTruth::Allowed;  // of a mask
    bool by_groups = false;                // as in PlacedArray
    std::string scaled_by = {};            // as in ArrayEntry
  };
  std::vector<Part> parts;
  std::optional<Index> num_heads;
  LayerHints hints;
  // The array names of another layer that the model has now: its family's settings are set again only if this
  // layer's differ. Empty: there is none.
  std::vector<std::string> instead_of;
  std::shared_ptr<const Layer> model;                   // into which they are placed
  ReadArrays read;                                      // earlier: reused unless the file has changed
  std::optional<std::vector<std::string>> tokens = {};  // in place of numbers, if no array has them
};
struct ArrayOutcome {
  std::shared_ptr<const Layer> layer;
  ReadArrays read;  // the valid ones of the order, and those read for it
  std::optional<Error> problem;
};
ArrayOutcome place_from_file(const PlacementRequest& order);

}  // namespace headlight
