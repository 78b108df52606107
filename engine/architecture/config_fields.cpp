#include "engine/architecture/config_fields.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "engine/architecture/family.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

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
    "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type", "dropout", "activation_dropout",
    "embedding_dropout", "embed_dropout", "resid_dropout", "residual_dropout", "mlp_dropout", "layerdrop",
    "dropout_rate", "init_std", "classifier_dropout_prob", "classifier_pooling", "summary_last_dropout",
    "output_router_logits", "router_aux_loss_coef", "router_jitter_noise"};

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

ConfigFieldList joined(std::initializer_list<ConfigFieldList> parts) {
  ConfigFieldList all;
  for (const ConfigFieldList& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

ConfigFieldList usual_sizes(std::string_view positions) {
  using C = NetworkConfig;
  return {{"vocab_size", "", &C::vocabulary},       {"hidden_size", "", &C::width},
          {"num_hidden_layers", "", &C::layers},    {"num_attention_heads", "", &C::heads},
          {"intermediate_size", "", &C::mlp_width}, {"max_position_embeddings", positions, &C::positions}};
}

ConfigFieldList rotary_fields() {
  return {
      {"rope_scaling", "null"}, {"rope_parameters", "null"}, {"original_max_position_embeddings", "null"}};
}

std::vector<ConfigLimit> fields_limited(const Family& family) {
  std::vector<ConfigLimit> limits = family.limits;
  for (const ConfigLimit& limit : limits_of_all()) {
    const bool read = std::any_of(family.fields.begin(), family.fields.end(),
                                  [&](const ConfigField& field) { return field.name == limit.name; });
    if (!read) limits.push_back(limit);
  }
  return limits;
}

bool is_idle_field(const Family& family, std::string_view name) {
  return std::find(kIdle.begin(), kIdle.end(), name) != kIdle.end() ||
         std::find(family.idle.begin(), family.idle.end(), name) != family.idle.end();
}

std::string numbered(const std::string& text, Index number) {
  std::string made = text;
  if (const std::size_t place = made.find('#'); place != std::string::npos)
    made.replace(place, 1, std::to_string(number));
  return made;
}

Activation activation_of(const std::string& name, std::string_view place) {
  if (name == "gelu" || name == "gelu_python") return Activation::Gelu;
  for (const char* known :
       {"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu_accurate", "gelu_python_tanh"})
    if (name == known) return Activation::GeluTanh;
  if (name == "silu" || name == "swish") return Activation::Silu;
  if (name == "quick_gelu") return Activation::QuickGelu;
  if (name == "relu") return Activation::Relu;
  if (name == "relu2") return Activation::ReluSquared;
  throw Error("the activation " + in_quotes(name) + " is not known here", std::string(place),
              "known are gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, silu, relu and relu2");
}

double number_above_0(const Json& value, std::string_view place) {
  if (!value.is_number() || !(value.get<double>() > 0))
    throw Error("it is " + value.dump() + ", expected a number above 0", std::string(place), kMendConfig);
  return value.get<double>();
}

ConfigFields::ConfigFields(const Json& document, const Family& family) : json_(document), family_(family) {
  require_limits(*this);
}

const Json* ConfigFields::find(std::string_view name) const {
  const auto found = json_.find(std::string(name));
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool ConfigFields::reads(std::string_view name) const {
  return std::any_of(family_.fields.begin(), family_.fields.end(),
                     [&](const ConfigField& field) { return field.name == name; });
}

bool ConfigFields::tells_unused(std::string_view name) const {
  return !reads(name) || field(name).missing == "null";
}

const ConfigField& ConfigFields::field(std::string_view name) const {
  for (const ConfigField& field : family_.fields)
    if (field.name == name) return field;
  throw std::logic_error(std::string(name) + " is not among the fields of " + std::string(family_.name));
}

Json ConfigFields::value(std::string_view name) const {
  const ConfigField& asked = field(name);
  const auto own = json_.find(std::string(name));
  const auto other = asked.also.empty() ? json_.end() : json_.find(std::string(asked.also));
  if (own != json_.end() && own->is_null() && other != json_.end()) return *other;
  if (own != json_.end() && other != json_.end() && !other->is_null() && *own != *other)
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

Index ConfigFields::count(std::string_view name, Index most) const {
  const Json number = value(name);
  return number == 0 ? 0 : checked_size(number, name, most);
}

Activation ConfigFields::activation(std::string_view name) const {
  return activation_of(word(name), name);
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
    const bool read =
        std::any_of(family_.fields.begin(), family_.fields.end(),
                    [&](const ConfigField& field) { return field.name == of || field.also == of; });
    const bool limited =
        std::any_of(limits.begin(), limits.end(), [&](const ConfigLimit& limit) { return limit.name == of; });
    if (!read && !limited && !is_idle_field(family_, name)) names.push_back(name);
  }
  return names;
}

}  // namespace headlight
