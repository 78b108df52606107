// The rotary positions of a model's layers, which may turn in different ways or not at all.
#pragma once

#include <vector>

#include "engine/architecture/network_config.h"
#include "engine/kernels/kernels.h"

namespace headlight {

class Rotations {
 public:
  // Covers texts of that many tokens from now on; `room`: how many to make ready, at least that many. True if
  // tokens before are turned otherwise than they were.
  bool prepare(const NetworkConfig& c, Index tokens, Index room);
  // Of a layer; null: its queries and keys are not turned. Valid until the next prepare().
  const Rotation* of(Index layer) const {
    const std::size_t own = layers_.empty() ? 0 : layers_[static_cast<std::size_t>(layer)];
    return own == 0 ? nullptr : &ways_[own - 1].rotation;
  }
  // The inverse rotations, which the backward pass applies to gradients.
  Rotations transposed() const;

 private:
  struct Way {
    Position position;
    Rotation rotation;
  };
  std::vector<Way> ways_;
  std::vector<std::size_t> layers_;  // number in ways_ from 1 on; 0: none
  Index covered_ = 0;                // tokens
};

// The bias that the model adds to the scores of every layer in a text of that many tokens, 1 x H x T x T or 1
// x H x 1 x T: the relative positions of relative_bias (buckets x heads), or ALiBi in bfloat16. Empty: none.
PairArray score_bias_of(const NetworkConfig& c, const Matrix& relative_bias, Index tokens);

}  // namespace headlight
