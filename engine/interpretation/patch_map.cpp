#include "engine/interpretation/patch_map.h"

#include "engine/core/error.h"

namespace headlight {

Matrix patch_map(const NetworkPass& pass, NetworkPass& source, const LogitChoice& logit,
                 const std::function<void(Index, Index)>& done) {
  const Index tokens = pass.token_count(), layers = pass.network().config().layers;
  if (source.token_count() != tokens)
    throw Error("the other text has " + std::to_string(source.token_count()) + " tokens, this one has " +
                    std::to_string(tokens),
                "text", "patches go from token to token: give texts of as many tokens");
  NetworkPass patched = pass;
  const std::vector<Patch>& own = pass.patches();
  Matrix map(layers + 1, tokens);
  for (Index layer = 0; layer <= layers; ++layer)
    for (Index token = 0; token < tokens; ++token) {
      std::vector<Patch> patches = own;
      patches.push_back({PatchStage::Residual, layer, 0, token, 0, source.residual_row(layer, token)});
      patched.set_patches(patches);
      map(layer, token) = chosen_logit(patched.logits(logit.position, 1).row(0), logit);
      done(layer * tokens + token + 1, map.size());
    }
  return map;
}

}  // namespace headlight
