// Reads one array of a file for a thumbnail and a line of facts; called on a background thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/array_import/array_facts.h"
#include "engine/array_import/array_roles.h"
#include "engine/views/query.h"

namespace headlight {

struct ArrayPreview {
  std::size_t entry = 0;
  ArraySummary summary;
  Tile tile;  // of the (first) matrix or the single row; empty for text
  ArrayFacts facts;
  std::optional<Error> problem;
};
inline constexpr Index kMostThumbnailCells = 192;  // in each direction
// Does not throw: errors are stored in `problem`.
ArrayPreview preview_array(const std::filesystem::path& path, const std::string& name, std::size_t entry);

}  // namespace headlight
