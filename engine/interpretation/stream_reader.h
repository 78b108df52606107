// What reads the residual stream of a model, each through its own norm and projection.
#pragma once

#include "engine/core/matrix.h"

namespace headlight {

struct StreamReader {
  enum class Kind { Queries, Keys, Values, Mlp, Logits };
  Kind kind = Kind::Logits;
  Index layer = 0;
  Index head = 0;  // of Queries; of Keys and Values a head of keys and values
  bool operator==(const StreamReader&) const = default;
};

}  // namespace headlight
