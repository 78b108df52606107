// The token that a text goes on with.
#pragma once

#include <cstdint>

#include "engine/core/matrix.h"
#include "engine/random/torch_stream.h"

namespace headlight {

struct Sampling {
  double temperature = 1;  // logits are divided by it; 0: the likeliest token
  Index top_k = 0;         // only the so many likeliest; 0: all
  bool operator==(const Sampling&) const = default;
};

// Throws Error when the temperature is below 0 or no number, or top_k is below 0.
void require_sampling(const Sampling& sampling);

// One token by the softmax of the logits, of which NaN counts as minus infinity; of equal likeliest ones the
// lowest id. With a temperature above 0 it takes one number of the stream. Precondition: a good sampling.
std::int32_t drawn_token(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const Sampling& sampling,
                         TorchStream& stream);

}  // namespace headlight
