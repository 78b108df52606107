// The post-processor of a tokenizer.json: the ids added around those of a text.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/added_tokens.h"

namespace headlight {

struct PostProcessor {
  std::vector<std::int32_t> before;
  std::vector<std::int32_t> after;
};

// value: null for none. Throws `Error` with a place that begins with "post_processor", also for unknown
// tokens.
PostProcessor read_post_processor(const Json* value, const TokenNames& names);

}  // namespace headlight
