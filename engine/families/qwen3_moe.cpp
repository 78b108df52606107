#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/core/error.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig qwen3_moe_base() {
  NetworkConfig c = llama_base();
  c.head_norms = HeadNorm::Heads;
  TensorNames& names = c.tensors;
  names.query_norm = "self_attn.q_norm";
  names.key_norm = "self_attn.k_norm";
  names.router = "mlp.gate";
  names.expert = "mlp.experts.#.";
  names.expert_gate = "gate_proj";
  names.expert_up = "up_proj";
  names.expert_down = "down_proj";
  return c;
}

// Layers with experts: every decoder_sparse_step-th, but for those in mlp_only_layers.
void read_expert_layers(const ConfigFields& json, NetworkConfig& c) {
  const Index step = json.size("decoder_sparse_step", kMostLayers);
  for (Index i = 0; i < c.layers; ++i)
    c.experts.layers.push_back((i + 1) % step == 0);
  const Json dense = json.value("mlp_only_layers");
  if (dense.is_null()) return;
  const Json list = is_packed(dense) ? Json(packed_numbers(dense)) : dense;
  if (!list.is_array())
    throw Error("it is " + json_kind(dense) + ", expected a list of layers", "mlp_only_layers", kMendConfig);
  for (const Json& layer : list) {
    if (!layer.is_number() || layer.get<double>() < 0)
      throw Error("it has " + layer.dump() + ", expected numbers of layers", "mlp_only_layers", kMendConfig);
    const auto number = static_cast<std::size_t>(layer.get<double>());
    if (number < c.experts.layers.size()) c.experts.layers[number] = false;
  }
}

void read_qwen3_moe(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  if (json.flag("use_sliding_window")) window_in_all_layers(json, c);
  c.experts.count = json.count("num_experts", kMostExperts);
  c.experts.chosen = json.size("num_experts_per_tok", kMostExperts);
  c.experts.width = json.size("moe_intermediate_size", kMostWidth);
  c.experts.renormalized = json.flag("norm_topk_prob");
  read_expert_layers(json, c);
}

}  // namespace

const Family& qwen3_moe_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "qwen3_moe";
    family.base = qwen3_moe_base();
    family.fields = llama_fields("32768", "4", "null",
                                 joined({llama_activation(),
                                         {{"rms_norm_eps", "1e-6", &NetworkConfig::epsilon},
                                          {"attention_bias", "false"},
                                          {"use_sliding_window", "false"},
                                          {"sliding_window", "4096"},
                                          {"num_experts", "128", {}, "num_local_experts"},
                                          {"num_experts_per_tok", "8"},
                                          {"moe_intermediate_size", "768"},
                                          {"norm_topk_prob", "false"},
                                          {"decoder_sparse_step", "1"},
                                          {"mlp_only_layers", "null"}}}));
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.idle = {"max_window_layers"};
    family.read = read_qwen3_moe;
    family.needs = "experts in some layers, whose shares sum to 1 or do not; norms of queries and keys";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
