// The stages of pairs for a block of rows of one head, in scratch memory.
#pragma once

#include <array>
#include <vector>

#include "engine/attention/pair_rows.h"
#include "engine/layer/stage.h"
#include "engine/simd/workspace.h"

namespace headlight {

// What the rows of a block are computed from. The noise of dropout is null without dropout.
struct PairInputs {
  Index sequence = 0, head = 0;
  const MatrixRef& queries;  // T x d_k, turned if the positions are rotary; empty with given weights
  const MatrixRef& keys;     // Tk x d_k
  const Matrix* noise = nullptr;
};

class PairBlock {
 public:
  // separate: stages whose numbers are read after all have been computed; the other ones share the memory of
  // the weights, which the next one replaces. Memory is reused by the next block.
  PairBlock(const Layer& layer, StageSet existing, StageSet separate, Workspace& workspace);

  // Computes the first `columns` columns of `count` rows from `first` on, of the existing stages up to
  // `last`, which is one of pairs.
  void compute(const PairInputs& inputs, Index first, Index count, Index columns, Stage last);
  Eigen::Map<Matrix> rows(Stage stage);
  // The weights before numbers of them were overwritten.
  Eigen::Map<Matrix> normalized();

 private:
  std::size_t buffer_of(Stage stage) const { return buffer_of_[static_cast<std::size_t>(stage)]; }
  Eigen::Map<Matrix> buffer(std::size_t at) { return {buffers_[at].data(), count_, columns_}; }

  const Layer& layer_;
  StageSet existing_;
  Workspace& workspace_;
  std::array<std::size_t, kStageCount> buffer_of_{};  // index in buffers_
  std::vector<Scratch> buffers_;  // the first one that of the weights, the last normalized()
  Index count_ = 0, columns_ = 0;
  bool overwritten_ = false;
};

// How many rows a block has: as many as keep its stages within the processor's caches.
inline constexpr Index kBlockRows = 120;

// The number of the first keys that contain all keys open to these queries of the head.
Index open_columns(const Layer& layer, Index sequence, Index head, Index first, Index count);

}  // namespace headlight
