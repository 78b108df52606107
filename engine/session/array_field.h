// Matrices in a session file: rows of numbers, or a reference to an array file beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/json_document.h"
#include "engine/core/matrix.h"

namespace headlight {

// `folder`: references are read relative to it and never leave its tree, not through links either.
// `place` names the member in messages. All throw Error.
class ArrayField {
 public:
  explicit ArrayField(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Matrix matrix(const Json& value, const std::string& place) const;
  // 1 x n, from a list of numbers or an array of one dimension (or one row).
  Matrix vector(const Json& value, const std::string& place) const;
  // [T][d] makes one matrix, [B][T][d] makes B.
  std::vector<Matrix> batch(const Json& value, const std::string& place) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace headlight
