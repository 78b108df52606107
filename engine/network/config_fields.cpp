#include "engine/network/config_fields.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

using Fields = std::vector<ConfigField>;

Fields joined(std::initializer_list<Fields> parts) {
  Fields all;
  for (const Fields& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

const Fields& gpt2_fields() {
  static const Fields kFields = {{"vocab_size", ""},
                                 {"n_embd", "", "hidden_size"},
                                 {"n_layer", "", "num_hidden_layers"},
                                 {"n_head", "", "num_attention_heads"},
                                 {"n_positions", "1024", "max_position_embeddings"},
                                 {"n_inner", "null"},
                                 {"layer_norm_epsilon", "1e-5"},
                                 {"activation_function", "\"gelu_new\""},
                                 {"tie_word_embeddings", "true"},
                                 {"scale_attn_weights", "true"},
                                 {"scale_attn_by_inverse_layer_idx", "false"}};
  return kFields;
}

// The members that all families except gpt2 name alike.
Fields sizes(std::string_view positions) {
  return {{"vocab_size", ""},          {"hidden_size", ""},       {"num_hidden_layers", ""},
          {"num_attention_heads", ""}, {"intermediate_size", ""}, {"max_position_embeddings", positions}};
}

const Fields& rotary_fields() {
  static const Fields kFields = {
      {"rope_scaling", "null"}, {"rope_parameters", "null"}, {"original_max_position_embeddings", "null"}};
  return kFields;
}

const Fields& neox_fields() {
  static const Fields kFields = joined({sizes("2048"),
                                        rotary_fields(),
                                        {{"layer_norm_eps", "1e-5"},
                                         {"hidden_act", "\"gelu\""},
                                         {"use_parallel_residual", "true"},
                                         {"attention_bias", "true"},
                                         {"tie_word_embeddings", "false"},
                                         {"rotary_pct", "0.25"},
                                         {"partial_rotary_factor", "null"},
                                         {"rotary_emb_base", "10000"},
                                         {"rope_theta", "null"}}});
  return kFields;
}

const Fields& bert_fields() {
  static const Fields kFields = joined({sizes("512"),
                                        {{"layer_norm_eps", "1e-12"},
                                         {"hidden_act", "\"gelu\""},
                                         {"type_vocab_size", "2"},
                                         {"is_decoder", "false"},
                                         {"tie_word_embeddings", "true"}}});
  return kFields;
}

// For llama and the families derived from it.
Fields llama_like(std::string_view positions, std::string_view kv_heads, std::string_view head_width,
                  const Fields& more) {
  return joined({sizes(positions),
                 rotary_fields(),
                 {{"num_key_value_heads", kv_heads},
                  {"head_dim", head_width},
                  {"rms_norm_eps", "1e-6"},
                  {"rope_theta", "10000"}},
                 more});
}

const Fields& llama_fields() {
  static const Fields kFields = llama_like("2048", "null", "null",
                                           {{"hidden_act", "\"silu\""},
                                            {"tie_word_embeddings", "false"},
                                            {"attention_bias", "false"},
                                            {"mlp_bias", "false"}});
  return kFields;
}

const Fields& mistral_fields() {
  static const Fields kFields =
      llama_like("131072", "8", "null",
                 {{"hidden_act", "\"silu\""}, {"tie_word_embeddings", "false"}, {"sliding_window", "4096"}});
  return kFields;
}

const Fields& qwen_windows() {
  static const Fields kFields = {{"hidden_act", "\"silu\""},      {"tie_word_embeddings", "false"},
                                 {"use_sliding_window", "false"}, {"sliding_window", "4096"},
                                 {"max_window_layers", "28"},     {"layer_types", "null"}};
  return kFields;
}

const Fields& qwen2_fields() {
  static const Fields kFields = llama_like("32768", "32", "null", qwen_windows());
  return kFields;
}

const Fields& qwen3_fields() {
  static const Fields kFields =
      llama_like("32768", "32", "128", joined({qwen_windows(), {{"attention_bias", "false"}}}));
  return kFields;
}

const Fields& gemma2_fields() {
  static const Fields kFields = llama_like("8192", "4", "256",
                                           {{"hidden_activation", "\"gelu_pytorch_tanh\""},
                                            {"tie_word_embeddings", "true"},
                                            {"attention_bias", "false"},
                                            {"query_pre_attn_scalar", "256"},
                                            {"sliding_window", "4096"},
                                            {"layer_types", "null"},
                                            {"final_logit_softcapping", "30"},
                                            {"attn_logit_softcapping", "50"}});
  return kFields;
}

// Members that request a computation which only some families have. In a file of another family they request
// something that its library code does not do.
const std::vector<ConfigLimit>& limits_of_all() {
  static const std::vector<ConfigLimit> kLimits = {
      {"quantization_config", {"null"}, "quantised weights"},
      {"pruned_heads", {"null", "{}"}, "heads that were taken out"},
      {"add_cross_attention", {"null", "false"}, "attention to another model's tokens"},
      {"is_encoder_decoder", {"null", "false"}, "a model of two sides"},
      {"use_bidirectional_attention", {"null", "false"}, "attention both ways"},
      {"use_qk_norm", {"null", "false"}, "norms of queries and keys"},
      {"qk_layernorm", {"null", "false"}, "norms of queries and keys"},
      {"alibi", {"null", "false"}, "a bias by distance"},
      {"clip_qkv", {"null"}, "queries, keys and values that are cut off"},
      {"attention_multiplier", {"null"}, "another scale of the scores"},
      {"embedding_multiplier", {"null", "1"}, "embeddings times a number"},
      {"residual_multiplier", {"null", "1"}, "sums times a number"},
      {"logits_scaling", {"null", "1"}, "logits times a number"},
      {"logit_scale", {"null", "1"}, "logits times a number"}};
  return kLimits;
}

constexpr std::array kIdle = {
    "model_type", "architectures", "transformers_version", "torch_dtype", "dtype", "_name_or_path",
    "_commit_hash", "name_or_path", "auto_map", "attn_implementation", "_attn_implementation",
    "_attn_implementation_autoset", "use_cache", "cache_implementation", "gradient_checkpointing",
    "initializer_range", "initializer_factor", "is_decoder", "n_ctx", "reorder_and_upcast_attn",
    "pretraining_tp", "chunk_size_feed_forward", "torchscript", "use_bfloat16", "tf_legacy_loss",
    "tie_encoder_decoder", "cross_attention_hidden_size", "return_dict", "output_attentions",
    "output_hidden_states", "output_past", "output_scores", "return_dict_in_generate",
    // tokens and texts
    "bos_token_id", "eos_token_id", "pad_token_id", "sep_token_id", "cls_token_id", "mask_token_id",
    "unk_token_id", "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "bad_words_ids",
    "suppress_tokens", "begin_suppress_tokens", "prefix", "tokenizer_class", "max_length", "min_length",
    "max_new_tokens", "do_sample", "early_stopping", "num_beams", "num_beam_groups", "diversity_penalty",
    "temperature", "top_k", "top_p", "typical_p", "repetition_penalty", "length_penalty",
    "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "num_return_sequences", "remove_invalid_values",
    "exponential_decay_length_penalty", "task_specific_params", "finetuning_task", "problem_type",
    // training and classes
    "attention_dropout", "hidden_dropout", "hidden_dropout_prob", "attention_probs_dropout_prob",
    "classifier_dropout", "attn_pdrop", "embd_pdrop", "resid_pdrop", "id2label", "label2id", "num_labels",
    "summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type",
    "summary_use_proj", "directionality", "pooler_fc_size", "pooler_num_attention_heads",
    "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type"};

bool is_allowed(const ConfigLimit& limit, const Json& value) {
  return std::any_of(limit.only.begin(), limit.only.end(),
                     [&](std::string_view only) { return Json::parse(only) == value; });
}

void require_limits(const ConfigFields& fields) {
  for (const ConfigLimit& limit : fields_limited(fields.family())) {
    const Json* value = fields.find(limit.name);
    if (!value || is_allowed(limit, *value)) continue;
    const std::string name(limit.name);
    if (name == "quantization_config")
      throw Error("the weights are quantised", name, "open the model as it was before, in F32, F16 or BF16");
    throw Error(
        "it asks for " + std::string(limit.what) + " (" + value->dump() + "), which is not computed here",
        name,
        "take the member out where it has no effect on this model; the layers can be opened one by "
        "one: open the .safetensors file");
  }
}

Index checked_size(const Json& value, std::string_view name, Index most) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > most)
    throw Error("it is " + value.dump() + ", expected a whole number from 1 to " + std::to_string(most),
                std::string(name), kMendConfig);
  return value.get<Index>();
}

}  // namespace

std::vector<ConfigField> fields_read(Family family) {
  switch (family) {
    case Family::Gpt2:
      return gpt2_fields();
    case Family::GptNeoX:
      return neox_fields();
    case Family::Llama:
      return llama_fields();
    case Family::Mistral:
      return mistral_fields();
    case Family::Qwen2:
      return qwen2_fields();
    case Family::Qwen3:
      return qwen3_fields();
    case Family::Gemma2:
      return gemma2_fields();
    case Family::Bert:
      break;
  }
  return bert_fields();
}

std::vector<ConfigLimit> fields_limited(Family family) {
  std::vector<ConfigLimit> limits = limits_of_all();
  const bool rotary = family != Family::Gpt2 && family != Family::Bert;
  if (family == Family::Bert)
    limits.push_back({"position_embedding_type", {"\"absolute\""}, "positions that are relative"});
  if (rotary && family != Family::GptNeoX)
    limits.push_back({"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"});
  return limits;
}

bool is_idle_field(std::string_view name) {
  return std::find(kIdle.begin(), kIdle.end(), name) != kIdle.end();
}

double number_above_0(const Json& value, std::string_view place) {
  if (!value.is_number() || !(value.get<double>() > 0))
    throw Error("it is " + value.dump() + ", expected a number above 0", std::string(place), kMendConfig);
  return value.get<double>();
}

ConfigFields::ConfigFields(const Json& document, Family family)
    : json_(document), family_(family), fields_(fields_read(family)) {
  require_limits(*this);
}

const Json* ConfigFields::find(std::string_view name) const {
  const auto found = json_.find(std::string(name));
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

const ConfigField& ConfigFields::field(std::string_view name) const {
  for (const ConfigField& field : fields_)
    if (field.name == name) return field;
  throw std::logic_error(std::string(name) + " is not among the fields of " + family_name(family_));
}

Json ConfigFields::value(std::string_view name) const {
  const ConfigField& asked = field(name);
  const auto own = json_.find(std::string(name));
  const auto other = asked.also.empty() ? json_.end() : json_.find(std::string(asked.also));
  if (own != json_.end() && other != json_.end() && *own != *other)
    throw Error("it is " + own->dump() + ", but " + std::string(asked.also) +
                    ", which stands for the same, is " + other->dump(),
                std::string(name), "keep the one that is meant");
  if (own != json_.end()) return *own;
  if (other != json_.end()) return *other;
  if (asked.missing.empty()) throw Error("config.json does not say " + in_quotes(name), "", kMendConfig);
  return Json::parse(asked.missing);
}

Index ConfigFields::size(std::string_view name, Index most) const {
  return checked_size(value(name), name, most);
}

std::optional<Index> ConfigFields::size_if(std::string_view name, Index most) const {
  const Json found = value(name);
  return found.is_null() ? std::nullopt : std::optional(checked_size(found, name, most));
}

double ConfigFields::number(std::string_view name) const {
  return number_above_0(value(name), name);
}

std::optional<double> ConfigFields::number_if(std::string_view name) const {
  const Json found = value(name);
  return found.is_null() ? std::nullopt : std::optional(number_above_0(found, name));
}

bool ConfigFields::flag(std::string_view name) const {
  const Json found = value(name);
  if (found.is_null()) return false;
  if (!found.is_boolean())
    throw Error("it is " + json_kind(found) + ", expected true or false", std::string(name), kMendConfig);
  return found.get<bool>();
}

std::string ConfigFields::word(std::string_view name) const {
  const Json found = value(name);
  if (!found.is_string())
    throw Error("it is " + json_kind(found) + ", expected text", std::string(name), kMendConfig);
  return found.get<std::string>();
}

void ConfigFields::require_same(std::string_view name, double number, std::string_view as) const {
  const Json* found = find(name);
  if (found && number_above_0(*found, name) != number)
    throw Error("it is " + found->dump() + ", but " + std::string(as) + " is " + Json(number).dump() +
                    ": versions of the library take the one or the other",
                std::string(name), "keep the one that is meant, or let both be the same");
}

std::vector<std::string> ConfigFields::unread() const {
  std::vector<std::string> names;
  const std::vector<ConfigLimit> limits = fields_limited(family_);
  for (const auto& [name, value] : json_.items()) {
    const std::string& of = name;
    const bool read = std::any_of(fields_.begin(), fields_.end(), [&](const ConfigField& field) {
      return field.name == of || field.also == of;
    });
    const bool limited =
        std::any_of(limits.begin(), limits.end(), [&](const ConfigLimit& limit) { return limit.name == of; });
    if (!read && !limited && !is_idle_field(name)) names.push_back(name);
  }
  return names;
}

}  // namespace headlight
