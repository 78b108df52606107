#include "engine/views/tile_builder.h"

#include <string>

#include "engine/core/error.h"

namespace headlight {

Span checked_span(Index begin, Index end, Index total, const char* what, Stage stage) {
  if (end == 0) end = total;
  if (begin < 0 || begin > end || end > total)
    throw Error(std::string(what) + " " + std::to_string(begin) + " to " + std::to_string(end) +
                    " lie outside 0 to " + std::to_string(total),
                std::string(stage_info(stage).name), "ask for a part of the matrix");
  return {begin, end};
}

}  // namespace headlight
