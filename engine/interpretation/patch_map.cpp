#include "engine/interpretation/patch_map.h"

#include "engine/core/error.h"
#include "engine/interpretation/stage_values.h"

namespace headlight {

PatchMap patch_map(const NetworkPass& pass, NetworkPass& source, PatchStage stage, const LogitChoice& logit,
                   const std::function<void(Index, Index)>& done) {
  const Index tokens = pass.token_count();
  const Index layers = pass.network().config().layers + (stage == PatchStage::Residual ? 1 : 0);
  if (source.token_count() != tokens)
    throw Error("the other text has " + std::to_string(source.token_count()) + " tokens, this one has " +
                    std::to_string(tokens),
                "text", "patches go from token to token: give texts of as many tokens");
  NetworkPass patched = pass;
  const std::vector<Patch>& own = pass.patches();
  PatchMap map;
  map.logits.resize(layers, tokens);
  for (Index layer = 0; layer < layers; ++layer) {
    const Matrix& values = map.values.emplace_back(stage_values(source, {stage, layer, 0}));
    for (Index token = 0; token < tokens; ++token) {
      std::vector<Patch> patches = own;
      patches.push_back({stage, layer, 0, token, 0, values.row(token)});
      patched.set_patches(patches);
      map.logits(layer, token) = chosen_logit(patched.logits(logit.position, 1).row(0), logit);
      done(layer * tokens + token + 1, map.logits.size());
    }
  }
  return map;
}

}  // namespace headlight
