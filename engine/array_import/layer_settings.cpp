#include "engine/array_import/layer_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/array_import/array_names.h"

namespace headlight {
namespace {

enum class Family { Gpt2, NeoX, Llama, GptJ, Bert, T5 };

struct Known {
  std::string_view word;
  Family family;
};
// Parts of names that occur in one family only.
constexpr Known kNames[] = {{"encdecattention.", Family::T5},  {"selfattention.", Family::T5},
                            {"gpt_neox.", Family::NeoX},       {"attn.c_attn", Family::Gpt2},
                            {"attention.self.", Family::Bert}, {"self_attn.o_proj", Family::Llama}};
// By model_type. Other types may pair, turn or scale differently, even if their names are alike.
constexpr Known kTypes[] = {
    {"gpt2", Family::Gpt2},       {"gpt_neox", Family::NeoX},    {"llama", Family::Llama},
    {"mistral", Family::Llama},   {"mixtral", Family::Llama},    {"qwen2", Family::Llama},
    {"qwen2_moe", Family::Llama}, {"qwen3", Family::Llama},      {"gemma", Family::Llama},
    {"gemma2", Family::Llama},    {"gemma3", Family::Llama},     {"gemma3_text", Family::Llama},
    {"phi", Family::Llama},       {"phi3", Family::Llama},       {"olmo2", Family::Llama},
    {"stablelm", Family::Llama},  {"starcoder2", Family::Llama}, {"gptj", Family::GptJ},
    {"bert", Family::Bert},       {"roberta", Family::Bert},     {"xlm-roberta", Family::Bert},
    {"camembert", Family::Bert},  {"electra", Family::Bert},     {"distilbert", Family::Bert},
    {"t5", Family::T5},           {"mt5", Family::T5},           {"umt5", Family::T5}};

std::optional<Family> family_of_names(const std::vector<ArrayChoice>& choices) {
  for (const ArrayChoice& choice : choices) {
    const std::string name = lower_name(choice.name);
    for (const Known& known : kNames)
      if (name.find(known.word) != std::string::npos) return known.family;
    // Three squares: the heads share no keys.
    const bool squares = choice.shape.size() == 2 &&
                         (choice.shape[0] == 3 * choice.shape[1] || choice.shape[1] == 3 * choice.shape[0]);
    if (choice.role == ArrayRole::FusedHeadsWeight && squares &&
        name.find("self_attention") == std::string::npos)
      return Family::NeoX;
  }
  return std::nullopt;
}

std::optional<Family> family_of_type(const LayerConfig& config) {
  for (const Known& known : kTypes)
    if (config.model_type == known.word) return known.family;
  return std::nullopt;
}

bool has_all_weights(const std::vector<ArrayChoice>& choices) {
  const auto has = [&](ArrayRole role) {
    return std::any_of(choices.begin(), choices.end(), [role](const auto& c) { return c.role == role; });
  };
  return has(ArrayRole::FusedWeight) || has(ArrayRole::FusedHeadsWeight) ||
         (has(ArrayRole::QueryWeight) && has(ArrayRole::KeyWeight) && has(ArrayRole::ValueWeight));
}

// Whether the queries' weights have one side equal to the config's d_in.
bool width_agrees(const std::vector<ArrayChoice>& choices, const LayerConfig& config) {
  for (const ArrayChoice& choice : choices)
    if (choice.role == ArrayRole::QueryWeight || choice.role == ArrayRole::FusedWeight ||
        choice.role == ArrayRole::FusedHeadsWeight)
      return !config.width ||
             std::find(choice.shape.begin(), choice.shape.end(), *config.width) != choice.shape.end();
  return false;
}

std::optional<Index> layer_number(std::string_view name) {
  const std::string_view layer = numbered_layer_of(name);
  const std::size_t digits = layer.find_last_not_of("0123456789") + 1;
  Index number = 0;
  const auto [end, error] = std::from_chars(layer.data() + digits, layer.data() + layer.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// The layer number in the first name that has one; 0 if none has.
Index layer_number(const std::vector<ArrayChoice>& choices) {
  for (const ArrayChoice& choice : choices)
    if (const auto number = layer_number(choice.name)) return *number;
  return 0;
}

bool any_name_has(const std::vector<ArrayChoice>& choices, bool (*test)(std::string_view)) {
  return std::any_of(choices.begin(), choices.end(),
                     [test](const ArrayChoice& choice) { return test(choice.name); });
}

bool names_decoder(std::string_view name) {
  return lower_name(name).starts_with("decoder.");
}

// The name of a norm of queries or keys before their product, beside the layer's own arrays; "" if none.
std::string norm_beside(const std::vector<ArrayChoice>& choices, const std::vector<std::string>& names) {
  const Index layer = layer_number(choices);
  for (const std::string& name : names)
    for (const std::string_view norm : {"q_norm.", "k_norm.", "q_layernorm.", "k_layernorm."})
      if (name.find(norm) != std::string::npos && layer_number(name).value_or(layer) == layer) return name;
  return {};
}

void add_caution(LayerSettings& settings, const std::string& caution) {
  settings.caution += (settings.caution.empty() ? "" : "; ") + caution;
}

const char* family_name(Family family) {
  constexpr std::array kFamilies = {"GPT-2", "GPT-NeoX", "Llama", "GPT-J", "BERT", "T5"};
  return kFamilies[static_cast<std::size_t>(family)];
}

void set_positions(LayerSettings& settings, Family family, const LayerConfig& config,
                   const LayerHints& hints) {
  if (family != Family::Llama && family != Family::NeoX && family != Family::GptJ) return;
  settings.position.kind = PositionKind::Rotary;
  if (family == Family::GptJ) settings.position.pairs = RotaryPairs::Neighbours;
  settings.theta_stated = hints.theta || config.theta;
  settings.position.theta = hints.theta.value_or(config.theta.value_or(settings.position.theta));
  settings.rotary_share = config.rotary_share.value_or(family == Family::NeoX ? 0.25 : 1.0);
  settings.position.dims = config.turned.value_or(0);
  settings.position.scaling = config.rotary_scaling.value_or(RotaryScaling{});
  if (!config.scaling.empty())
    add_caution(settings,
                "config.json scales the rotary positions (" + config.scaling +
                    "), which is not done here: distant tokens are turned otherwise than in the model");
}

LayerSettings settings_of(Family family, const std::vector<ArrayChoice>& choices, const LayerConfig& config,
                          const LayerHints& hints) {
  LayerSettings settings;
  settings.family = family_name(family);
  settings.num_heads = config.heads;
  settings.cross = any_name_has(choices, names_cross_attention);
  const bool decoder = any_name_has(choices, names_decoder);
  if (family == Family::T5) {
    settings.scale.kind = ScaleKind::None;
    settings.buckets = {!decoder, config.max_distance.value_or(RelativeBuckets{}.max_distance)};
  }
  if (config.unscaled) settings.scale.kind = ScaleKind::None;
  for (const std::string& what : config.beyond)
    add_caution(settings,
                "config.json has " + what + ", which is not done here: the weights are not the model's");
  if (config.scale_width) settings.scale = {ScaleKind::Number, 1 / std::sqrt(*config.scale_width)};
  settings.softcap = config.softcap.value_or(0);
  if (settings.cross) return settings;
  set_positions(settings, family, config, hints);
  settings.causal = family == Family::T5 ? decoder : family == Family::Bert ? config.decoder : true;
  settings.window = config.window_of(layer_number(choices));
  return settings;
}

// For an unknown model_type.
void leave_mask_open(LayerSettings& settings, const LayerConfig& config) {
  settings.mask_stated = settings.causal = false;
  settings.window.reset();
  add_caution(settings,
              "the model_type " + config.model_type +
                  " in config.json is not known here: the layer is taken for one of " + settings.family +
                  ", which it may not be, and what its queries may look at is not said: set the mask");
}

std::optional<LayerSettings> only_heads_known(const LayerConfig& config) {
  if (!config.heads) return std::nullopt;
  LayerSettings settings;
  settings.family = config.model_type;
  settings.num_heads = config.heads;
  settings.by_config = settings.only_heads_known = true;
  settings.mask_stated = false;
  settings.caution =
      "the model_type " + config.model_type +
      " in config.json is not known here: its heads are taken from there, and nothing else; set "
      "positions, scale and mask";
  return settings;
}

}  // namespace

bool names_cross_attention(std::string_view name) {
  return has_any(lower_name(name),
                 {"encdecattention", "crossattention", "cross_attention", "cross_attn", "encoder_attn"});
}

std::optional<LayerSettings> layer_settings(const std::vector<ArrayChoice>& choices,
                                            const LayerHints& hints) {
  if (hints.settled || !has_all_weights(choices)) return std::nullopt;
  const LayerConfig* config = hints.config && width_agrees(choices, *hints.config) ? &*hints.config : nullptr;
  const std::optional<Family> typed = config ? family_of_type(*config) : std::nullopt;
  std::optional<Family> family = typed ? typed : family_of_names(choices);
  if (!family && config && config->theta) family = Family::Llama;
  const bool unknown = config && !typed && !config->model_type.empty();
  if (!family) return unknown ? only_heads_known(*config) : std::nullopt;
  LayerSettings settings = settings_of(*family, choices, config ? *config : LayerConfig{}, hints);
  settings.by_config = config != nullptr;
  if (unknown) leave_mask_open(settings, *config);
  if (typed) settings.family = config->model_type;
  if (const std::string norm = norm_beside(choices, hints.names); !norm.empty())
    add_caution(settings, norm +
                              " normalises queries or keys before their product, which is not done here: the "
                              "weights are not the model's");
  return settings;
}

LayerSettings with_head_width(LayerSettings settings, Index d_k) {
  Position& position = settings.position;
  if (position.kind != PositionKind::Rotary) return settings;
  const auto share = static_cast<Index>(settings.rotary_share * static_cast<double>(d_k));
  const Index turned = position.dims > 0 ? position.dims : std::min(d_k, std::max<Index>(share, 2));
  if (turned % 2 != 0 || turned > d_k) {
    position = {};
    add_caution(settings,
                "heads of " + std::to_string(d_k) +
                    " have no pairs of numbers to be turned by position: choose another number of heads");
  } else {
    position.dims = turned < d_k ? turned : 0;
  }
  return settings;
}

}  // namespace headlight
