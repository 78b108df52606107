#include "engine/checkpoint/gguf_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

constexpr std::int64_t kMostSize = 1 << 24;
constexpr const char* kConvertModel = "convert the model again, with a current version of llama.cpp";

// Settings that do not change what is computed, or that say what is so without them.
constexpr std::array kIdleSettings = {"vocab_size", "rope.scaling.finetuned", "tensor_data_layout",
                                      "attention.causal"};

class ConfigBuilder {
 public:
  ConfigBuilder(const GgufFile& file, const GgufFamily& family)
      : metadata_(file.metadata), file_(file), family_(family) {}

  Json build(const RotaryFactors& rotary_factors) {
    require_known();
    config_["model_type"] = family_.model_type;
    for (const FixedMember& member : family_.fixed)
      config_[std::string(member.hub)] = Json::parse(member.json);
    for (const SettingName& setting : family_.settings)
      copy(setting);
    for (const SettingName& flag : family_.flags)
      config_[std::string(flag.hub)] = has_tensor(flag.gguf);
    config_["tie_word_embeddings"] = !has_tensor("output.weight");
    add_vocabulary();
    if (config_.contains("num_key_value_heads") || reads("attention.key_length"))
      add_heads();
    else if (reads("attention.head_count_kv"))
      require_kv_heads();
    if (!family_.rotary_share.empty()) add_rotary_share();
    if (family_.largest_layers > 0) add_gemma_scale();
    add_scaling(rotary_factors);
    return config_;
  }

 private:
  std::string key(std::string_view setting) const {
    return std::string(family_.architecture) + "." + std::string(setting);
  }
  bool reads(std::string_view setting) const {
    return std::find(family_.others.begin(), family_.others.end(), setting) != family_.others.end();
  }
  const GgufTensor* tensor(std::string_view name) const {
    for (const GgufTensor& one : file_.tensors)
      if (one.name == name) return &one;
    return nullptr;
  }
  bool has_tensor(std::string_view name) const { return tensor(name) != nullptr; }

  bool is_known(const std::string& setting) const {
    const auto named = [&](const SettingName& one) { return one.gguf == setting; };
    return reads(setting) || setting.starts_with("rope.scaling.") ||
           std::any_of(family_.settings.begin(), family_.settings.end(), named) ||
           std::find(kIdleSettings.begin(), kIdleSettings.end(), setting) != kIdleSettings.end();
  }

  // Rejects a setting of the architecture that is not in its table, since it may change what is computed.
  void require_known() const {
    const std::string prefix = key("");
    for (const std::string& name : metadata_.keys())
      if (name.starts_with(prefix) && !is_known(name.substr(prefix.size())))
        throw Error("a " + std::string(family_.architecture) + " with this setting is not computed here",
                    name, "take the model's folder as the hub has it");
    if (metadata_.has(key("attention.causal")) && !metadata_.flag_if(key("attention.causal")).value_or(true))
      throw Error("attention both ways is not computed here", key("attention.causal"),
                  "take the model's folder as the hub has it");
  }

  void copy(const SettingName& setting) {
    const std::string name = key(setting.gguf), member(setting.hub);
    if (!metadata_.has(name)) {
      if (setting.optional) return;
      throw Error("the file does not say it", name, kConvertModel);
    }
    Json& place = place_of(member);
    if (setting.hub == "use_parallel_residual")
      place = *metadata_.flag_if(name);
    else if (is_number(setting.gguf))
      place = *metadata_.number_if(name);
    else if (setting.gguf == "attention.sliding_window" && metadata_.whole_if(name, 0, kMostSize) == 0)
      place = nullptr;  // no window
    else
      place = *metadata_.whole_if(name, 1, kMostSize);
  }
  Json& place_of(const std::string& member) {
    const std::size_t dot = member.find('.');
    return dot == std::string::npos ? config_[member]
                                    : config_[member.substr(0, dot)][member.substr(dot + 1)];
  }
  static bool is_number(std::string_view setting) {
    constexpr std::array<std::string_view, 7> kEndings = {
        "epsilon", "freq_base", "freq_base_swa", "softcapping", "scale", "clamp_kqv", "max_alibi_bias"};
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [&](std::string_view ending) { return setting.ends_with(ending); });
  }

  void add_vocabulary() {
    const GgufTensor* embeddings = tensor("token_embd.weight");
    if (!embeddings) throw Error("the file has no such tensor", "token_embd.weight", kConvertModel);
    config_["vocab_size"] = embeddings->shape.front();
  }

  // The library's defaults are those of one model; llama.cpp's follow from the other sizes.
  void add_heads() {
    const std::int64_t heads = config_["num_attention_heads"];
    const std::int64_t width = config_["hidden_size"];
    config_["num_key_value_heads"] =
        metadata_.whole_if(key("attention.head_count_kv"), 1, kMostSize).value_or(heads);
    const auto keys = metadata_.whole_if(key("attention.key_length"), 1, kMostSize);
    const auto values = metadata_.whole_if(key("attention.value_length"), 1, kMostSize);
    const std::int64_t own = keys.value_or(width / heads);
    if (!family_.has_head_width && own != width / heads)
      throw Error("heads are " + std::to_string(own) + " wide, which is not computed here",
                  key("attention.key_length"), "take the model's folder as the hub has it");
    if (family_.has_head_width && (keys || width % heads == 0)) config_["head_dim"] = own;
    if (values.value_or(own) != own)
      throw Error("values are " + std::to_string(*values) + " wide and keys " + std::to_string(own) +
                      ", which is not computed here",
                  key("attention.value_length"), "take the model's folder as the hub has it");
    const auto turned = metadata_.whole_if(key("rope.dimension_count"), 1, kMostSize);
    if (family_.rotary_share.empty() && turned.value_or(own) != own)
      throw Error(std::to_string(*turned) + " of the " + std::to_string(own) +
                      " numbers of a head are turned, which is not computed here",
                  key("rope.dimension_count"), "take the model's folder as the hub has it");
  }

  // Of families that the library gives no number of heads of keys.
  void require_kv_heads() const {
    const std::string name = key("attention.head_count_kv");
    const auto heads = metadata_.whole_if(key("attention.head_count"), 1, kMostSize);
    const std::int64_t expected = family_.model_type == "gpt_bigcode" ? 1 : heads.value_or(1);
    const std::int64_t found = metadata_.whole_if(name, 1, kMostSize).value_or(expected);
    if (found != expected)
      throw Error("it is " + std::to_string(found) + ", which is not computed here: a " +
                      std::string(family_.architecture) + " has " + std::to_string(expected),
                  name, "take the model's folder as the hub has it");
  }

  void add_rotary_share() {
    const std::int64_t heads = config_["num_attention_heads"], width = config_["hidden_size"];
    const auto turned = metadata_.whole_if(key("rope.dimension_count"), 1, kMostSize);
    const double own = config_.contains("head_dim") ? config_["head_dim"].get<double>()
                                                    : static_cast<double>(width) / static_cast<double>(heads);
    config_[std::string(family_.rotary_share)] = turned ? static_cast<double>(*turned) / own : 1.0;
  }

  // The file may have no scale of its own.
  void add_gemma_scale() {
    const std::int64_t heads = config_["num_attention_heads"], width = config_["hidden_size"];
    const auto scale = metadata_.number_if(key("attention.scale"));
    if (scale && *scale > 0)
      config_["query_pre_attn_scalar"] = 1 / (*scale * *scale);
    else if (config_["num_hidden_layers"] == family_.largest_layers)
      config_["query_pre_attn_scalar"] = width / heads;
    else
      config_["query_pre_attn_scalar"] = config_.value("head_dim", Json(width / heads));
  }

  void add_scaling(const RotaryFactors& rotary_factors) {
    const std::string name = key("rope.scaling.type");
    const std::string* type = metadata_.text_if(name);
    if (!rotary_factors.llama3.empty()) return add_llama3(rotary_factors.llama3);
    if (!rotary_factors.long_texts.empty() || !rotary_factors.short_texts.empty()) {
      config_["rope_scaling"] = {{"type", "longrope"},
                                 {"long_factor", rotary_factors.long_texts},
                                 {"short_factor", rotary_factors.short_texts}};
      return;
    }
    const auto factor = metadata_.number_if(key("rope.scaling.factor"));
    if (!type || *type == "none") {
      if (factor && *factor != 1 && !type)
        config_["rope_scaling"] = {{"rope_type", "linear"}, {"factor", *factor}};
      return;
    }
    if (*type != "linear" && *type != "yarn")
      throw Error("positions scaled in the way of " + in_quotes(*type) + " are not known here", name,
                  "known are none, linear and yarn");
    if (!factor) throw Error("the file does not say it", key("rope.scaling.factor"), kConvertModel);
    Json& scaling = config_["rope_scaling"] = {{"rope_type", *type}, {"factor", *factor}};
    constexpr std::array kOfYarn = {SettingName{"rope.scaling.attn_factor", "attention_factor"},
                                    SettingName{"rope.scaling.yarn_beta_fast", "beta_fast"},
                                    SettingName{"rope.scaling.yarn_beta_slow", "beta_slow"}};
    for (const SettingName& one : kOfYarn)
      if (const auto number = metadata_.number_if(key(one.gguf))) scaling[std::string(one.hub)] = *number;
    if (const auto first = metadata_.whole_if(key("rope.scaling.original_context_length"), 1, kMostSize))
      scaling["original_max_position_embeddings"] = *first;
  }

  // Llama 3's scaling is in the file as the factors of its frequencies. Its other numbers are the same in all
  // of these models but for the length that they were trained with first.
  void add_llama3(const std::vector<float>& factors) {
    const double theta = config_.value("rope_theta", 10000.0);
    const auto largest = static_cast<double>(*std::max_element(factors.begin(), factors.end()));
    constexpr std::int64_t kShortest = 8, kLongest = 1 << 22;
    for (std::int64_t positions = kShortest; largest >= 1 && positions <= kLongest; positions *= 2) {
      if (!are_llama3(factors, theta, largest, static_cast<double>(positions))) continue;
      config_["rope_scaling"] = {{"rope_type", "llama3"},
                                 {"factor", largest},
                                 {"low_freq_factor", 1},
                                 {"high_freq_factor", 4},
                                 {"original_max_position_embeddings", positions}};
      return;
    }
    throw Error("its factors are not those of Llama 3's scaling of positions, which alone is known here",
                "rope_freqs.weight", "take the model's folder as the hub has it");
  }

  static bool are_llama3(const std::vector<float>& factors, double theta, double factor, double positions) {
    constexpr double kLow = 1, kHigh = 4, kPi = 3.14159265358979323846, kNear = 1e-4;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(factors.size());
      const double turns = positions / (2 * kPi * std::pow(theta, share));
      const double smooth = (turns - kLow) / (kHigh - kLow);
      const double expected = turns > kHigh  ? 1
                              : turns < kLow ? factor
                                             : 1 / ((1 - smooth) / factor + smooth);
      if (std::abs(static_cast<double>(factors[i]) - expected) > kNear * expected) return false;
    }
    return true;
  }

  const GgufMetadata& metadata_;
  const GgufFile& file_;
  const GgufFamily& family_;
  Json config_ = Json::object();
};

}  // namespace

Json gguf_config(const GgufFile& file, const GgufFamily& family, const RotaryFactors& rotary_factors) {
  return ConfigBuilder(file, family).build(rotary_factors);
}

GgufHeads gguf_heads(const GgufFile& file, const GgufFamily& family) {
  const std::string name = std::string(family.architecture) + ".attention.head_count";
  const auto heads = file.metadata.whole_if(name, 1, kMostSize);
  if (!heads) throw Error("the file does not say it", name, kConvertModel);
  const auto kv_heads = file.metadata.whole_if(name + "_kv", 1, kMostSize);
  return {static_cast<Index>(*heads), static_cast<Index>(kv_heads.value_or(*heads))};
}

}  // namespace headlight
