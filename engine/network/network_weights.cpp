#include "engine/network/network_weights.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

// Looks up the tensors of one model by name and records which were used.
class Binder {
 public:
  Binder(const Checkpoint& checkpoint, const NetworkConfig& config) : checkpoint_(checkpoint), c_(config) {}

  const Tensor& require(const std::string& name, const std::vector<Index>& shape) const {
    used_.insert(name);
    return checkpoint_.require(name, shape);
  }

  // nn.Linear: one row per output. bias: whether it has one.
  Factor linear(const std::string& name, Index inputs, Index outputs, bool bias) const {
    Factor w{&require(name + ".weight", {outputs, inputs}), true, inputs, outputs, 0, outputs, outputs};
    if (bias) w.bias = &require(name + ".bias", {outputs});
    return w;
  }

  // GPT-2's Conv1D: one column per output; `parts` matrices side by side, of which this is number `part`.
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
    const bool old = checkpoint_.has(name + ".gamma");  // names in the first bert files
    norm.weight_tensor = &require(name + (old ? ".gamma" : ".weight"), {width});
    norm.weight = row_of(*norm.weight_tensor);
    if (c_.norm != NormKind::Layer) return norm;
    norm.bias_tensor = &require(name + (old ? ".beta" : ".bias"), {width});
    norm.bias = row_of(*norm.bias_tensor);
    return norm;
  }

  // The first prefix under which the checkpoint has the tensor; the first of all if there is none, for the
  // message.
  std::string prefix(const std::vector<std::string>& prefixes, const std::string& tensor) const {
    for (const std::string& prefix : prefixes)
      if (checkpoint_.has(prefix + tensor)) return prefix;
    return prefixes.front();
  }

  // Binds the logits: the token embeddings if they are tied, else a separate matrix. If there is none,
  // missing_head states why.
  void bind_logits(const std::string& name, NetworkWeights& w) const {
    const std::string weight = name + ".weight";
    if (c_.tied) {
      w.logits = {w.tokens, true, c_.width, c_.vocabulary, 0, c_.vocabulary, c_.vocabulary};
      if (has(weight) && !same_numbers(require(weight, w.tokens->shape), *w.tokens))
        w.notes.push_back(in_quotes(weight) +
                          " is left out: config.json ties what predicts to the token embeddings "
                          "(tie_word_embeddings)");
    } else if (has(weight)) {
      w.logits = linear(name, c_.width, c_.vocabulary, false);
    } else {
      w.missing_head = "there is no tensor " + in_quotes(weight) +
                       ", and config.json does not tie it to the token embeddings";
    }
  }

  // Tensors that were not used, except buffers that the library creates itself and heads for other tasks.
  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const std::string& name : checkpoint_.names())
      if (!used_.contains(name) && !is_beside(name)) names.push_back(name);
    return names;
  }

  bool has(const std::string& name) const { return checkpoint_.has(name); }
  const NetworkConfig& config() const { return c_; }

 private:
  static Eigen::RowVectorXf row_of(const Tensor& tensor) {
    Eigen::RowVectorXf numbers(tensor.columns());
    read_numbers(tensor, 0, tensor.columns(), numbers.data());
    return numbers;
  }

  // Compares the first numbers only: matrices that were trained separately differ there already, and large
  // ones need not be read in full.
  static bool same_numbers(const Tensor& a, const Tensor& b) {
    constexpr std::size_t kLooked = 1 << 20;
    return a.type == b.type && a.bytes.substr(0, kLooked) == b.bytes.substr(0, kLooked);
  }

  static bool is_beside(std::string_view name) {
    constexpr std::array kEnds = {"attn.bias", "attention.bias", "masked_bias", "inv_freq", "position_ids"};
    constexpr std::array kBegins = {"pooler.", "bert.pooler.", "cls.seq_relationship.", "classifier.",
                                    "score."};
    return std::any_of(kEnds.begin(), kEnds.end(), [&](const char* end) { return name.ends_with(end); }) ||
           std::any_of(kBegins.begin(), kBegins.end(),
                       [&](const char* begin) { return name.starts_with(begin); });
  }

  const Checkpoint& checkpoint_;
  const NetworkConfig& c_;
  mutable std::set<std::string, std::less<>> used_;  // names that were requested
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
  bind.bind_logits("lm_head", w);
  return w;
}

// The queries (0), keys (1) or values (2) of a fused matrix, which alternate head by head.
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
  bind.bind_logits("embed_out", w);
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
  bind.bind_logits("lm_head", w);
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

// The bias of bert's predictions is stored beside the head, with its matrix, or in both places.
const Tensor* bind_bert_bias(const Binder& bind, const std::string& head) {
  const std::vector<Index> shape = {bind.config().vocabulary};
  const std::string own = head + "bias", beside = head + "decoder.bias";
  if (!bind.has(beside)) return &bind.require(own, shape);
  const Tensor& bias = bind.require(beside, shape);
  if (bind.has(own) && !(bind.require(own, shape).bytes == bias.bytes))
    throw Error(in_quotes(own) + " and " + in_quotes(beside) +
                    " are not the same: versions of the library take the one or the other",
                "", "take out the one that is not meant");
  return &bias;
}

void bind_bert_head(const Binder& bind, const std::string& head, NetworkWeights& w) {
  const NetworkConfig& c = bind.config();
  if (!bind.has(head + "transform.dense.weight")) {
    w.missing_head = "there is no tensor " + in_quotes(head + "transform.dense.weight");
    return;
  }
  w.head_transform = bind.linear(head + "transform.dense", c.width, c.width, true);
  w.head_norm = bind.norm(head + "transform.LayerNorm", c.width);
  bind.bind_logits(head + "decoder", w);
  if (!w.logits.empty()) w.logits.bias = bind_bert_bias(bind, head);
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
  bind_bert_head(bind, head, w);
  return w;
}

NetworkWeights bind_family(const Binder& bind) {
  switch (bind.config().family) {
    case Family::Gpt2:
      return bind_gpt2(bind);
    case Family::GptNeoX:
      return bind_neox(bind);
    case Family::Bert:
      return bind_bert(bind);
    case Family::Llama:
    case Family::Mistral:
    case Family::Qwen2:
    case Family::Qwen3:
    case Family::Gemma2:
      return bind_llama(bind);
  }
  throw std::logic_error("a family without tensor names");
}

}  // namespace

NetworkWeights bind_weights(const Checkpoint& checkpoint, const NetworkConfig& config) {
  const Binder bind(checkpoint, config);
  NetworkWeights weights = bind_family(bind);
  const std::vector<std::string> unused = bind.unused();
  if (!unused.empty())
    weights.notes.push_back("the files have " + listed(unused) + ", which a model of type " +
                            family_name(config.family) + " with this config.json does not use");
  return weights;
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
  for (const Tensor* table : {weights.tokens, weights.positions, weights.types})
    add(table);
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
