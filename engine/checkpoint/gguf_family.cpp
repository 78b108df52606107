#include "engine/checkpoint/gguf_family.h"

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

using Change = TensorChange;
using Names = std::vector<TensorName>;
using Settings = std::vector<SettingName>;
using Keys = std::vector<std::string_view>;

template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Names llama_tensors() {
  return {{"token_embd", "model.embed_tokens"},
          {"output_norm", "model.norm"},
          {"output", "lm_head", Change::None, true},
          {"blk.N.attn_norm", "model.layers.N.input_layernorm"},
          {"blk.N.attn_q", "model.layers.N.self_attn.q_proj"},
          {"blk.N.attn_k", "model.layers.N.self_attn.k_proj"},
          {"blk.N.attn_v", "model.layers.N.self_attn.v_proj"},
          {"blk.N.attn_output", "model.layers.N.self_attn.o_proj"},
          {"blk.N.ffn_norm", "model.layers.N.post_attention_layernorm"},
          {"blk.N.ffn_gate", "model.layers.N.mlp.gate_proj"},
          {"blk.N.ffn_up", "model.layers.N.mlp.up_proj"},
          {"blk.N.ffn_down", "model.layers.N.mlp.down_proj"}};
}

Names head_norms() {
  return {{"blk.N.attn_q_norm", "model.layers.N.self_attn.q_norm"},
          {"blk.N.attn_k_norm", "model.layers.N.self_attn.k_norm"}};
}

Names experts(std::string_view router, std::string_view gate, std::string_view up, std::string_view down) {
  return {{"blk.N.ffn_gate_inp", router},
          {"blk.N.ffn_gate_exps", gate},
          {"blk.N.ffn_up_exps", up},
          {"blk.N.ffn_down_exps", down}};
}

// As llama.cpp turns neighbours, where the library turns halves.
Names with_pairs(Names names) {
  for (TensorName& name : names) {
    if (name.gguf == "blk.N.attn_q") name.change = Change::QueryPairs;
    if (name.gguf == "blk.N.attn_k") name.change = Change::KeyPairs;
  }
  return names;
}

Names with_norms_plus_one(Names names) {
  for (TensorName& name : names)
    if (name.gguf.ends_with("_norm")) name.change = Change::PlusOne;
  return names;
}

Names without(const Keys& left_out, Names names) {
  for (const std::string_view gguf : left_out)
    std::erase_if(names, [&](const TensorName& name) { return name.gguf == gguf; });
  return names;
}

Names gemma_around_tensors() {
  return joined(without({"blk.N.ffn_norm"}, llama_tensors()),
                {{"blk.N.post_attention_norm", "model.layers.N.post_attention_layernorm"},
                 {"blk.N.ffn_norm", "model.layers.N.pre_feedforward_layernorm"},
                 {"blk.N.post_ffw_norm", "model.layers.N.post_feedforward_layernorm"}});
}

Settings sizes() {
  return {{"embedding_length", "hidden_size"},
          {"block_count", "num_hidden_layers"},
          {"attention.head_count", "num_attention_heads"},
          {"feed_forward_length", "intermediate_size"},
          {"context_length", "max_position_embeddings"}};
}

// Of the library's older families.
Settings gpt_sizes() {
  return {{"embedding_length", "n_embd"},     {"block_count", "n_layer"},
          {"attention.head_count", "n_head"}, {"feed_forward_length", "n_inner"},
          {"context_length", "n_positions"},  {"attention.layer_norm_epsilon", "layer_norm_epsilon"}};
}

Settings rotary_settings(std::string_view epsilon, std::string_view epsilon_there) {
  return joined(sizes(), {{epsilon, epsilon_there}, {"rope.freq_base", "rope_theta", true}});
}
Settings llama_settings() {
  return rotary_settings("attention.layer_norm_rms_epsilon", "rms_norm_eps");
}

Keys llama_others() {
  return {"attention.head_count_kv", "attention.key_length", "attention.value_length",
          "rope.dimension_count"};
}

GgufFamily llama_like(std::string_view architecture, std::string_view model_type, Names tensors,
                      const Settings& more = {}) {
  GgufFamily family{architecture, model_type};
  family.tensors = std::move(tensors);
  family.settings = joined(llama_settings(), more);
  family.flags = {{"blk.0.attn_q.bias", "attention_bias"}};
  family.others = llama_others();
  return family;
}

Names with_rotary_factors(Names names) {
  return joined(std::move(names), {{"rope_freqs", "rope_freqs", Change::None, true}});
}

GgufFamily llama() {
  GgufFamily family = llama_like("llama", "llama", with_rotary_factors(with_pairs(llama_tensors())));
  family.flags.push_back({"blk.0.ffn_up.bias", "mlp_bias"});
  return family;
}

GgufFamily mixtral() {
  const std::string_view kGate = "model.layers.N.block_sparse_moe.gate",
                         kW1 = "model.layers.N.block_sparse_moe.experts.E.w1",
                         kW2 = "model.layers.N.block_sparse_moe.experts.E.w2",
                         kW3 = "model.layers.N.block_sparse_moe.experts.E.w3";
  GgufFamily family = llama_like(
      "llama", "mixtral",
      with_rotary_factors(
          with_pairs(joined(without({"blk.N.ffn_gate", "blk.N.ffn_up", "blk.N.ffn_down"}, llama_tensors()),
                            experts(kGate, kW1, kW3, kW2)))),
      {{"expert_count", "num_local_experts"}, {"expert_used_count", "num_experts_per_tok"}});
  family.flags = {};
  family.has_experts = true;
  return family;
}

GgufFamily qwen3_moe() {
  GgufFamily family = llama_like(
      "qwen3moe", "qwen3_moe",
      joined(joined(without({"blk.N.ffn_gate", "blk.N.ffn_up", "blk.N.ffn_down"}, llama_tensors()),
                    head_norms()),
             experts("model.layers.N.mlp.gate", "model.layers.N.mlp.experts.E.gate_proj",
                     "model.layers.N.mlp.experts.E.up_proj", "model.layers.N.mlp.experts.E.down_proj")),
      {{"expert_count", "num_experts"},
       {"expert_used_count", "num_experts_per_tok"},
       {"expert_feed_forward_length", "moe_intermediate_size"}});
  family.fixed = {{"norm_topk_prob", "true"}};
  family.has_experts = true;
  return family;
}

GgufFamily qwen2() {
  GgufFamily family = llama_like("qwen2", "qwen2", llama_tensors());
  family.flags = {};  // it always has the biases
  return family;
}

GgufFamily gemma2() {
  GgufFamily family = llama_like("gemma2", "gemma2", with_norms_plus_one(gemma_around_tensors()),
                                 {{"attn_logit_softcapping", "attn_logit_softcapping", true},
                                  {"final_logit_softcapping", "final_logit_softcapping", true},
                                  {"attention.sliding_window", "sliding_window", true}});
  family.others.push_back("attention.scale");
  family.largest_layers = 46;
  return family;
}

GgufFamily gemma3() {
  GgufFamily family =
      llama_like("gemma3", "gemma3_text", with_norms_plus_one(joined(gemma_around_tensors(), head_norms())),
                 {{"final_logit_softcapping", "final_logit_softcapping", true},
                  {"attention.sliding_window", "sliding_window", true},
                  {"attention.sliding_window_pattern", "sliding_window_pattern", true},
                  {"rope.freq_base_swa", "rope_local_base_freq", true}});
  family.others.push_back("attention.scale");
  family.fixed = {{"rope_theta", "1e6"}, {"rope_local_base_freq", "1e4"}, {"sliding_window_pattern", "6"}};
  family.largest_layers = 62;
  return family;
}

GgufFamily phi3() {
  GgufFamily family = llama_like(
      "phi3", "phi3",
      joined(without({"blk.N.attn_q", "blk.N.attn_k", "blk.N.attn_v", "blk.N.ffn_gate", "blk.N.ffn_up"},
                     llama_tensors()),
             {{"blk.N.attn_qkv", "model.layers.N.self_attn.qkv_proj"},
              {"blk.N.ffn_up", "model.layers.N.mlp.gate_up_proj"},
              {"rope_factors_long", "long_factor", Change::None, true},
              {"rope_factors_short", "short_factor", Change::None, true}}),
      {{"attention.sliding_window", "sliding_window", true},
       {"rope.scaling.original_context_length", "original_max_position_embeddings", true}});
  family.flags = {};
  family.rotary_share = "partial_rotary_factor";
  return family;
}

GgufFamily olmo() {
  GgufFamily family =
      llama_like("olmo", "olmo",
                 without({"output_norm", "blk.N.attn_norm", "blk.N.ffn_norm"}, with_pairs(llama_tensors())),
                 {{"attention.clamp_kqv", "clip_qkv", true}});
  std::erase_if(family.settings, [](const SettingName& one) { return one.hub == "rms_norm_eps"; });
  family.others.push_back("attention.layer_norm_epsilon");  // 1e-5 in the library, whatever it says
  return family;
}

GgufFamily olmo2() {
  return llama_like(
      "olmo2", "olmo2",
      joined(joined(without({"blk.N.attn_norm", "blk.N.ffn_norm"}, llama_tensors()), head_norms()),
             {{"blk.N.post_attention_norm", "model.layers.N.post_attention_layernorm"},
              {"blk.N.post_ffw_norm", "model.layers.N.post_feedforward_layernorm"}}));
}

GgufFamily smollm3() {
  GgufFamily family = llama_like("smollm3", "smollm3", with_rotary_factors(with_pairs(llama_tensors())));
  family.flags.push_back({"blk.0.ffn_up.bias", "mlp_bias"});
  family.fixed = {{"no_rope_layer_interval", "4"}};
  return family;
}

GgufFamily granite() {
  GgufFamily family = llama_like("granite", "granite", with_pairs(llama_tensors()),
                                 {{"attention.scale", "attention_multiplier", true},
                                  {"embedding_scale", "embedding_multiplier", true},
                                  {"residual_scale", "residual_multiplier", true},
                                  {"logit_scale", "logits_scaling", true}});
  family.flags.push_back({"blk.0.ffn_up.bias", "mlp_bias"});
  return family;
}

// Of families whose norms are LayerNorm.
GgufFamily layer_norm_family(std::string_view architecture, std::string_view model_type, Names tensors,
                             std::string_view epsilon) {
  GgufFamily family{architecture, model_type};
  family.tensors = std::move(tensors);
  family.settings = rotary_settings("attention.layer_norm_epsilon", epsilon);
  family.others = llama_others();
  return family;
}

GgufFamily starcoder2() {
  GgufFamily family = layer_norm_family(
      "starcoder2", "starcoder2",
      joined(without({"blk.N.ffn_gate", "blk.N.ffn_up", "blk.N.ffn_down"}, llama_tensors()),
             {{"blk.N.ffn_up", "model.layers.N.mlp.c_fc"}, {"blk.N.ffn_down", "model.layers.N.mlp.c_proj"}}),
      "norm_epsilon");
  family.settings.push_back({"attention.sliding_window", "sliding_window", true});
  family.flags = {{"blk.0.attn_q.bias", "use_bias"}};
  return family;
}

GgufFamily stablelm() {
  Names tensors =
      joined(without({"blk.N.ffn_norm"}, llama_tensors()),
             {{"blk.N.ffn_norm", "model.layers.N.post_attention_layernorm", Change::None, true},
              {"blk.N.attn_q_norm", "model.layers.N.self_attn.q_layernorm.norms.E", Change::None, true},
              {"blk.N.attn_k_norm", "model.layers.N.self_attn.k_layernorm.norms.E", Change::None, true}});
  GgufFamily family = layer_norm_family("stablelm", "stablelm", std::move(tensors), "layer_norm_eps");
  family.settings.push_back({"use_parallel_residual", "use_parallel_residual", true});
  family.flags = {{"blk.0.attn_q.bias", "use_qkv_bias"}, {"blk.0.attn_q_norm.weight", "qk_layernorm"}};
  family.has_head_width = false;
  family.rotary_share = "partial_rotary_factor";
  return family;
}

GgufFamily phi2() {
  GgufFamily family = layer_norm_family("phi2", "phi",
                                        joined(without({"output_norm", "blk.N.attn_output", "blk.N.ffn_norm",
                                                        "blk.N.ffn_gate", "blk.N.ffn_up", "blk.N.ffn_down"},
                                                       llama_tensors()),
                                               {{"output_norm", "model.final_layernorm"},
                                                {"blk.N.attn_output", "model.layers.N.self_attn.dense"},
                                                {"blk.N.ffn_up", "model.layers.N.mlp.fc1"},
                                                {"blk.N.ffn_down", "model.layers.N.mlp.fc2"}}),
                                        "layer_norm_eps");
  family.rotary_share = "partial_rotary_factor";
  return family;
}

GgufFamily cohere() {
  GgufFamily family = layer_norm_family(
      "command-r", "cohere",
      joined(without({"blk.N.ffn_norm"}, llama_tensors()),
             {{"blk.N.attn_q_norm", "model.layers.N.self_attn.q_norm", Change::None, true},
              {"blk.N.attn_k_norm", "model.layers.N.self_attn.k_norm", Change::None, true}}),
      "layer_norm_eps");
  family.settings.push_back({"logit_scale", "logit_scale"});
  family.flags = {{"blk.0.attn_q.bias", "attention_bias"}, {"blk.0.attn_q_norm.weight", "use_qk_norm"}};
  return family;
}

GgufFamily gpt2() {
  GgufFamily family{"gpt2", "gpt2"};
  family.tensors = {{"token_embd", "wte"},
                    {"position_embd", "wpe"},
                    {"output_norm", "ln_f"},
                    {"output", "lm_head", Change::None, true},
                    {"blk.N.attn_norm", "h.N.ln_1"},
                    {"blk.N.attn_qkv", "h.N.attn.c_attn", Change::Turned},
                    {"blk.N.attn_output", "h.N.attn.c_proj", Change::Turned},
                    {"blk.N.ffn_norm", "h.N.ln_2"},
                    {"blk.N.ffn_up", "h.N.mlp.c_fc", Change::Turned},
                    {"blk.N.ffn_down", "h.N.mlp.c_proj", Change::Turned}};
  family.settings = gpt_sizes();
  return family;
}

GgufFamily gpt_bigcode() {
  GgufFamily family = gpt2();
  family.architecture = "starcoder";
  family.model_type = "gpt_bigcode";
  for (TensorName& name : family.tensors)
    name.change = Change::None;  // its linear layers are not turned
  family.others = {"attention.head_count_kv"};
  family.fixed = {{"multi_query", "true"}};
  return family;
}

GgufFamily gpt_neox() {
  GgufFamily family{"gptneox", "gpt_neox"};
  family.tensors = {{"token_embd", "gpt_neox.embed_in"},
                    {"output_norm", "gpt_neox.final_layer_norm"},
                    {"output", "embed_out", Change::None, true},
                    {"blk.N.attn_norm", "gpt_neox.layers.N.input_layernorm"},
                    {"blk.N.ffn_norm", "gpt_neox.layers.N.post_attention_layernorm"},
                    {"blk.N.attn_qkv", "gpt_neox.layers.N.attention.query_key_value", Change::FusedHeads},
                    {"blk.N.attn_output", "gpt_neox.layers.N.attention.dense"},
                    {"blk.N.ffn_up", "gpt_neox.layers.N.mlp.dense_h_to_4h"},
                    {"blk.N.ffn_down", "gpt_neox.layers.N.mlp.dense_4h_to_h"}};
  family.settings = joined(sizes(), {{"attention.layer_norm_epsilon", "layer_norm_eps"},
                                     {"use_parallel_residual", "use_parallel_residual", true},
                                     {"rope.freq_base", "rotary_emb_base", true}});
  family.flags = {{"blk.0.attn_qkv.bias", "attention_bias"}};
  family.others = {"rope.dimension_count"};
  family.rotary_share = "rotary_pct";
  return family;
}

GgufFamily bloom() {
  GgufFamily family{"bloom", "bloom"};
  family.tensors = {{"token_embd", "word_embeddings"},
                    {"token_embd_norm", "word_embeddings_layernorm"},
                    {"output_norm", "ln_f"},
                    {"output", "lm_head", Change::None, true},
                    {"blk.N.attn_norm", "h.N.input_layernorm"},
                    {"blk.N.attn_qkv", "h.N.self_attention.query_key_value", Change::FusedHeads},
                    {"blk.N.attn_output", "h.N.self_attention.dense"},
                    {"blk.N.ffn_norm", "h.N.post_attention_layernorm"},
                    {"blk.N.ffn_up", "h.N.mlp.dense_h_to_4h"},
                    {"blk.N.ffn_down", "h.N.mlp.dense_4h_to_h"}};
  family.settings = {{"embedding_length", "hidden_size"},
                     {"block_count", "n_layer"},
                     {"attention.head_count", "n_head"},
                     {"attention.layer_norm_epsilon", "layer_norm_epsilon"}};
  family.others = {"attention.head_count_kv", "context_length", "feed_forward_length"};
  return family;
}

GgufFamily mpt() {
  GgufFamily family{"mpt", "mpt"};
  family.tensors = {{"token_embd", "wte"},
                    {"output_norm", "norm_f"},
                    {"output", "lm_head", Change::None, true},
                    {"blk.N.attn_norm", "blocks.N.norm_1"},
                    {"blk.N.attn_qkv", "blocks.N.attn.Wqkv"},
                    {"blk.N.attn_output", "blocks.N.attn.out_proj"},
                    {"blk.N.ffn_norm", "blocks.N.norm_2"},
                    {"blk.N.ffn_up", "blocks.N.ffn.up_proj"},
                    {"blk.N.ffn_down", "blocks.N.ffn.down_proj"}};
  family.settings = {{"embedding_length", "d_model"},
                     {"block_count", "n_layers"},
                     {"attention.head_count", "n_heads"},
                     {"context_length", "max_seq_len"},
                     {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
                     {"attention.clamp_kqv", "attn_config.clip_qkv", true},
                     {"attention.max_alibi_bias", "attn_config.alibi_bias_max"}};
  family.others = {"feed_forward_length"};
  return family;
}

std::vector<GgufFamily> all_families() {
  return {llama(),       mixtral(),
          qwen2(),       llama_like("qwen3", "qwen3", joined(llama_tensors(), head_norms())),
          qwen3_moe(),   llama_like("gemma", "gemma", with_norms_plus_one(llama_tensors())),
          gemma2(),      gemma3(),
          phi2(),        phi3(),
          olmo(),        olmo2(),
          smollm3(),     granite(),
          starcoder2(),  stablelm(),
          cohere(),      gpt2(),
          gpt_bigcode(), gpt_neox(),
          bloom(),       mpt()};
}

}  // namespace

const GgufFamily& gguf_family(const std::string& architecture, bool has_experts) {
  static const std::vector<GgufFamily> kFamilies = all_families();
  std::vector<std::string> known;
  const GgufFamily* found = nullptr;
  for (const GgufFamily& family : kFamilies) {
    if (family.architecture == architecture && (!found || family.has_experts == has_experts)) found = &family;
    if (known.empty() || known.back() != family.architecture) known.emplace_back(family.architecture);
  }
  if (found) return *found;
  throw Error("models of the architecture " + in_quotes(architecture) + " are not known here",
              "general.architecture",
              "known are " + listed(known) + "; take the model's folder as the hub has it");
}

}  // namespace headlight
