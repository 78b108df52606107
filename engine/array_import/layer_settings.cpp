#include "engine/array_import/layer_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/array_import/array_names.h"
#include "engine/core/ascii.h"

namespace headlight {
namespace {

// Whose names of arrays they are.
enum class Naming { Gpt2, NeoX, Llama, Bert, T5 };

struct Known {
  std::string_view word;
  Naming naming;
};
// Parts of names that occur in one family only.
constexpr Known kNames[] = {{"encdecattention.", Naming::T5},  {"selfattention.", Naming::T5},
                            {"gpt_neox.", Naming::NeoX},       {"attn.c_attn", Naming::Gpt2},
                            {"attention.self.", Naming::Bert}, {"self_attn.o_proj", Naming::Llama}};

std::optional<Naming> naming_of(const std::vector<ArrayChoice>& choices) {
  for (const ArrayChoice& choice : choices) {
    const std::string name = lowered(choice.name);
    for (const Known& known : kNames)
      if (name.find(known.word) != std::string::npos) return known.naming;
    // Three squares: the heads share no keys.
    const bool squares = choice.shape.size() == 2 &&
                         (choice.shape[0] == 3 * choice.shape[1] || choice.shape[1] == 3 * choice.shape[0]);
    if (choice.role == ArrayRole::FusedHeadsWeight && squares &&
        name.find("self_attention") == std::string::npos)
      return Naming::NeoX;
  }
  return std::nullopt;
}

bool has_all_weights(const std::vector<ArrayChoice>& choices) {
  const auto has = [&](ArrayRole role) {
    return std::any_of(choices.begin(), choices.end(), [role](const auto& c) { return c.role == role; });
  };
  return has(ArrayRole::FusedWeight) || has(ArrayRole::FusedHeadsWeight) ||
         (has(ArrayRole::QueryWeight) && has(ArrayRole::KeyWeight) && has(ArrayRole::ValueWeight));
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
  return lowered(name).starts_with("decoder.");
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

const char* usual_family(Naming naming) {
  constexpr std::array kFamilies = {"GPT-2", "GPT-NeoX", "Llama", "BERT", "T5"};
  return kFamilies[static_cast<std::size_t>(naming)];
}

// By the names alone, and the theta that is stated.
LayerSettings settings_of(Naming naming, const std::vector<ArrayChoice>& choices,
                          std::optional<double> theta) {
  LayerSettings settings;
  settings.family = usual_family(naming);
  settings.cross = any_name_has(choices, names_cross_attention);
  const bool decoder = any_name_has(choices, names_decoder);
  if (naming == Naming::T5) {
    settings.scale.kind = ScaleKind::None;
    settings.buckets.both_ways = !decoder;
  }
  if (settings.cross) return settings;
  settings.causal = naming == Naming::T5 ? decoder : naming != Naming::Bert;
  if (naming != Naming::Llama && naming != Naming::NeoX) return settings;
  settings.position.kind = PositionKind::Rotary;
  settings.rotary_share = naming == Naming::NeoX ? 0.25 : 1.0;
  settings.theta_stated = theta.has_value();
  settings.position.theta = theta.value_or(settings.position.theta);
  return settings;
}

// The side of the model that the names are of.
const NetworkConfig& side_of(const NetworkConfig& model, const std::vector<ArrayChoice>& choices) {
  return model.encoder && !any_name_has(choices, names_decoder) ? *model.encoder : model;
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

void caution_of_model(LayerSettings& settings, const NetworkConfig& side) {
  const auto beyond = [&](bool asked, const std::string& what) {
    if (asked)
      add_caution(settings, "config.json asks for " + what +
                                ", which is not done here: the weights are not the model's");
  };
  beyond(side.clip > 0, "queries, keys and values that are cut off");
  beyond(side.rounded_alibi, "a bias by distance that is rounded to bfloat16");
  const Index short_text = side.dynamic > 0 ? side.positions : side.short_positions;
  if (side.dynamic > 0 || !side.long_factors.empty())
    add_caution(settings, "in texts of more than " + std::to_string(short_text) +
                              " tokens the model turns positions otherwise than here");
}

// As the whole model computes the layer.
LayerSettings settings_of(const LayerConfig& config, const std::vector<ArrayChoice>& choices,
                          std::optional<double> theta) {
  const NetworkConfig& side = side_of(*config.model, choices);
  LayerSettings settings;
  settings.family = config.model_type.empty() ? family_name(side) : config.model_type;
  settings.by_config = true;
  settings.num_heads = config.heads;
  settings.cross = any_name_has(choices, names_cross_attention);
  settings.buckets = {!side.causal, side.relative_bias.buckets > 0 ? side.relative_bias.farthest
                                                                   : RelativeBuckets{}.max_distance};
  const Index layer = std::min(layer_number(choices), side.layers - 1);
  if (layer < layer_number(choices))
    add_caution(settings, "config.json has " + std::to_string(side.layers) +
                              " layers: what this one has beside its arrays is taken from the last");
  const AttentionSettings a = settings.cross ? side.cross_attention() : side.attention(layer, 1);
  settings.scale = a.scale;
  settings.softcap = a.softcap;
  for (const std::string& what : config.beyond)
    add_caution(settings,
                "config.json has " + what + ", which is not done here: the weights are not the model's");
  caution_of_model(settings, side);
  if (settings.cross) return settings;
  settings.position = a.position;
  if (!config.heads && a.position.kind == PositionKind::Rotary) {  // a share of heads whose width is open
    settings.rotary_share =
        static_cast<double>(std::exchange(settings.position.dims, 0)) / static_cast<double>(side.head_width);
  }
  settings.theta_stated = true;
  if (theta) settings.position.theta = *theta;
  settings.causal = side.causal;
  settings.window = side.windows[static_cast<std::size_t>(layer)];
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
  return has_any(lowered(name),
                 {"encdecattention", "crossattention", "cross_attention", "cross_attn", "encoder_attn"});
}

std::optional<LayerSettings> layer_settings(const std::vector<ArrayChoice>& choices,
                                            const LayerHints& hints) {
  if (hints.settled || !has_all_weights(choices)) return std::nullopt;
  const LayerConfig* config = hints.config && width_agrees(choices, *hints.config) ? &*hints.config : nullptr;
  LayerSettings settings;
  const std::optional<Naming> named = naming_of(choices);
  const bool assumed = config && config->model && config->model_type.empty();
  if (config && config->model && !(assumed && named && *named != Naming::Llama)) {
    settings = settings_of(*config, choices, hints.theta);
  } else {
    const bool unknown = config && !config->model_type.empty();
    if (!named) return unknown ? only_heads_known(*config) : std::nullopt;
    const std::optional<double> theta = config ? config->theta : std::nullopt;
    settings = settings_of(*named, choices, hints.theta ? hints.theta : theta);
    settings.by_config = config != nullptr;
    if (config) settings.num_heads = config->heads;
    if (unknown) leave_mask_open(settings, *config);
  }
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
