// The layer that a file of arrays makes by itself, without a session.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/array_import/array_choices.h"

namespace headlight {

struct ArrayModel {
  Layer layer;
  std::vector<std::string> assumed;  // one line each
};

// The layer that the dialog proposes. Throws `Error`, with the name of the array and the option, for what is
// ambiguous, and where anything would be drawn at random; also for files that cannot be read and answers that
// contradict the arrays.
ArrayModel load_arrays(const std::filesystem::path& path, const ArrayOptions& answers);

}  // namespace headlight
