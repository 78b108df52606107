#include "engine/interpretation/layer_difference.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/network/layer_model.h"

namespace headlight {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
  throw Error(
      what + ": the layer is no more one of this model, which goes on as it was before", where,
      "undo it (Ctrl+Z): the model is saved as it was before, and its layers are switched again then");
}

// What is added: the bias, zeros if only the other layer has one, or nothing.
Matrix added_bias(const Model& model, const Model& other, Parameter parameter) {
  if (model.uses_bias(parameter)) return model.weights.bias(parameter);
  return other.uses_bias(parameter) ? Matrix::Zero(1, parameter_width(model, parameter)) : Matrix();
}

// The edited weights, or null if they equal those of the base. Returns `known` if it has the same numbers.
std::shared_ptr<const OwnWeights> own_weights(const Model& base, const Model& edited, Parameter parameter,
                                              const std::shared_ptr<const OwnWeights>& known) {
  const Matrix& from = base.weights.matrix(parameter);
  const bool as_stored = edited.weights.layout == base.weights.layout;
  const Matrix turned = as_stored ? Matrix() : Matrix(edited.weights.matrix(parameter).transpose());
  const Matrix& w = as_stored ? edited.weights.matrix(parameter) : turned;
  if (w.rows() != from.rows() || w.cols() != from.cols())
    refuse("W_" + std::string(parameter_name(parameter)) + " has another shape", "weights");
  const Matrix bias = added_bias(edited, base, parameter);
  if (same_matrix(w, from) && same_matrix(bias, added_bias(base, edited, parameter))) return nullptr;
  if (known && same_matrix(w, known->w) && same_matrix(bias, known->bias)) return known;
  return std::make_shared<const OwnWeights>(OwnWeights{w, bias});
}

// The edited value of a setting, likewise.
std::shared_ptr<const Model> own_setting(const Model& base, const Model& edited, LayerSetting setting,
                                         const std::shared_ptr<const Model>& known) {
  if (same_setting(setting, base, edited)) return nullptr;
  return known && same_setting(setting, *known, edited) ? known : setting_of(setting, edited);
}

// Rejects what a layer must share with its model, since its weights and its other layers depend on it.
void require_same_shape(const Model& base, const Model& edited) {
  const AttentionSettings &a = base.attention, &b = edited.attention;
  if (a.projection != b.projection)
    refuse("queries, keys and values are made in another way", "attention.projection");
  if (a.output_projection != b.output_projection)
    refuse("the output projection is switched", "attention.output_projection");
  if (base.head_count() != edited.head_count()) refuse("it has other heads", "attention.num_heads");
  if (base.kv_head_count() != edited.kv_head_count())
    refuse("it has other heads of keys and values", "attention.num_kv_heads");
  if (base.d_k() != edited.d_k() || base.d_v() != edited.d_v() || base.d_out() != edited.d_out())
    refuse("its heads or its output have another width", "attention.d_out");
  if (edited.sequence_count() != 1) refuse("it has several sequences", "tokens");
  if (b.dropout.active() && !b.dropout.seed && edited.weights.recipe)
    throw Error(
        "dropout without a seed continues behind the draws of weights, and a checkpoint's were not drawn",
        "attention.dropout.seed", "give the dropout a seed: the model follows then");
}

// Rejects other tokens.
void require_same_tokens(const OpenModel& work, const Model& edited) {
  if (edited.token_count() != token_count(work, work.layer.side)) refuse("there are other tokens", "tokens");
  if (edited.self_attention() != (work.layer.side != Side::Cross))
    refuse("it has keys of other tokens", "tokens");
  if (work.layer.side == Side::Cross && edited.key_count() != token_count(work, Side::Encoder))
    refuse("there are other tokens that it attends to", "key_tokens");
}

// X of cross-attention, and what its keys and values are made of, are what other layers leave.
void require_same_inputs(const LayerBase& base, const Model& edited) {
  if (!same_matrix(edited.embeddings.front(), base.input))
    refuse("X of cross-attention is changed, which is what the decoder's layer computed", "embeddings");
  if (!same_matrix(edited.key_embeddings.front(), base.memory))
    refuse("the tokens that cross-attention attends to are changed, which are what the encoder leaves",
           "key_embeddings");
}

// Adds a patch for each row that differs from the base, from its first differing number to its last.
void patch_input(OpenModel& work, const Matrix& base, const Matrix& edited) {
  std::erase_if(work.on.patches, [&](const Patch& patch) {
    return patch.stage == PatchStage::Input && LayerPlace(patch.side, patch.layer) == work.layer;
  });
  for (Index row = 0; row < base.rows(); ++row) {
    const float *a = base.row(row).data(), *b = edited.row(row).data();
    const Index first = std::mismatch(a, a + base.cols(), b).first - a;
    if (first == base.cols()) continue;
    Index last = base.cols() - 1;
    while (a[last] == b[last])
      --last;
    work.on.patches.push_back({PatchStage::Input, work.layer.layer, 0, row, first,
                               edited.block(row, first, 1, last - first + 1), work.layer.side});
  }
}

// Heads that the settings disable become Off, others that were Off become On; Mean of the others remains.
HeadStates head_states(HeadStates heads, const std::vector<Index>& disabled) {
  for (HeadState& state : heads)
    if (state == HeadState::Off) state = HeadState::On;
  for (const Index head : disabled) {
    heads.resize(std::max(heads.size(), static_cast<std::size_t>(head) + 1), HeadState::On);
    heads[static_cast<std::size_t>(head)] = HeadState::Off;
  }
  while (!heads.empty() && heads.back() == HeadState::On)
    heads.pop_back();
  return heads;
}

}  // namespace

LayerBase layer_base(NetworkPass& whole, LayerPlace place) {
  NetworkPass& pass = whole.of_side(place.side);
  LayerBase base;
  base.frame = std::make_shared<const Model>(layer_frame_of(whole.network(), place, pass.token_count()));
  if (place.side == Side::Cross) {
    base.input = pass.cross_input(place.layer, 0, pass.token_count());
    base.memory = pass.memory();
  } else if (!gives_heads(pass.network().config())) {
    base.input = pass.normed_residual(place.layer);
  }
  return base;
}

OpenModel with_layer(const OpenModel& work, const LayerBase& base, const Model& edited) {
  require_same_tokens(work, edited);
  require_same_shape(*base.frame, edited);
  OpenModel made = work;
  LayerChanges& layer = made.on.layers[work.layer];
  layer.heads = head_states(layer.heads, edited.attention.disabled_heads);
  for (const LayerSetting setting : kLayerSettings) {
    auto& own = layer.settings[static_cast<std::size_t>(setting)];
    own = own_setting(*base.frame, edited, setting, own);
  }
  const bool given = edited.attention.projection == Projection::Given;
  for (const Parameter parameter : kParameters) {
    if (given && parameter != Parameter::Output) continue;
    auto& own = layer.weights[static_cast<std::size_t>(parameter)];
    own = own_weights(*base.frame, edited, parameter, own);
  }
  if (work.layer.side == Side::Cross) {
    require_same_inputs(base, edited);
  } else if (!given) {
    if (edited.d_in() != base.input.cols()) refuse("X has another width", "embeddings");
    patch_input(made, base.input, edited.embeddings.front());
  }
  if (layer == LayerChanges{}) made.on.layers.erase(work.layer);
  return made;
}

}  // namespace headlight
