// A range of consecutive rows or columns.
#pragma once

#include "engine/core/matrix.h"

namespace headlight {

struct Span {  // half open
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
  bool operator==(const Span&) const = default;
};

}  // namespace headlight
