// The rotary positions of a model's layers, which may turn in different ways or not at all.
#pragma once

#include <vector>

#include "engine/architecture/network_config.h"
#include "engine/attention/kernels.h"

namespace headlight {

// How queries and keys of a layer are turned; null: they are not.
struct HeadRotations {
  const Rotation *queries = nullptr, *keys = nullptr;
};

class Rotations {
 public:
  // The positions of each layer, for texts of that many tokens from now on; `room`: how many to make ready,
  // at least that many. True if tokens before are turned otherwise than they were.
  bool prepare(const std::vector<Position>& layers, Index head_width, Index tokens, Index room);
  // Valid until the next prepare().
  HeadRotations of(Index layer) const;

 private:
  struct Way {
    Position position;  // from its start on
    Rotation rotation;
  };
  // Numbers in ways_ from 1 on; 0: none.
  struct Turned {
    std::size_t queries = 0, keys = 0;
    bool operator==(const Turned&) const = default;
  };
  const Rotation* way(std::size_t number) const {
    return number == 0 ? nullptr : &ways_[number - 1].rotation;
  }

  std::vector<Way> ways_;
  std::vector<Turned> layers_;
  Index covered_ = 0;  // tokens
};

// The bias that the model adds to the scores of every layer in a text of that many tokens, 1 x H x T x T or 1
// x H x 1 x T: the relative positions of relative_bias (buckets x heads), or ALiBi in bfloat16. Empty: none.
PairArray score_bias_of(const NetworkConfig& c, const Matrix& relative_bias, Index tokens);

}  // namespace headlight
