// One array of a file read beside the window, as far as a small picture and a line of figures can show it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/array_import/array_roles.h"
#include "engine/choosing/array_facts.h"
#include "engine/views/query.h"

namespace headlight {

struct ArrayLook {
  std::size_t entry = 0;
  ArraySummary summary;
  Tile tile;  // of a matrix; of the first one of more; of a single row; empty of text
  ArrayFacts facts;
  std::optional<Error> problem;
};
inline constexpr Index kMostThumbnailCells = 192;  // in either direction
// Does not throw: what went wrong is in the result.
ArrayLook look_at_array(const std::filesystem::path& path, const std::string& name, std::size_t entry);

}  // namespace headlight
