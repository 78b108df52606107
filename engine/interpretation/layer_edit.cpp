#include "engine/interpretation/layer_edit.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/network/layer_at.h"

namespace headlight {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
  throw Error(
      what, where,
      "choose “Layer alone” (Ctrl+K) first: it takes the layer out of its model, and undo brings that back");
}

bool same_addend(const Matrix& a, const Matrix& b) {
  if (a.size() == 0 || b.size() == 0) return a.isZero(0) && b.isZero(0);
  return same_matrix(a, b);
}

// The edited weights, or null if they equal the checkpoint's. Returns `known` if it has the same numbers.
std::shared_ptr<const OwnWeights> own_weights(const OwnWeights& stored, const Layer& edited,
                                              Parameter parameter,
                                              const std::shared_ptr<const OwnWeights>& known) {
  const Matrix& given = edited.weights.matrix(parameter);
  OwnWeights own{edited.weights.layout == WeightLayout::InOut ? given : Matrix(given.transpose()), {}};
  if (edited.uses_bias(parameter))
    own.bias = edited.weights.bias(parameter);
  else if (stored.bias.size() > 0)
    own.bias = Matrix::Zero(1, stored.bias.cols());
  if (same_matrix(own.w, stored.w) && same_addend(own.bias, stored.bias)) return nullptr;
  if (known && same_matrix(own.w, known->w) && same_matrix(own.bias, known->bias)) return known;
  return std::make_shared<const OwnWeights>(std::move(own));
}

// Rejects what a layer must share with its model, since its weights and its other layers depend on it.
void require_same_shape(const Layer& layer, const Layer& edited) {
  const AttentionSettings &a = layer.attention, &b = edited.attention;
  if (a.projection != b.projection)
    refuse("the queries, keys and values of a model's layer are made as its family makes them",
           "attention.projection");
  if (a.output_projection != b.output_projection)
    refuse("a model's layer keeps its output projection", "attention.output_projection");
  if (layer.head_count() != edited.head_count())
    refuse("the weights of a model's layer have other heads", "attention.num_heads");
  if (layer.kv_head_count() != edited.kv_head_count())
    refuse("the weights of a model's layer have other heads of keys and values", "attention.num_kv_heads");
  if (layer.d_k() != edited.d_k() || layer.d_v() != edited.d_v() || layer.d_out() != edited.d_out())
    refuse("the heads and the output of a model's layer have another width", "attention.d_out");
  if (layer.d_in() != edited.d_in() || layer.key_d_in() != edited.key_d_in())
    refuse("X of a model's layer is as wide as its stream", "embeddings");
  if (b.dropout.active() && !b.dropout.seed && edited.weights.recipe)
    throw Error(
        "dropout without a seed continues behind the draws of weights, and a checkpoint's were not drawn",
        "attention.dropout.seed", "give the dropout a seed");
}

void require_same_tokens(const Layer& layer, const Layer& edited) {
  if (edited.sequence_count() != layer.sequence_count()) refuse("a model reads one sequence", "tokens");
  if (edited.token_count() != layer.token_count() || edited.self_attention() != layer.self_attention())
    refuse("these are other tokens than the model's text has", "tokens");
  if (edited.key_count() != layer.key_count())
    refuse("these are other tokens than the encoder's text has", "key_tokens");
}

// Rejects numbers that the model computes before the layer sees them.
void require_same_inputs(const Layer& layer, const Layer& edited) {
  for (std::size_t i = 0; i < layer.given.size(); ++i)
    if (!same_matrices(layer.given[i], edited.given[i]))
      refuse("queries, keys and values of this family are normed before they are shown, and are not edited",
             "given");
  if (!same_matrices(layer.key_embeddings, edited.key_embeddings))
    refuse("the tokens that cross-attention attends to are what the encoder leaves", "key_embeddings");
  if (!layer.self_attention() && !same_matrices(layer.embeddings, edited.embeddings))
    refuse("X of cross-attention is what the decoder's layer computed", "embeddings");
  if (layer.overwritten != edited.overwritten)
    refuse("overwritten numbers of a model's layer are patches", "overwritten");
}

// The columns from `first` to `last` of a row.
struct Span {
  Index first = 0, last = -1;
  bool empty() const { return last < first; }
  Span with(Span other) const {
    if (empty() || other.empty()) return empty() ? other : *this;
    return {std::min(first, other.first), std::max(last, other.last)};
  }
};

// The numbers of a row that differ.
Span difference(const Matrix& before, const Matrix& after, Index row) {
  const float *a = before.row(row).data(), *b = after.row(row).data();
  const Index first = std::mismatch(a, a + before.cols(), b).first - a;
  if (first == before.cols()) return {};
  Index last = before.cols() - 1;
  while (a[last] == b[last])
    --last;
  return {first, last};
}

Span patched_columns(const std::vector<Patch>& patches, Index row) {
  Span span;
  for (const Patch& patch : patches)
    if (row >= patch.row && row < patch.row + patch.values.rows())
      span = span.with({patch.column, patch.column + patch.values.cols() - 1});
  return span;
}

// Makes X of the shown layer that of `edited`, by a patch for each row that was, or is, edited.
void patch_input(OpenModel& work, const Matrix& before, const Matrix& edited) {
  std::vector<Patch> there;
  std::erase_if(work.on.patches, [&](const Patch& patch) {
    const bool of_input =
        patch.stage == PatchStage::Input && LayerPlace(patch.side, patch.layer) == work.layer;
    if (of_input) there.push_back(patch);
    return of_input;
  });
  for (Index row = 0; row < before.rows(); ++row) {
    const Span span = patched_columns(there, row).with(difference(before, edited, row));
    if (span.empty()) continue;
    work.on.patches.push_back({PatchStage::Input, work.layer.layer, 0, row, span.first,
                               edited.block(row, span.first, 1, span.last - span.first + 1),
                               work.layer.side});
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

// What an edit changes of the layer.
struct Reach {
  const Layer& layer;
  bool settings = false, input = false;
  std::array<bool, 4> weights = {};  // by Parameter

  void add(const CellsEdit& edit) {
    if (edit.input.kind == InputKind::Weight || edit.input.kind == InputKind::Bias)
      weights[static_cast<std::size_t>(edit.input.parameter)] = true;
    else if (edit.input.kind == InputKind::Mask || edit.input.kind == InputKind::ScoreBias)
      settings = true;
    else
      input = true;
  }
  void operator()(const CellsEdit& edit) { add(edit); }
  void operator()(const BlocksEdit& edit) {
    for (const CellsEdit& block : edit.blocks)
      add(block);
  }
  void operator()(const SettingsEdit& edit) {
    settings = true;
    weights.fill(edit.attention.qkv_bias != layer.attention.qkv_bias);
  }
  void operator()(const MaskEdit&) { settings = true; }
  void operator()(const LayerEdit&) {
    settings = input = true;
    weights.fill(true);
  }
};

void take_settings(OpenModel& work, LayerChanges& changes, const Layer& edited) {
  changes.heads = head_states(changes.heads, edited.attention.disabled_heads);
  const Layer stored = layer_settings_of(*work.network, work.layer, edited.token_count());
  for (const LayerSetting setting : kLayerSettings) {
    auto& own = changes.settings[static_cast<std::size_t>(setting)];
    if (same_setting(setting, stored, edited))
      own = nullptr;
    else if (!own || !same_setting(setting, *own, edited))
      own = setting_of(setting, edited);
  }
}

}  // namespace

OpenModel with_layer_edit(const OpenModel& work, const Edit& edit, const Layer& layer) {
  const auto* const whole = std::get_if<LayerEdit>(&edit);
  Layer copy;
  if (!whole) apply_edit(edit, copy = layer);
  const Layer& edited = whole ? *whole->layer : copy;
  require_same_tokens(layer, edited);
  require_same_shape(layer, edited);
  require_same_inputs(layer, edited);
  if (whole) validate(edited);
  Reach reach{layer};
  std::visit(reach, edit);
  OpenModel made = work;
  LayerChanges& changes = made.on.layers[work.layer];
  if (reach.settings) take_settings(made, changes, edited);
  for (const Parameter parameter : kParameters) {
    const auto at = static_cast<std::size_t>(parameter);
    if (reach.weights[at] && edited.uses(parameter))
      changes.weights[at] = own_weights(stored_weights(*work.network, work.layer, parameter), edited,
                                        parameter, changes.weights[at]);
  }
  if (reach.input && edited.self_attention() && !edited.embeddings.empty())
    patch_input(made, layer.embeddings.front(), edited.embeddings.front());
  if (changes == LayerChanges{}) made.on.layers.erase(work.layer);
  return made;
}

}  // namespace headlight
