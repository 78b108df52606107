// The number that text shows for the first head, token, dimension or sequence. The literature and the command
// line count from 0, lessons for beginners from 1; files always count from 0.
#pragma once

#include <string>

#include "engine/core/matrix.h"

namespace headlight {

struct Counting {
  Index first = 0;  // 0 or 1

  std::string number(Index at) const { return std::to_string(at + first); }
  // The range [begin, end) as text: "3" or "3–7".
  std::string range(Index begin, Index end) const {
    return end - begin == 1 ? number(begin) : number(begin) + "\u2013" + number(end - 1);
  }
  bool operator==(const Counting&) const = default;
};

}  // namespace headlight
