// A number for each matrix of each stage that grows when the matrix is made anew.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/stage.h"

namespace headlight {

class StageVersions {
 public:
  // The stages in the set are new: of one head, or of all and of what has no heads.
  void note(const Model& model, StageSet stages, std::optional<Index> head = {});
  std::uint64_t of(const Model& model, Stage stage, Index sequence, Index head) const;

 private:
  std::array<std::vector<std::uint64_t>, kStageCount> versions_;  // index sequence * stage_heads + head
  std::uint64_t last_ = 0;
};

}  // namespace headlight
