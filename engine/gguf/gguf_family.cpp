#include "engine/gguf/gguf_family.h"

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

using Change = TensorChange;
using Names = std::vector<TensorName>;
using Settings = std::vector<SettingName>;

template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Names llama_tensors(Change queries, Change keys, Change norms) {
  return {{"token_embd", "model.embed_tokens"},
          {"output_norm", "model.norm", norms},
          {"output", "lm_head", Change::None, true},
          {"blk.N.attn_norm", "model.layers.N.input_layernorm", norms},
          {"blk.N.attn_q", "model.layers.N.self_attn.q_proj", queries},
          {"blk.N.attn_k", "model.layers.N.self_attn.k_proj", keys},
          {"blk.N.attn_v", "model.layers.N.self_attn.v_proj"},
          {"blk.N.attn_output", "model.layers.N.self_attn.o_proj"},
          {"blk.N.ffn_gate", "model.layers.N.mlp.gate_proj"},
          {"blk.N.ffn_up", "model.layers.N.mlp.up_proj"},
          {"blk.N.ffn_down", "model.layers.N.mlp.down_proj"}};
}

Names one_norm_between() {
  return {{"blk.N.ffn_norm", "model.layers.N.post_attention_layernorm"}};
}

Names head_norms() {
  return {{"blk.N.attn_q_norm", "model.layers.N.self_attn.q_norm"},
          {"blk.N.attn_k_norm", "model.layers.N.self_attn.k_norm"}};
}

Names gemma_norms() {
  return {{"blk.N.post_attention_norm", "model.layers.N.post_attention_layernorm", Change::PlusOne},
          {"blk.N.ffn_norm", "model.layers.N.pre_feedforward_layernorm", Change::PlusOne},
          {"blk.N.post_ffw_norm", "model.layers.N.post_feedforward_layernorm", Change::PlusOne}};
}

Settings sizes() {
  return {{"embedding_length", "hidden_size"},
          {"block_count", "num_hidden_layers"},
          {"attention.head_count", "num_attention_heads"},
          {"feed_forward_length", "intermediate_size"},
          {"context_length", "max_position_embeddings"}};
}

Settings llama_settings() {
  return joined(sizes(), {{"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
                          {"rope.freq_base", "rope_theta", true}});
}

std::vector<std::string_view> llama_others() {
  return {"attention.head_count_kv", "attention.key_length", "attention.value_length",
          "rope.dimension_count"};
}

GgufFamily llama() {
  return {
      "llama",
      "llama",
      joined(joined(llama_tensors(Change::QueryPairs, Change::KeyPairs, Change::None), one_norm_between()),
             {{"rope_freqs", "rope_freqs", Change::None, true}}),
      llama_settings(),
      {{"blk.0.attn_q.bias", "attention_bias"}, {"blk.0.ffn_up.bias", "mlp_bias"}},
      llama_others()};
}

GgufFamily qwen2() {
  return {"qwen2",
          "qwen2",
          joined(llama_tensors(Change::None, Change::None, Change::None), one_norm_between()),
          llama_settings(),
          {},
          llama_others()};
}

GgufFamily qwen3() {
  return {"qwen3",
          "qwen3",
          joined(joined(llama_tensors(Change::None, Change::None, Change::None), one_norm_between()),
                 head_norms()),
          llama_settings(),
          {{"blk.0.attn_q.bias", "attention_bias"}},
          llama_others()};
}

GgufFamily gemma2() {
  return {"gemma2",
          "gemma2",
          joined(llama_tensors(Change::None, Change::None, Change::PlusOne), gemma_norms()),
          joined(llama_settings(), {{"attn_logit_softcapping", "attn_logit_softcapping", true},
                                    {"final_logit_softcapping", "final_logit_softcapping", true},
                                    {"attention.sliding_window", "sliding_window", true}}),
          {{"blk.0.attn_q.bias", "attention_bias"}},
          joined(llama_others(), {"attention.scale"})};
}

GgufFamily gpt2() {
  return {"gpt2",
          "gpt2",
          {{"token_embd", "wte"},
           {"position_embd", "wpe"},
           {"output_norm", "ln_f"},
           {"output", "lm_head", Change::None, true},
           {"blk.N.attn_norm", "h.N.ln_1"},
           {"blk.N.attn_qkv", "h.N.attn.c_attn", Change::Turned},
           {"blk.N.attn_output", "h.N.attn.c_proj", Change::Turned},
           {"blk.N.ffn_norm", "h.N.ln_2"},
           {"blk.N.ffn_up", "h.N.mlp.c_fc", Change::Turned},
           {"blk.N.ffn_down", "h.N.mlp.c_proj", Change::Turned}},
          {{"embedding_length", "n_embd"},
           {"block_count", "n_layer"},
           {"attention.head_count", "n_head"},
           {"feed_forward_length", "n_inner"},
           {"context_length", "n_positions"},
           {"attention.layer_norm_epsilon", "layer_norm_epsilon"}}};
}

GgufFamily gpt_neox() {
  return {"gptneox",
          "gpt_neox",
          {{"token_embd", "gpt_neox.embed_in"},
           {"output_norm", "gpt_neox.final_layer_norm"},
           {"output", "embed_out", Change::None, true},
           {"blk.N.attn_norm", "gpt_neox.layers.N.input_layernorm"},
           {"blk.N.ffn_norm", "gpt_neox.layers.N.post_attention_layernorm"},
           {"blk.N.attn_qkv", "gpt_neox.layers.N.attention.query_key_value", Change::FusedHeads},
           {"blk.N.attn_output", "gpt_neox.layers.N.attention.dense"},
           {"blk.N.ffn_up", "gpt_neox.layers.N.mlp.dense_h_to_4h"},
           {"blk.N.ffn_down", "gpt_neox.layers.N.mlp.dense_4h_to_h"}},
          joined(sizes(), {{"attention.layer_norm_epsilon", "layer_norm_eps"},
                           {"use_parallel_residual", "use_parallel_residual", true},
                           {"rope.freq_base", "rotary_emb_base", true}}),
          {{"blk.0.attn_qkv.bias", "attention_bias"}},
          {"rope.dimension_count"}};
}

}  // namespace

const GgufFamily& gguf_family(const std::string& architecture) {
  static const std::vector<GgufFamily> kFamilies = {llama(), qwen2(), qwen3(), gemma2(), gpt2(), gpt_neox()};
  std::vector<std::string> known;
  for (const GgufFamily& family : kFamilies) {
    if (family.architecture == architecture) return family;
    known.emplace_back(family.architecture);
  }
  throw Error("models of the architecture " + in_quotes(architecture) + " are not known here",
              "general.architecture",
              "known are " + listed(known) + "; take the model's folder as the hub has it");
}

}  // namespace headlight
