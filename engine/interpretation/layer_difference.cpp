#include "engine/interpretation/layer_difference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/error.h"
#include "engine/network/layer_model.h"

namespace headlight {
namespace {

constexpr double kRounding = 1e-6;  // relative: scales are stored as float32

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
  throw Error(
      what + ": the layer is no more one of this model, which goes on as it was before", where,
      "undo it (Ctrl+Z): the model is saved as it was before, and its layers are switched again then");
}

bool same_numbers(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && std::equal(a.data(), a.data() + a.size(), b.data());
}

// The edited weights, or null if they equal those of the base. Returns `known` if it has the same numbers.
std::shared_ptr<const OwnWeights> own_weights(const Model& base, const Model& edited, Parameter parameter,
                                              const std::shared_ptr<const OwnWeights>& known) {
  const Matrix &w = edited.weights.matrix(parameter), &bias = edited.weights.bias(parameter);
  if (w.rows() != base.weights.matrix(parameter).rows() || w.cols() != base.weights.matrix(parameter).cols())
    refuse("W_" + std::string(parameter_name(parameter)) + " has another shape", "weights");
  if (same_numbers(w, base.weights.matrix(parameter)) && same_numbers(bias, base.weights.bias(parameter)))
    return nullptr;
  if (known && same_numbers(w, known->w) && same_numbers(bias, known->bias)) return known;
  return std::make_shared<const OwnWeights>(OwnWeights{w, bias});
}

bool same_mask(const Model& a, const Model& b) {
  return a.attention.mask == b.attention.mask && a.attention.rules == b.attention.rules &&
         same_numbers(a.custom_mask, b.custom_mask) &&
         a.allowed.matrices.empty() == b.allowed.matrices.empty();
}

// The edited mask, T x T of 0 and 1; null if it equals that of the base.
std::shared_ptr<const Matrix> own_mask(const Model& base, const Model& edited,
                                       const std::shared_ptr<const Matrix>& known) {
  if (same_mask(base, edited)) return nullptr;
  if (edited.allowed.heads > 1) refuse("heads have masks of their own", "attention.mask");
  Matrix allowed(edited.token_count(), edited.key_count());
  for (Index query = 0; query < allowed.rows(); ++query)
    for (Index key = 0; key < allowed.cols(); ++key)
      allowed(query, key) = edited.may_attend(query, key) ? 1.0f : 0.0f;
  if (known && same_numbers(*known, allowed)) return known;
  return std::make_shared<const Matrix>(std::move(allowed));
}

// Rejects changes of settings that a layer must share with its model.
void require_same_settings(const Model& base, const Model& edited) {
  AttentionSettings a = base.attention;
  const AttentionSettings& b = edited.attention;
  a.disabled_heads = b.disabled_heads;
  a.scale = b.scale;
  a.mask = b.mask;
  a.rules = b.rules;
  a.softcap = b.softcap;
  if (!(a == b)) refuse("its settings are changed", "attention");
  if (edited.weights.layout != base.weights.layout)
    refuse("weights are stored the other way round", "weights");
  if (!(edited.score_bias == base.score_bias))
    refuse("the bias of the scores is changed", "attention.score_bias");
  if (edited.sequence_count() != 1) refuse("it has several sequences", "tokens");
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
  if (!same_numbers(edited.embeddings.front(), base.input))
    refuse("X of cross-attention is changed, which is what the decoder's layer computed", "embeddings");
  if (!same_numbers(edited.key_embeddings.front(), base.memory))
    refuse("the tokens that cross-attention attends to are changed, which are what the encoder leaves",
           "key_embeddings");
}

// A temperature divides the scores and, if they are capped, the cap as well (NetworkPass::set_weighing).
double temperature_of(const Model& base, const Model& edited) {
  const auto own = static_cast<double>(base.scale_factor()),
             factor = static_cast<double>(edited.scale_factor());
  const double temperature = edited.attention.scale == base.attention.scale ? 1 : own / factor;
  if (!(factor > 0)) refuse("the scale is not above 0", "attention.scale");
  if (std::abs(edited.attention.softcap * temperature - base.attention.softcap) >
      kRounding * base.attention.softcap)
    refuse("scale and softcap do not go together: a temperature divides both", "attention.softcap");
  return temperature;
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
  require_same_settings(*base.frame, edited);
  OpenModel made = work;
  LayerChanges& layer = made.on.layers[work.layer];
  layer.heads = head_states(layer.heads, edited.attention.disabled_heads);
  const double temperature = temperature_of(*base.frame, edited);
  if (std::abs(temperature - layer.temperature) > kRounding * temperature) layer.temperature = temperature;
  layer.allowed = own_mask(*base.frame, edited, layer.allowed);
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
