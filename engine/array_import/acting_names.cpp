#include "engine/array_import/acting_names.h"

#include <algorithm>

#include "engine/array_import/array_names.h"
#include "engine/core/ascii.h"

namespace headlight {
namespace {

using Role = ArrayRole;
using Setting = StatedSetting;
using Unless = ActingName::Unless;

constexpr ActingName kActing[] = {
    {"sinks sink attn_sinks attn_sink attention_sinks attention_sink sink_logits sink_logit learnable_sink "
     "softmax_sink s_aux",
     "H", "a logit of each head joins its softmax and is dropped, so that rows sum to less than 1",
     "read: one number for each head", Role::Sinks},
    {"alibi_slopes alibi_slope slopes", "H", "the scores fall with the distance of query and key (ALiBi)",
     "read: one number for each head", Role::Slopes},
    {"head_mask layer_head_mask decoder_head_mask cross_attn_head_mask encoder_head_mask", "H",
     "heads with 0 are switched off",
     "read: 0 or 1 for each head; of several layers, save the row of this one", Role::HeadMask},
    {"valid_lens valid_len valid_length valid_lengths lengths length lens seq_lens seq_len seq_lengths "
     "seqlens sequence_lengths src_lens src_lengths src_len input_lengths text_lengths encoder_lengths "
     "memory_lengths key_lengths kv_lens kv_len kv_lengths context_lens context_lengths cache_seqlens "
     "num_tokens",
     "B, B x T", "so many keys count, the rest is padding",
     "read: whole numbers from 0 to the number of keys, one for each sequence or each query", Role::Lengths},
    {"segment_ids q_segment_ids kv_segment_ids decoder_segment_ids encoder_segment_ids document_ids doc_ids "
     "document_id sequence_ids sequence_id seq_idx sample_ids packing_ids text_ids",
     "T, B x T", "tokens with the same number are one text and look at no other",
     "read: whole numbers from 0; 0 is padding where there are also higher ones", Role::Segments},
    {"position_ids positions pos_ids input_pos decoder_position_ids", "T, B x T",
     "a text begins where positions start again, and looks at no other",
     "read: positions that rise by 1, or start again at 0; for others save queries and keys after they were "
     "turned, and leave the positions out",
     Role::Positions},
    {"cu_seqlens cu_seqlens_q cu_seqlens_k cu_seqlens_kv cu_seq_lens cu_seq_lens_q cu_seq_lens_k cu_seqlen "
     "cumulative_seqlens seq_offsets sequence_offsets",
     "N + 1", "several texts behind each other, which look at no other",
     "read: where each text begins, from 0, and where the last one ends; those of queries and keys have to "
     "be the same",
     Role::Boundaries},
    {"bias_k", "G d_k", "a learned key stands behind those of the tokens", "read together with bias_v",
     Role::LearnedKey},
    {"bias_v", "G d_v", "a learned value stands behind those of the tokens", "read together with bias_k",
     Role::LearnedValue},

    {"num_heads n_heads n_head nhead num_attention_heads heads",
     "a single number",
     "the number of heads",
     "read",
     {},
     Setting::Heads},
    {"num_kv_heads n_kv_heads num_key_value_heads kv_heads",
     "a single number",
     "the number of heads of keys and values",
     "read",
     {},
     Setting::KvHeads},
    {"scale scaling softmax_scale sm_scale attn_scale attention_scale qk_scale scale_factor scaling_factor",
     "a single number",
     "the scores are multiplied by it, in the place of 1/√d_k",
     "read as a single number; multiply the queries by one of each head",
     {},
     Setting::Scale,
     Unless::Never,
     true},
    {"softcap logits_soft_cap logit_cap logit_softcap attn_logit_softcapping logits_softcap",
     "a single number",
     "the scores are capped: cap tanh(score / cap)",
     "read",
     {},
     Setting::Softcap,
     Unless::Zero,
     true},
    {"is_causal causal",
     "a single number",
     "no query sees what stands behind it",
     "read: 1 or 0",
     {},
     Setting::Causal,
     Unless::Zero},
    {"sliding_window window window_size attention_window local_window_size",
     "a single number",
     "a query sees so many keys, its own included",
     "read beside a causal mask; otherwise save the mask, T x T",
     {},
     Setting::Window},
    {"dropout dropout_p attn_dropout attention_dropout dropout_prob attention_probs_dropout_prob attn_pdrop",
     "a single number",
     "weights are left out at random while training",
     "read, and switched off as in model.eval()",
     {},
     Setting::Dropout},

    {"kv_a_proj kv_a_proj_with_mqa kv_b_proj q_a_proj q_b_proj kv_a_layernorm q_a_layernorm kv_a_norm "
     "q_a_norm kv_down_proj kv_up_proj q_down_proj q_up_proj wkv_a wkv_b wq_a wq_b w_dkv w_uk w_uv w_dq w_uq "
     "w_kr w_qr compressed_kv k_up_proj v_up_proj",
     "",
     "queries, or keys and values, are made by way of fewer numbers (low-rank, multi-head latent attention)",
     "save the queries, keys and values that come out of it as queries, keys and values",
     {},
     Setting::None,
     Unless::Never,
     true},
    {"*lora_* *.adapter_* *hada_w* *ia3_*", "", "it changes the weights beside it (an adapter, as LoRA)",
     "save the weights with it: model.merge_and_unload(), or W + (alpha / r) B A"},
    {"scales zeros zero_point zero_points weight_zero_point weight_scale_inv weight_scale scale_weight scb "
     "qweight qzeros g_idx absmax quant_map quant_state nested_absmax weight_packed weight_shape input_scale",
     "", "the weights beside it are quantised: their numbers are no weights by themselves",
     "save the layer in float32 or bfloat16 (model.dequantize() before saving)"},
    {"q_norm k_norm q_layernorm k_layernorm q_ln k_ln norm_q norm_k query_norm key_norm query_layernorm "
     "key_layernorm qk_norm q_layer_norm k_layer_norm ln_q ln_k",
     "",
     "it normalises queries or keys before their product",
     "save queries, keys and values after it, or open the folder of the whole model",
     {},
     Setting::None,
     Unless::Never,
     true},
    {"cos sin cos_cached sin_cached cos_cache sin_cache freqs_cis freqs_cos freqs_sin rope_cos rope_sin "
     "rope_freqs rotary_cos rotary_sin rotary_pos_emb rotary_emb inv_freq freqs",
     "",
     "it turns queries and keys by their positions",
     "save queries and keys after they were turned, and leave it out",
     {},
     Setting::None,
     Unless::Rotary,
     true},
    {"past_key past_value past_keys past_values past_key_values past_k past_v key_cache value_cache k_cache "
     "v_cache cache_k cache_v cached_key cached_value prefix_key prefix_value prefix_keys prefix_values "
     "past_key_value",
     "", "keys and values of earlier tokens stand before those of the tokens",
     "join them: numpy.concatenate([past, keys], axis=-2), and --causal if the queries are the last tokens"},
    {"relative_position_bias_table relative_position_index relative_position_bucket rel_pos_h rel_pos_w "
     "rel_pos_emb distance_embedding rel_embeddings pos_bias_u pos_bias_v r_w_bias r_r_bias rel_pos "
     "linear_pos pos_proj r_net emb_rel_k emb_rel_v relative_key_embeddings relative_attention_embeddings "
     "pos_key_proj pos_query_proj rel_k rel_v relative_coords_table cpb_mlp",
     "",
     "the scores depend on the distance of query and key",
     "save what it adds to the scores as attn_bias, H x Tq x Tk",
     {},
     Setting::None,
     Unless::Never,
     true},
    {"token_type_ids mm_token_type_ids modality_ids modality_mask image_mask image_token_mask vision_mask "
     "bidirectional_mask prefix_mask",
     "",
     "tokens of one kind, as those of a picture or of a prefix, may see what stands behind them",
     "which ones cannot be known: save the mask as allowed, T x T of 0 and 1, in the place of it and of "
     "--causal",
     {},
     Setting::None,
     Unless::WithoutCausal},
    {"prefix_length prefix_len prefix_lens prefix_lengths prefix_lm_length",
     "",
     "the first tokens may see all of themselves",
     "save the mask as allowed, T x T of 0 and 1, in the place of it and of --causal",
     {},
     Setting::None,
     Unless::Zero},
    {"global_attention_mask global_mask global_tokens block_layout attention_layout sparse_layout "
     "block_table block_tables chunk_size attention_chunk_size dilation",
     "",
     "queries see only some of the keys",
     "save the mask as allowed, T x T of 0 and 1, and leave it out",
     {},
     Setting::None,
     Unless::Zero},
    {"dropout_mask drop_mask dropout_noise noise_mask keep_prob_mask", "",
     "weights are left out, and the others made larger",
     "save what is left of the weights as attn_weights, or leave it out"},
    {"temperature attn_temperature softmax_temperature tau logit_scale attn_temperature_scale log_scale",
     "",
     "the scores are multiplied or divided by it",
     "save what the scores are multiplied by as scale, or leave it out",
     {},
     Setting::None,
     Unless::Never,
     true},
    {"add_zero_attn",
     "",
     "a key and a value of zeros stand behind those of the tokens",
     "save them as bias_k and bias_v, of zeros",
     {},
     Setting::None,
     Unless::Zero},
    {"attn_gate attention_gate head_gate head_gates gate_logits attn_sub_norm inner_attn_ln sub_norm", "",
     "it changes what attention gives before the output projection", "leave it out, and the output with it"},
    {"q_conv k_conv v_conv q_conv1d k_conv1d v_conv1d short_conv qkv_conv",
     "",
     "it mixes queries, keys or values of neighbouring tokens",
     "save the queries, keys and values that come out of it",
     {},
     Setting::None,
     Unless::Never,
     true},
};

// Calls test(word) for the words between blanks until it is true.
template <class Test>
bool any_word(std::string_view words, Test test) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (test(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool names(std::string_view word, std::string_view path) {
  if (!word.starts_with('*')) return last_part(path) == word;
  return path.find(word.substr(1, word.size() - 2)) != std::string_view::npos;
}

}  // namespace

std::span<const ActingName> acting_names() {
  return kActing;
}

const ActingName* acting_name(std::string_view name) {
  const std::string lower = lowered(name);
  std::string_view path = lower;
  for (const std::string_view ending : {".weight", ".bias", ".kernel", "/kernel"})
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  // The scale of a projection belongs to its weights, not to the scores.
  if (last_part(path) == "scale" && last_part(path) != path) path = "scales";
  for (const ActingName& acting : kActing)
    if (any_word(acting.names, [&](std::string_view word) { return names(word, path); })) return &acting;
  return nullptr;
}

std::string acting_names_markdown() {
  std::string text;
  for (const ActingName& acting : kActing) {
    std::string all;
    any_word(acting.names, [&](std::string_view word) {
      if (word.starts_with('*')) word = word.substr(1, word.size() - 2);
      all.append(all.empty() ? "`" : ", `").append(word).append("`");
      return false;
    });
    text.append("- **").append(acting.does).append("**");
    if (!acting.shape.empty()) text.append(" (").append(acting.shape).append(")");
    text.append(": ").append(acting.how).append(". ").append(all).append("\n");
  }
  return text;
}

}  // namespace headlight
