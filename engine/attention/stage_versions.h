// A version number for each matrix of each stage; it increases when the matrix is recomputed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/layer/stage.h"

namespace headlight {

class StageVersions {
 public:
  // Gives the stages in the set a new version: matrices of one head and of stages without heads, or all.
  void note(const Layer& layer, StageSet stages, std::optional<Index> head = {});
  std::uint64_t of(const Layer& layer, Stage stage, Index sequence, Index head) const;

 private:
  std::array<std::vector<std::uint64_t>, kStageCount> versions_;  // index sequence * stage_heads + head
  std::uint64_t last_ = 0;
};

}  // namespace headlight
