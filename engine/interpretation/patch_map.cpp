#include "engine/interpretation/patch_map.h"

#include "engine/core/error.h"
#include "engine/interpretation/stage_values.h"
#include "engine/training/decoder_pass.h"

namespace headlight {
namespace {

Index heads_of(const NetworkConfig& c, PatchStage stage) {
  return stage == PatchStage::Keys || stage == PatchStage::Values ? c.kv_heads : c.heads;
}

// Bytes of the weights of all heads of all layers.
double bytes_of_weights(const NetworkConfig& c, Index tokens) {
  return sizeof(float) * static_cast<double>(c.layers * c.heads) * static_cast<double>(tokens * tokens);
}

void require_same_shape(const NetworkPass& pass, const NetworkPass& source) {
  const NetworkConfig &a = pass.network().config(), &b = source.network().config();
  if (a.layers != b.layers || a.width != b.width || a.heads != b.heads || a.kv_heads != b.kv_heads ||
      a.head_width != b.head_width)
    throw Error("the other text goes through a model of another shape, " + source.network().name(), "text",
                "patches go from layer to layer and head to head: take the same model for both texts");
}

void require_pairs_exist(const NetworkPass& pass, const NetworkPass& source,
                         const std::vector<TokenPair>& pairs) {
  for (const auto [here, there] : pairs)
    if (here < 0 || here >= pass.token_count() || there < 0 || there >= source.token_count())
      throw Error(
          "there is no token " + std::to_string(here) + " or, in the other text, " + std::to_string(there),
          "text",
          "the texts have " + std::to_string(pass.token_count()) + " and " +
              std::to_string(source.token_count()) + " tokens, counted from 0");
}

}  // namespace

bool has_heads(PatchStage stage) {
  switch (stage) {
    case PatchStage::Residual:
    case PatchStage::Input:
    case PatchStage::AttentionAdded:
    case PatchStage::MlpAdded:
      return false;
    case PatchStage::Queries:
    case PatchStage::Keys:
    case PatchStage::Values:
    case PatchStage::Weights:
    case PatchStage::Context:
      break;
  }
  return true;
}

Patch PatchMap::patch(Index layer, Index column) const {
  if (!has_heads(stage))
    return {stage, layer, 0, column, 0, values[static_cast<std::size_t>(layer)].row(column)};
  return {stage, layer, column, 0, 0, values[static_cast<std::size_t>(layer * logits.cols() + column)]};
}

void require_alike(const NetworkPass& pass, const NetworkPass& source) {
  if (source.token_count() != pass.token_count())
    throw Error("the other text has " + std::to_string(source.token_count()) + " tokens, this one has " +
                    std::to_string(pass.token_count()),
                "text", "patches go from token to token: give texts of as many tokens");
  require_same_shape(pass, source);
}

PatchMap patch_map(const NetworkPass& pass, NetworkPass& source, PatchStage stage, const LogitChoice& logit,
                   const std::function<void(Index, Index)>& done) {
  require_alike(pass, source);
  const NetworkConfig& c = pass.network().config();
  if (stage == PatchStage::Weights)
    require_memory_for("storing the weights of all heads", bytes_of_weights(c, pass.token_count()), "text");
  const Index layers = c.layers + (stage == PatchStage::Residual ? 1 : 0);
  const Index columns = has_heads(stage) ? heads_of(c, stage) : pass.token_count();
  keep_panels(pass.network().weights());  // packing them anew would be a fifth of each pass
  NetworkPass patched = pass;
  PatchMap map;
  map.stage = stage;
  map.logits.resize(layers, columns);
  for (Index layer = 0; layer < layers; ++layer) {
    if (!has_heads(stage)) map.values.push_back(stage_values(source, {stage, layer, 0}));
    for (Index column = 0; column < columns; ++column) {
      if (has_heads(stage)) map.values.push_back(stage_values(source, {stage, layer, column}));
      std::vector<Patch> patches = pass.patches();
      patches.push_back(map.patch(layer, column));
      patched.set_patches(patches);
      map.logits(layer, column) =
          static_cast<float>(chosen_value(patched.logits(logit.position, 1).row(0), logit));
      done(layer * columns + column + 1, map.logits.size());
    }
  }
  return map;
}

Matrix aligned_patches(const NetworkPass& pass, NetworkPass& source, PatchStage stage,
                       const LogitChoice& logit, const std::vector<TokenPair>& pairs,
                       const std::function<void(Index, Index)>& done) {
  require_same_shape(pass, source);
  require_pairs_exist(pass, source, pairs);
  if (stage == PatchStage::Weights) require_alike(pass, source);
  const NetworkConfig& c = pass.network().config();
  const bool heads = has_heads(stage);
  const Index layers = c.layers + (stage == PatchStage::Residual ? 1 : 0),
              columns = heads ? heads_of(c, stage) : static_cast<Index>(pairs.size());
  NetworkPass patched = pass;
  Matrix values(layers, columns);
  for (Index layer = 0; layer < layers; ++layer)
    for (Index column = 0; column < columns; ++column) {
      const Matrix theirs = stage_values(source, {stage, layer, heads ? column : 0});
      std::vector<Patch> patches = pass.patches();
      for (std::size_t i = 0; i < pairs.size(); ++i)
        if (heads || static_cast<Index>(i) == column)
          patches.push_back({stage, layer, heads ? column : 0, pairs[i].here, 0, theirs.row(pairs[i].there)});
      patched.set_patches(patches);
      values(layer, column) =
          static_cast<float>(chosen_value(patched.logits(logit.position, 1).row(0), logit));
      done(layer * columns + column + 1, values.size());
    }
  return values;
}

}  // namespace headlight
