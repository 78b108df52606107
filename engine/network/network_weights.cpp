#include "engine/network/network_weights.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/architecture/config_fields.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/network/tensor_binder.h"

namespace headlight {
namespace {

// A head of queries, keys and values each in a fused tensor, as groups of its rows or columns.
struct QkvFactors {
  Factor query, key, value;
};

QkvFactors fused_in_blocks(const TensorBinder& bind, const NetworkConfig& c, const std::string& name) {
  const Index queries = c.heads * c.head_width, keys = c.kv_heads * c.head_width, all = queries + 2 * keys;
  return {bind.part(name, c.width, all, c.qkv_bias, {0, queries, queries}, queries),
          bind.part(name, c.width, all, c.qkv_bias, {queries, keys, keys}, keys),
          bind.part(name, c.width, all, c.qkv_bias, {queries + keys, keys, keys}, keys)};
}

QkvFactors fused_in_groups(const TensorBinder& bind, const NetworkConfig& c, const std::string& name) {
  const Index own = c.heads / c.kv_heads * c.head_width, step = own + 2 * c.head_width;
  const Index queries = c.heads * c.head_width, keys = c.kv_heads * c.head_width, all = queries + 2 * keys;
  return {bind.part(name, c.width, all, c.qkv_bias, {0, own, step}, queries),
          bind.part(name, c.width, all, c.qkv_bias, {own, c.head_width, step}, keys),
          bind.part(name, c.width, all, c.qkv_bias, {own + c.head_width, c.head_width, step}, keys)};
}

QkvFactors fused_in_quarters(const TensorBinder& bind, const NetworkConfig& c, const std::string& name) {
  const Index queries = c.heads * c.head_width, block = queries / 4;
  return {bind.part(name, c.width, 3 * queries, c.qkv_bias, {0, block, 3 * block}, queries),
          bind.part(name, c.width, 3 * queries, c.qkv_bias, {2 * block, block, 3 * block}, queries),
          bind.part(name, c.width, 3 * queries, c.qkv_bias, {block, block, 3 * block}, queries)};
}

QkvFactors separate(const TensorBinder& bind, const NetworkConfig& c, const std::string& h) {
  const Index queries = c.heads * c.head_width, keys = c.kv_heads * c.head_width;
  return {bind.linear(h + c.tensors.query, c.width, queries, c.qkv_bias),
          bind.linear(h + c.tensors.key, c.width, keys, c.qkv_bias),
          bind.linear(h + c.tensors.value, c.width, keys, c.qkv_bias)};
}

void bind_attention(const TensorBinder& bind, const NetworkConfig& c, const std::string& h,
                    LayerWeights& layer) {
  QkvFactors made;
  switch (c.tensors.qkv) {
    case QkvLayout::Separate:
      made = separate(bind, c, h);
      break;
    case QkvLayout::Blocks:
      made = fused_in_blocks(bind, c, h + c.tensors.fused);
      break;
    case QkvLayout::Groups:
      made = fused_in_groups(bind, c, h + c.tensors.fused);
      break;
    case QkvLayout::Quarters:
      made = fused_in_quarters(bind, c, h + c.tensors.fused);
      break;
  }
  layer.query = made.query;
  layer.key = made.key;
  layer.value = made.value;
  layer.query_norm = bind.head_norm(h, c.tensors.query_norm, c.heads);
  layer.key_norm = bind.head_norm(h, c.tensors.key_norm, c.kv_heads);
  layer.output = bind.linear(h + c.tensors.output, c.heads * c.head_width, c.width, c.output_bias);
  if (!c.tensors.sinks.empty()) layer.sinks = bind.numbers(h + c.tensors.sinks, c.heads);
}

void bind_cross(const TensorBinder& bind, const NetworkConfig& c, const std::string& h, LayerWeights& layer) {
  const Index heads = c.heads * c.head_width;
  layer.cross_norm = bind.norm(h, c.tensors.cross_norm, c.width);
  layer.cross_query = bind.linear(h + c.tensors.cross_query, c.width, heads, c.qkv_bias);
  layer.cross_key = bind.linear(h + c.tensors.cross_key, c.encoder->width, heads, c.qkv_bias);
  layer.cross_value = bind.linear(h + c.tensors.cross_value, c.encoder->width, heads, c.qkv_bias);
  layer.cross_output = bind.linear(h + c.tensors.cross_output, heads, c.width, c.output_bias);
}

void bind_mlp(const TensorBinder& bind, const NetworkConfig& c, const std::string& h, LayerWeights& layer) {
  const TensorNames& names = c.tensors;
  const Index width = c.mlp_width;
  if (!names.gate_up.empty()) {
    layer.gate = bind.part(h + names.gate_up, c.width, 2 * width, c.mlp_bias, {0, width, width}, width);
    layer.up = bind.part(h + names.gate_up, c.width, 2 * width, c.mlp_bias, {width, width, width}, width);
  } else {
    if (c.gated) layer.gate = bind.linear(h + names.gate, c.width, width, c.mlp_bias);
    layer.up = bind.linear(h + names.up, c.width, width, c.mlp_bias);
  }
  layer.down = bind.linear(h + names.down, width, c.width, c.mlp_bias);
}

void bind_experts(const TensorBinder& bind, const NetworkConfig& c, const std::string& h,
                  LayerWeights& layer) {
  const TensorNames& names = c.tensors;
  const Index width = c.experts.width;
  const bool packed = !names.packed_gate_up.empty();
  layer.router = bind.linear(h + names.router, c.width, c.experts.count, packed);
  for (Index i = 0; i < c.experts.count; ++i) {
    ExpertWeights expert;
    if (packed) {
      expert.up = bind.packed(h + names.packed_gate_up, c.experts.count, i, c.width, 2 * width);
      expert.down = bind.packed(h + names.packed_down, c.experts.count, i, width, c.width);
    } else {
      const std::string e = h + numbered(names.expert, i);
      expert.gate = bind.linear(e + names.expert_gate, c.width, width, false);
      expert.up = bind.linear(e + names.expert_up, c.width, width, false);
      expert.down = bind.linear(e + names.expert_down, width, c.width, false);
    }
    layer.experts.push_back(expert);
  }
}

LayerWeights bind_layer(const TensorBinder& bind, const NetworkConfig& c, Index number,
                        const std::string& h) {
  const TensorNames& names = c.tensors;
  LayerWeights layer;
  if (number > 0 || c.first_norm) layer.attention_norm = bind.norm(h, names.attention_norm, c.width);
  layer.mlp_norm = bind.norm(h, names.mlp_norm, c.width);
  layer.attention_out_norm = bind.norm(h, names.attention_out_norm, c.width);
  layer.mlp_out_norm = bind.norm(h, names.mlp_out_norm, c.width);
  bind_attention(bind, c, h, layer);
  if (c.cross) bind_cross(bind, c, h, layer);
  if (c.experts.in_layer(number))
    bind_experts(bind, c, h, layer);
  else
    bind_mlp(bind, c, h, layer);
  return layer;
}

void bind_image(const TensorBinder& bind, const NetworkConfig& c, const std::string& p, NetworkWeights& w) {
  const TensorNames& names = c.tensors;
  const ImageShape& image = c.image;
  w.class_token = &bind.reshaped(p + names.class_token, {1, 1, c.width}, {c.width});
  w.positions =
      &bind.reshaped(p + names.positions, {1, c.position_rows, c.width}, {c.position_rows, c.width});
  const Tensor& patches = bind.reshaped(p + names.patches + ".weight",
                                        {c.width, image.channels, image.patch_height, image.patch_width},
                                        {c.width, image.patch_numbers()});
  w.patches = {&patches,
               true,
               image.patch_numbers(),
               c.width,
               0,
               c.width,
               c.width,
               &bind.require(p + names.patches + ".bias", {c.width})};
}

void bind_embeddings(const TensorBinder& bind, const NetworkConfig& c, const std::string& p,
                     NetworkWeights& w) {
  const TensorNames& names = c.tensors;
  if (c.image.channels > 0) return bind_image(bind, c, p, w);
  const Index width = c.embedding_width, placed = c.projected_first ? c.width : width;
  w.tokens = &bind.require(p + names.tokens + ".weight", {c.vocabulary, width});
  if (!names.positions.empty())
    w.positions = &bind.require(p + names.positions + ".weight", {c.position_rows, placed});
  if (!names.types.empty()) w.types = &bind.require(p + names.types + ".weight", {c.token_types, width});
  w.embedding_norm = bind.norm(p, names.embedding_norm, width);
  if (!names.embedding_projection.empty())
    w.embedding_projection = bind.linear(p + names.embedding_projection, width, c.width, !c.projected_first);
  if (!names.relative_bias.empty())
    w.relative_bias = bind.table(names.relative_bias, c.relative_bias.buckets, c.heads);
}

// The bias of the logits may be stored in several places.
const Tensor* bind_logit_bias(const TensorBinder& bind, const NetworkConfig& c) {
  const std::vector<Index> shape = {c.vocabulary};
  const Tensor* bias = nullptr;
  std::string first;
  for (const std::string& name : c.tensors.head_biases) {
    if (!bind.has(name)) continue;
    // Buffers of the library have one row.
    const Tensor& found =
        bind.axes(name) == 2 ? bind.reshaped(name, {1, c.vocabulary}, shape) : bind.require(name, shape);
    if (bias && !(bias->bytes == found.bytes))
      throw Error(in_quotes(first) + " and " + in_quotes(name) +
                      " are not the same: versions of the library take the one or the other",
                  "", "take out the one that is not meant");
    if (!bias) first = name;
    bias = &found;
  }
  // That of a model of two sides is a buffer, which files without a head leave out.
  return bias || c.encoder ? bias : &bind.require(c.tensors.head_biases.front(), shape);
}

// Binds the logits: the token embeddings if they are tied, else a separate matrix. If there is none,
// missing_head states why.
void bind_logits(const TensorBinder& bind, const NetworkConfig& c, NetworkWeights& w) {
  const std::string weight = c.tensors.head + ".weight";
  const Index inputs = c.image.channels > 0 ? c.width : c.embedding_width;
  if (c.tied) {
    w.logits = {w.tokens, true, inputs, c.vocabulary, 0, c.vocabulary, c.vocabulary};
    if (bind.has(weight) && !same_beginning(bind.require(weight, w.tokens->shape), *w.tokens))
      w.notes.push_back(in_quotes(weight) +
                        " is left out: config.json ties what predicts to the token embeddings "
                        "(tie_word_embeddings)");
  } else if (bind.has(weight)) {
    w.logits = bind.row_linear(c.tensors.head, inputs, c.vocabulary);
  } else {
    w.missing_head =
        "there is no tensor " + in_quotes(weight) +
        (c.image.channels > 0 ? "" : ", and config.json does not tie it to the token embeddings");
  }
  if (!w.logits.empty() && c.logit_bias) w.logits.bias = bind_logit_bias(bind, c);
}

void bind_head(const TensorBinder& bind, const NetworkConfig& c, NetworkWeights& w) {
  const std::string& dense = c.tensors.head_dense;
  if (!dense.empty()) {
    if (!bind.has(dense + ".weight")) {
      w.missing_head = "there is no tensor " + in_quotes(dense + ".weight");
      return;
    }
    w.head_transform = bind.linear(dense, c.width, c.embedding_width, c.head_dense_bias);
    w.head_norm = bind.norm("", c.tensors.head_norm, c.embedding_width);
  }
  bind_logits(bind, c, w);
}

bool is_beside(std::string_view name) {
  constexpr std::array kEnds = {"attn.bias",    "attention.bias", "masked_bias",        "inv_freq",
                                "position_ids", "rotary_emb.cos", "embed_tokens.weight"};
  constexpr std::array kParts = {"pooler.", "cls.seq_relationship.", "classifier.",
                                 "score.",  "qa_outputs.",           "discriminator_predictions."};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](const char* end) { return name.ends_with(end); }) ||
         std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
           const std::size_t place = name.find(part);
           return place != std::string_view::npos &&
                  (place == 0 || name[place - 1] == '.' || name[place - 1] == '_');
         });
}

// Every factor of the weights that is there.
template <class Weights, class Function>
void for_each_factor(Weights& w, Function function) {
  const auto visit = [&](auto&... factors) { ((factors.empty() ? void() : function(factors)), ...); };
  visit(w.embedding_projection, w.patches);
  for (auto& layer : w.layers) {
    visit(layer.query, layer.key, layer.value, layer.output, layer.cross_query, layer.cross_key,
          layer.cross_value, layer.cross_output, layer.gate, layer.up, layer.down, layer.router);
    for (auto& expert : layer.experts)
      visit(expert.gate, expert.up, expert.down);
  }
  visit(w.head_projection, w.head_transform, w.logits);
}

}  // namespace

NetworkWeights bind_weights(const Checkpoint& checkpoint, const NetworkConfig& c) {
  NetworkWeights w;
  const TensorBinder bind(checkpoint, c, w);
  const TensorNames& names = c.tensors;
  const std::string p = bind.prefix(names.class_token.empty() ? names.tokens + ".weight" : names.class_token);
  bind_embeddings(bind, c, p, w);
  for (Index i = 0; i < c.layers; ++i)
    w.layers.push_back(bind_layer(bind, c, i, p + c.layer_name(i)));
  w.final_norm = bind.norm(p, names.final_norm, c.width);
  if (!names.head_projection.empty())
    w.head_projection = bind.linear(p + names.head_projection, c.width, c.embedding_width, false);
  bind_head(bind, c, w);
  for_each_factor(w, [](Factor& factor) {
    if (gains_by_panels(factor)) factor.panels = std::make_shared<KeptPanels>();
  });
  return w;
}

KeptShare keep_panels(const NetworkWeights& weights) {
  for_each_factor(weights, [](const Factor& factor) {
    if (factor.panels) keep_panels(factor);
  });
  return kept_share(weights);
}

KeptShare kept_share(const NetworkWeights& weights) {
  KeptShare share;
  share.all = KeptPanels::bytes_of_all();
  share.most = KeptPanels::most_bytes();
  for_each_factor(weights, [&](const Factor& factor) {
    if (!factor.panels) return;
    (factor.panels->data() ? share.kept : share.missing) += bytes_of_panels(factor);
  });
  return share;
}

std::string unused_tensors(const Checkpoint& checkpoint, const NetworkConfig& config,
                           const std::vector<const NetworkWeights*>& weights) {
  std::vector<std::string> unused;
  for (const std::string& name : checkpoint.names()) {
    const bool used = std::any_of(weights.begin(), weights.end(),
                                  [&](const NetworkWeights* of) { return of->used.contains(name); });
    if (!used && !is_beside(name)) unused.push_back(name);
  }
  if (unused.empty()) return "";
  return "the files have " + listed(unused) + ", which a model of type " + family_name(config) +
         " with this config.json does not use";
}

std::vector<const Tensor*> tensors_of(const NetworkWeights& weights) {
  std::vector<const Tensor*> tensors;
  const auto add = [&](const Tensor* tensor) {
    if (tensor && std::find(tensors.begin(), tensors.end(), tensor) == tensors.end())
      tensors.push_back(tensor);
  };
  const auto add_norm = [&](const NormWeights& norm) {
    add(norm.weight_tensor);
    add(norm.bias_tensor);
  };
  const auto add_factor = [&](const Factor& factor) {
    add(factor.tensor);
    add(factor.bias);
  };
  for (const Tensor* tensor : {weights.tokens, weights.positions, weights.types})
    add(tensor);
  add_norm(weights.embedding_norm);
  for (const LayerWeights& layer : weights.layers) {
    for (const NormWeights* norm : {&layer.attention_norm, &layer.mlp_norm, &layer.attention_out_norm,
                                    &layer.mlp_out_norm, &layer.query_norm, &layer.key_norm})
      add_norm(*norm);
    for (const Factor* factor :
         {&layer.query, &layer.key, &layer.value, &layer.output, &layer.gate, &layer.up, &layer.down})
      add_factor(*factor);
  }
  add_norm(weights.final_norm);
  add_factor(weights.head_transform);
  add_norm(weights.head_norm);
  add_factor(weights.logits);
  return tensors;
}

}  // namespace headlight
