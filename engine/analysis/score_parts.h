// Why a head gives a pair of tokens its score: the score is bilinear in the query's and the key's stream, so
// that it is the sum over pairs of parts of both, in which the divisors of the norms are held (QK
// attribution).
#pragma once

#include <functional>
#include <vector>

#include "engine/analysis/stream_parts.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct ScorePlace {
  Index layer = 0, head = 0, query = 0, key = 0;
};

struct ScoreParts {
  std::vector<StreamPart> parts;  // of the stream that enters the layer: P
  // Row: a part of the query's stream, column: of the key's. They sum to the score, scaled, before a softcap,
  // a bias of the scores, the mask and softmax. "biases" has also those of the norm and the projections.
  Matrix cells;      // P x P
  double score = 0;  // that of the pass, which the cells sum to within rounding
};

// The length of a text, and the changes under which it is read.
struct ScoreText {
  Index tokens = 0;
  const std::vector<Patch>& patches;
  std::function<bool(InterventionPlace place, Index layer)> intervenes;
};

// Throws Error as require_parts(); for a place that there is not, or that the mask hides; if the model cuts
// queries and keys off, or norms those of all heads together about their mean, so that they are no sums; and
// if changes replace queries or keys of the layer, or the stream between layers before it. Computes nothing.
void require_score(const Network& network, const ScoreText& text, const ScorePlace& place);

// Throws Error as require_score(); Stopped.
ScoreParts score_parts(NetworkPass& pass, const ScorePlace& place);

// The key that the query's weight is largest for.
Index strongest_key(NetworkPass& pass, Index layer, Index head, Index query);

}  // namespace headlight
