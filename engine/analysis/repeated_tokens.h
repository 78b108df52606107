// Random tokens that are said twice: the text on which induction heads are measured, because nothing but the
// repetition says what follows (Olsson et al., "In-context Learning and Induction Heads", 2022).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/network/network.h"

namespace headlight {

struct RepeatedTokens {
  Index count = 40;       // tokens that are said twice
  std::int64_t seed = 0;  // any; torch.manual_seed(seed)
  bool operator==(const RepeatedTokens&) const = default;
};

// The ids that the tokenizer puts before a text, and `count` ordinary tokens, twice: the k-th of them is that
// of torch.randint(0, N, (count,))[k] among the N ids that are not special, in their order. Throws Error if
// there are none, and if the text is longer than the model's positions.
std::vector<std::int32_t> repeated_tokens(const Network& network, const RepeatedTokens& wanted);
// The most tokens that can be said twice.
Index most_repeated(const Network& network);

}  // namespace headlight
