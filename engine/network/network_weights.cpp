#include "engine/network/network_weights.h"

namespace headlight {
namespace {

// Binds tensors of one model; a place is a part of their names.
class Binder {
 public:
  Binder(const Checkpoint& checkpoint, const NetworkConfig& config) : checkpoint_(checkpoint), c_(config) {}

  const Tensor& require(const std::string& name, const std::vector<Index>& shape) const {
    return checkpoint_.require(name, shape);
  }

  // nn.Linear: a row for each output. bias: whether it has one.
  Factor linear(const std::string& name, Index inputs, Index outputs, bool bias) const {
    Factor w{&require(name + ".weight", {outputs, inputs}), true, inputs, outputs, 0, outputs, outputs};
    if (bias) w.bias = &require(name + ".bias", {outputs});
    return w;
  }

  // GPT-2's Conv1D: a column for each output; `parts` of them side by side, of which this is one.
  Factor conv(const std::string& name, Index inputs, Index outputs, Index parts = 1, Index part = 0) const {
    return {&require(name + ".weight", {inputs, parts * outputs}),
            false,
            inputs,
            outputs,
            part * outputs,
            outputs,
            outputs,
            &require(name + ".bias", {parts * outputs})};
  }

  NormWeights norm(const std::string& name, Index width) const {
    NormWeights norm;
    const bool old = checkpoint_.has(name + ".gamma");  // as bert's first files call them
    norm.weight = row(name + (old ? ".gamma" : ".weight"), width);
    if (c_.norm == NormKind::Layer) norm.bias = row(name + (old ? ".beta" : ".bias"), width);
    return norm;
  }

  // The first of the prefixes with which the checkpoint has the tensor; the first of all where none does, for
  // the message.
  std::string prefix(const std::vector<std::string>& prefixes, const std::string& tensor) const {
    for (const std::string& prefix : prefixes)
      if (checkpoint_.has(prefix + tensor)) return prefix;
    return prefixes.front();
  }

  Factor tied_logits(const Tensor& tokens) const {
    return {&tokens, true, c_.width, c_.vocabulary, 0, c_.vocabulary, c_.vocabulary};
  }

  bool has(const std::string& name) const { return checkpoint_.has(name); }
  const NetworkConfig& config() const { return c_; }

 private:
  Eigen::RowVectorXf row(const std::string& name, Index width) const {
    Eigen::RowVectorXf numbers(width);
    widen(require(name, {width}), 0, width, numbers.data());
    return numbers;
  }

  const Checkpoint& checkpoint_;
  const NetworkConfig& c_;
};

NetworkWeights bind_gpt2(const Binder& bind) {
  const NetworkConfig& c = bind.config();
  const std::string p = bind.prefix({"", "transformer."}, "wte.weight");
  NetworkWeights w;
  w.tokens = &bind.require(p + "wte.weight", {c.vocabulary, c.width});
  w.positions = &bind.require(p + "wpe.weight", {c.positions, c.width});
  for (Index i = 0; i < c.layers; ++i) {
    const std::string h = p + "h." + std::to_string(i) + ".";
    LayerWeights layer;
    layer.attention_norm = bind.norm(h + "ln_1", c.width);
    layer.mlp_norm = bind.norm(h + "ln_2", c.width);
    layer.query = bind.conv(h + "attn.c_attn", c.width, c.width, 3, 0);
    layer.key = bind.conv(h + "attn.c_attn", c.width, c.width, 3, 1);
    layer.value = bind.conv(h + "attn.c_attn", c.width, c.width, 3, 2);
    layer.output = bind.conv(h + "attn.c_proj", c.width, c.width);
    layer.up = bind.conv(h + "mlp.c_fc", c.width, c.mlp_width);
    layer.down = bind.conv(h + "mlp.c_proj", c.mlp_width, c.width);
    w.layers.push_back(std::move(layer));
  }
  w.final_norm = bind.norm(p + "ln_f", c.width);
  w.logits = c.tied ? bind.tied_logits(*w.tokens) : bind.linear("lm_head", c.width, c.vocabulary, false);
  return w;
}

// One of queries (0), keys (1) and values (2), which lie side by side head by head.
Factor fused_by_head(const Binder& bind, const std::string& name, Index part) {
  const NetworkConfig& c = bind.config();
  const Index own = c.heads * c.head_width;
  Factor w{&bind.require(name + ".weight", {3 * own, c.width}),
           true,
           c.width,
           own,
           part * c.head_width,
           c.head_width,
           3 * c.head_width};
  if (c.qkv_bias) w.bias = &bind.require(name + ".bias", {3 * own});
  return w;
}

NetworkWeights bind_neox(const Binder& bind) {
  const NetworkConfig& c = bind.config();
  const std::string p = bind.prefix({"gpt_neox.", ""}, "embed_in.weight");
  NetworkWeights w;
  w.tokens = &bind.require(p + "embed_in.weight", {c.vocabulary, c.width});
  for (Index i = 0; i < c.layers; ++i) {
    const std::string h = p + "layers." + std::to_string(i) + ".";
    LayerWeights layer;
    layer.attention_norm = bind.norm(h + "input_layernorm", c.width);
    layer.mlp_norm = bind.norm(h + "post_attention_layernorm", c.width);
    layer.query = fused_by_head(bind, h + "attention.query_key_value", 0);
    layer.key = fused_by_head(bind, h + "attention.query_key_value", 1);
    layer.value = fused_by_head(bind, h + "attention.query_key_value", 2);
    layer.output = bind.linear(h + "attention.dense", c.heads * c.head_width, c.width, c.output_bias);
    layer.up = bind.linear(h + "mlp.dense_h_to_4h", c.width, c.mlp_width, true);
    layer.down = bind.linear(h + "mlp.dense_4h_to_h", c.mlp_width, c.width, true);
    w.layers.push_back(std::move(layer));
  }
  w.final_norm = bind.norm(p + "final_layer_norm", c.width);
  if (c.tied)
    w.logits = bind.tied_logits(*w.tokens);
  else if (bind.has("embed_out.weight"))
    w.logits = bind.linear("embed_out", c.width, c.vocabulary, false);
  return w;
}

LayerWeights bind_llama_layer(const Binder& bind, const std::string& h) {
  const NetworkConfig& c = bind.config();
  const Index queries = c.heads * c.head_width, keys = c.kv_heads * c.head_width;
  LayerWeights layer;
  layer.attention_norm = bind.norm(h + "input_layernorm", c.width);
  if (c.norm_place == NormPlace::Around) {
    layer.attention_out_norm = bind.norm(h + "post_attention_layernorm", c.width);
    layer.mlp_norm = bind.norm(h + "pre_feedforward_layernorm", c.width);
    layer.mlp_out_norm = bind.norm(h + "post_feedforward_layernorm", c.width);
  } else {
    layer.mlp_norm = bind.norm(h + "post_attention_layernorm", c.width);
  }
  if (c.head_norms) {
    layer.query_norm = bind.norm(h + "self_attn.q_norm", c.head_width);
    layer.key_norm = bind.norm(h + "self_attn.k_norm", c.head_width);
  }
  layer.query = bind.linear(h + "self_attn.q_proj", c.width, queries, c.qkv_bias);
  layer.key = bind.linear(h + "self_attn.k_proj", c.width, keys, c.qkv_bias);
  layer.value = bind.linear(h + "self_attn.v_proj", c.width, keys, c.qkv_bias);
  layer.output = bind.linear(h + "self_attn.o_proj", queries, c.width, c.output_bias);
  layer.gate = bind.linear(h + "mlp.gate_proj", c.width, c.mlp_width, c.mlp_bias);
  layer.up = bind.linear(h + "mlp.up_proj", c.width, c.mlp_width, c.mlp_bias);
  layer.down = bind.linear(h + "mlp.down_proj", c.mlp_width, c.width, c.mlp_bias);
  return layer;
}

NetworkWeights bind_llama(const Binder& bind) {
  const NetworkConfig& c = bind.config();
  const std::string p = bind.prefix({"model.", ""}, "embed_tokens.weight");
  NetworkWeights w;
  w.tokens = &bind.require(p + "embed_tokens.weight", {c.vocabulary, c.width});
  for (Index i = 0; i < c.layers; ++i)
    w.layers.push_back(bind_llama_layer(bind, p + "layers." + std::to_string(i) + "."));
  w.final_norm = bind.norm(p + "norm", c.width);
  w.logits = c.tied ? bind.tied_logits(*w.tokens) : bind.linear("lm_head", c.width, c.vocabulary, false);
  return w;
}

LayerWeights bind_bert_layer(const Binder& bind, const std::string& h) {
  const NetworkConfig& c = bind.config();
  LayerWeights layer;
  layer.query = bind.linear(h + "attention.self.query", c.width, c.width, true);
  layer.key = bind.linear(h + "attention.self.key", c.width, c.width, true);
  layer.value = bind.linear(h + "attention.self.value", c.width, c.width, true);
  layer.output = bind.linear(h + "attention.output.dense", c.width, c.width, true);
  layer.attention_norm = bind.norm(h + "attention.output.LayerNorm", c.width);
  layer.up = bind.linear(h + "intermediate.dense", c.width, c.mlp_width, true);
  layer.down = bind.linear(h + "output.dense", c.mlp_width, c.width, true);
  layer.mlp_norm = bind.norm(h + "output.LayerNorm", c.width);
  return layer;
}

NetworkWeights bind_bert(const Binder& bind) {
  const NetworkConfig& c = bind.config();
  const std::string p = bind.prefix({"bert.", ""}, "embeddings.word_embeddings.weight");
  const std::string e = p + "embeddings.", head = "cls.predictions.";
  NetworkWeights w;
  w.tokens = &bind.require(e + "word_embeddings.weight", {c.vocabulary, c.width});
  w.positions = &bind.require(e + "position_embeddings.weight", {c.positions, c.width});
  w.types = &bind.require(e + "token_type_embeddings.weight", {c.token_types, c.width});
  w.embedding_norm = bind.norm(e + "LayerNorm", c.width);
  for (Index i = 0; i < c.layers; ++i)
    w.layers.push_back(bind_bert_layer(bind, p + "encoder.layer." + std::to_string(i) + "."));
  if (!bind.has(head + "transform.dense.weight")) return w;
  w.head_transform = bind.linear(head + "transform.dense", c.width, c.width, true);
  w.head_norm = bind.norm(head + "transform.LayerNorm", c.width);
  w.logits = bind.tied_logits(*w.tokens);
  w.logits.bias = &bind.require(head + "bias", {c.vocabulary});
  return w;
}

}  // namespace

NetworkWeights bind_weights(const Checkpoint& checkpoint, const NetworkConfig& config) {
  const Binder bind(checkpoint, config);
  switch (config.family) {
    case Family::Gpt2:
      return bind_gpt2(bind);
    case Family::GptNeoX:
      return bind_neox(bind);
    case Family::Bert:
      return bind_bert(bind);
    default:
      return bind_llama(bind);
  }
}

}  // namespace headlight
