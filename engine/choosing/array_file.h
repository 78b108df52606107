// A file of arrays read beside the window or for a command: what it holds, what its values say, and those
// that were chosen put into a model. None of these throws: what went wrong is in the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_placement.h"
#include "engine/choosing/array_facts.h"
#include "engine/choosing/mask_meaning.h"
#include "engine/model/model.h"

namespace headlight {

// Whether the name ends as files of arrays do.
bool is_array_file(const std::filesystem::path& path);

struct ArrayListing {
  std::vector<ArrayEntry> entries;
  // By entry: of arrays whose meaning their values tell, as far as they are not too large to be read at once.
  std::vector<std::optional<ArrayFacts>> facts;
  std::optional<LayerConfig> config;  // that lies beside it
  std::optional<Error> config_problem;
  std::optional<Error> problem;
};
ArrayListing list_array_file(const std::filesystem::path& path);

// What the values of one array say; of text nothing.
ArrayFacts read_facts(const std::filesystem::path& path, const std::string& name);

// Arrays of one file as they were read, by name, and how the system had the file then. Holds until that has
// changed; whoever reads more of the file later keeps it.
struct ReadArrays {
  std::map<std::string, std::shared_ptr<const NamedArray>> arrays;
  std::filesystem::file_time_type written{};
  std::uintmax_t bytes = 0;
  // Whether the file has changed since. One that is not there any more has not.
  bool outdated(const std::filesystem::path& path) const;
};

struct ArrayOrder {  // what to read, and where it goes
  std::filesystem::path path;
  struct Part {
    std::string name;
    RoleProposal place;
    std::vector<std::string> row_labels;
    std::optional<Index> layer;            // of the array's first axis; none: it is placed whole
    MaskTruth truth = MaskTruth::Allowed;  // of a mask
    bool by_groups = false;                // as PlacedArray has it
  };
  std::vector<Part> parts;
  std::optional<Index> num_heads;
  LayerHints hints;
  // The names of another layer that the model has now: what its family sets is set again only where this
  // one's differs. Empty: there is none.
  std::vector<std::string> instead_of;
  std::shared_ptr<const Model> model;  // that they go into
  ReadArrays read;                     // before: these are not read again, unless the file has changed
  std::optional<std::vector<std::string>> tokens = {};  // in place of numbers, where no array has them
};
struct ArrayOutcome {
  std::shared_ptr<const Model> model;
  ReadArrays read;  // all that the order had, as far as it holds, and what it asked for
  std::optional<Error> problem;
};
ArrayOutcome place_from_file(const ArrayOrder& order);

}  // namespace headlight
