// Samples the next token of a text.
#pragma once

#include <cstdint>

#include "engine/core/matrix.h"
#include "engine/core/torch_stream.h"

namespace headlight {

struct Sampling {
  double temperature = 1;  // logits are divided by it; 0: the likeliest token
  Index top_k = 0;         // only the top_k likeliest tokens; 0: all
  bool operator==(const Sampling&) const = default;
};

// Throws Error if the temperature is negative or not finite, or if top_k is negative.
void require_sampling(const Sampling& sampling);

// Draws a token by the softmax of the logits, of which NaN counts as minus infinity. Temperature 0: the
// likeliest, of equal ones the lowest id. Takes one number of the stream if more than one token is possible.
// Precondition: require_sampling() accepts `sampling`.
std::int32_t drawn_token(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const Sampling& sampling,
                         TorchStream& stream);

}  // namespace headlight
