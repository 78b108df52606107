// A file of arrays read beside the window: what it holds, one array to look at, and those that were chosen.
// None of these throws: what went wrong is in the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.h"
#include "engine/placing/array_placement.h"
#include "engine/views/query.h"

namespace headlight {

// Whether the name ends as files of arrays do.
bool is_array_file(const std::filesystem::path& path);

struct ArrayListing {
  std::vector<ArrayEntry> entries;
  std::optional<LayerConfig> config;  // that lies beside it
  std::optional<Error> config_problem;
  std::optional<Error> problem;
};
ArrayListing list_array_file(const std::filesystem::path& path);

struct ArrayLook {  // one array as far as a small picture can show it
  std::size_t entry = 0;
  ArraySummary summary;
  Tile tile;                    // of a matrix; of the first one of more; of a single row
  std::optional<Error> values;  // why its values cannot be an input
  std::string as_weights;       // as in ArrayCheck
  std::optional<Error> problem;
};
inline constexpr Index kMostThumbnailCells = 192;  // in either direction
ArrayLook look_at_array(const std::filesystem::path& path, const std::string& name, std::size_t entry);

struct ArrayCheck {  // of the values of one array
  std::size_t entry = 0;
  std::optional<Error> problem;  // it cannot be read, or its values cannot be an input
  // What its last two axes are not as weights of attention; places are named as in Python: "a[0, 2, 5]".
  std::string as_weights;
};
ArrayCheck check_array(const std::filesystem::path& path, const std::string& name, std::size_t entry);

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
    std::optional<Index> layer;  // of the array's first axis; none: it is placed whole
  };
  std::vector<Part> parts;
  std::optional<Index> num_heads;
  LayerHints hints;
  // The names of another layer that the model has now: what its family sets is set again only where this
  // one's differs. Empty: there is none.
  std::vector<std::string> instead_of;
  std::shared_ptr<const Model> model;  // that they go into
  ReadArrays read;                     // before: these are not read again, unless the file has changed
};
struct ArrayOutcome {
  std::shared_ptr<const Model> model;
  ReadArrays read;  // all that the order had, as far as it holds, and what it asked for
  std::optional<Error> problem;
};
ArrayOutcome place_from_file(const ArrayOrder& order);

}  // namespace headlight
