// Activation patching at every place: how the numbers of another text, inserted at one layer and token, or at
// one head, change a prediction. Meng et al. 2022, arXiv 2202.05262.
#pragma once

#include <functional>
#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// Whether the stage has heads: a map has then a column for each of them, and each patch replaces all that the
// head has there.
bool has_heads(PatchStage stage);

// A token of a text, and the token of another one whose numbers take its place.
struct TokenPair {
  Index here = 0, there = 0;
  bool operator==(const TokenPair&) const = default;
};

struct PatchMap {
  PatchStage stage = PatchStage::Residual;
  Matrix logits;  // the number with each patch: L x T (Residual: L + 1 x T); of a stage with heads L x heads
  // The inserted values: by layer, T x d; of a stage with heads by layer * heads + head, as stage_values().
  std::vector<Matrix> values;

  // The patch of a cell.
  Patch patch(Index layer, Index column) const;
};

// Throws Error if the texts differ in their number of tokens, or their models in their shape.
void require_alike(const NetworkPass& pass, const NetworkPass& source);

// Inserts at one place after the other what `source`, a text of as many tokens, has there: one token's row,
// or, of a stage with heads, all of one head. `pass` does not change. `done`: called with the number of
// results that are known, and of all. Throws Error as require_alike(), if the
// inserted values do not fit in memory, or if the model has no predictions; Stopped.
PatchMap patch_map(const NetworkPass& pass, NetworkPass& source, PatchStage stage, const LogitChoice& logit,
                   const std::function<void(Index done, Index all)>& done);

// The same between texts that may differ in length, at the tokens of `pairs` alone: a column for each pair;
// of a stage with heads the rows of all pairs at once. Returns the number with each patch, like
// PatchMap::logits. Throws Error as patch_map(), for Weights of texts that differ in length, and for a token
// that a text does not have.
Matrix aligned_patches(const NetworkPass& pass, NetworkPass& source, PatchStage stage,
                       const LogitChoice& logit, const std::vector<TokenPair>& pairs,
                       const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
