// The post-processor of a tokenizer.json: what is put around the ids of one text.
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

// value: null for one that adds nothing. Throws Error with a place from "post_processor" on, also when it
// adds tokens that there are not.
PostProcessor read_post_processor(const Json* value, const TokenNames& names);

}  // namespace headlight
