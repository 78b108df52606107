#include "engine/array_import/array_plan_notes.h"

#include <algorithm>
#include <cstdio>

namespace headlight {
namespace {

// "W_query", "W_query and W_key", "W_query, W_key and W_value".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

std::vector<std::string> names_of(const std::array<PartSource, 4>& fates, PartSource fate,
                                  const char* before) {
  std::vector<std::string> names;
  for (const Parameter p : kParameters)
    if (fates[static_cast<std::size_t>(p)] == fate)
      names.push_back(std::string(before) + "W_" + parameter_name(p));
  return names;
}

std::string drawn_how(const WeightRecipe& recipe) {
  return std::string(recipe.init == InitKind::Rand ? "torch.rand" : "nn.Linear") + ", seed " +
         std::to_string(recipe.seed);
}

std::string are(std::size_t count) {
  return count == 1 ? " is " : " are ";
}

std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string position_words(const Position& position) {
  if (position.kind == PositionKind::None) return "none";
  if (position.kind == PositionKind::Alibi) return "ALiBi";
  std::string text = "rotary, theta " + plain(position.theta);
  if (position.dims > 0) text += ", " + std::to_string(position.dims) + " numbers of each head turned";
  return text;
}

std::string scale_words(const Scale& scale) {
  return scale.kind == ScaleKind::InverseSqrtDk ? "1/√d_k"
         : scale.kind == ScaleKind::None        ? "1"
                                                : plain(scale.number);
}

std::string mask_words(const AttentionSettings& a) {
  constexpr std::array kMasks = {"none", "causal", "custom", "rules"};
  return kMasks[static_cast<std::size_t>(a.mask)];
}

std::string mask_words(const LayerSettings& layer) {
  if (!layer.window) return layer.causal ? "causal" : "none";
  if (layer.causal) return "causal, each query sees " + std::to_string(*layer.window) + " keys";
  return "each query sees " + std::to_string(*layer.window - 1) + " keys to either side";
}

// What the layer's family sets, and how certain that is.
void note_family(const ArrayPlan& plan, const Layer& model, PlanNotes& notes) {
  const LayerSettings& layer = *plan.layer;
  if (layer.only_heads_known) {
    notes.cautions.push_back(layer.caution);
    return;
  }
  const AttentionSettings& a = model.attention;
  const auto setting = [&](const char* name, const std::string& before, const std::string& after) {
    if (before != after) notes.changes.push_back(std::string(name) + " " + before + " → " + after);
  };
  setting("positions", position_words(a.position), position_words(layer.position));
  setting("scale", scale_words(a.scale), scale_words(layer.scale));
  setting("softcap", plain(a.softcap), plain(layer.softcap));
  if (layer.mask_stated && (!plan.mask_given || plan.key_mask))
    setting("mask", mask_words(a), mask_words(layer));
  if (a.dropout.active()) notes.changes.emplace_back("dropout on → off");
  notes.replaced.push_back("settings as of " + layer.family +
                           (layer.by_config ? ", by config.json" : ", by the names"));
  if (layer.position.kind == PositionKind::Rotary && !layer.theta_stated)
    notes.replaced.push_back("theta " + plain(layer.position.theta) + " is proposed: no config.json says it");
  if (layer.cross && !plan.key_embeddings_given)
    notes.cautions.emplace_back(
        "no encoder_hidden_states are among the arrays: keys and values are made of the same tokens");
  if (!layer.caution.empty()) notes.cautions.push_back(layer.caution);
}

// What a causal mask means where there are not as many queries as keys, and what arrays beside the others
// set.
void note_beside(const ArrayPlan& plan, PlanNotes& notes) {
  if (plan.causal && plan.projection != Projection::Weights && plan.key_tokens > 0) {
    const std::string queries = std::to_string(plan.tokens), keys = std::to_string(plan.key_tokens);
    notes.replaced.push_back(
        plan.upper_left ? "causal: the first of " + queries + " queries stands at the first of " + keys +
                              " keys (upper left)"
                        : "causal: the last of " + queries + " queries stands at the last of " + keys +
                              " keys (lower right; --causal-corner upper-left puts the first at the first)" +
                              (plan.tokens > plan.key_tokens
                                   ? ", so that the first " + std::to_string(plan.tokens - plan.key_tokens) +
                                         " attend to nothing"
                                   : ""));
  }
  if (!plan.learned.empty())
    notes.replaced.push_back(
        "a learned key and value, " + plan.learned +
        ", stand behind those of the tokens; queries, keys and values are given from then on");
  const auto state = [&](const auto& number, const std::string& what, bool with_number = true) {
    if (number)
      notes.replaced.push_back(number->name + ": " + what + (with_number ? " " + plain(number->value) : ""));
  };
  state(plan.stated.scale, "the scale is");
  state(plan.stated.softcap, "the softcap is");
  state(plan.stated.window, "each query sees so many keys, its own included:");
  state(plan.stated.dropout, "dropout is off, as in model.eval(); its probability is");
}

std::vector<std::string> shape_changes(const ArrayPlan& plan, const Layer& layer) {
  std::vector<std::string> notes;
  const auto number = [&](const char* name, Index before, Index after) {
    if (before != after)
      notes.push_back(std::string(name) + " " + std::to_string(before) + " → " + std::to_string(after));
  };
  const auto setting = [&](const char* name, bool before, bool after, const char* off, const char* on) {
    if (before != after)
      notes.push_back(std::string(name) + " " + (before ? on : off) + " → " + (after ? on : off));
  };
  const AttentionSettings& a = layer.attention;
  number("B", layer.sequence_count(), plan.sequences);
  number("T", layer.token_count(), plan.tokens);
  if (plan.key_tokens > 0)
    number("tokens of the keys", layer.self_attention() ? 0 : layer.key_count(), plan.key_tokens);
  number("d_in", layer.d_in(), plan.d_in);
  number("d_out", layer.d_out(), plan.d_out);
  number("heads", a.num_heads, plan.num_heads);
  if (a.num_kv_heads != plan.num_kv_heads)
    number("heads of keys and values", layer.kv_head_count(),
           plan.num_kv_heads > 0 ? plan.num_kv_heads : plan.num_heads);
  constexpr std::array<const char*, 4> kProjections = {"none", "linear", "Q, K, V given", "weights given"};
  if (a.projection != plan.projection)
    notes.push_back(std::string("projection ") + kProjections[static_cast<std::size_t>(a.projection)] +
                    " → " + kProjections[static_cast<std::size_t>(plan.projection)]);
  setting("biases", a.qkv_bias, plan.qkv_bias, "off", "on");
  setting("output projection", a.output_projection, plan.output_projection, "off", "on");
  return notes;
}

}  // namespace

PlanNotes plan_notes(const ArrayPlan& plan, const Layer& model) {
  PlanNotes notes{{}, shape_changes(plan, model), {}};
  if (plan.layer) note_family(plan, model, notes);
  if (plan.scores)
    notes.replaced.emplace_back(
        "the numbers are scores before the softmax, taken as they are: they stand in the queries' places, "
        "the "
        "keys are unit vectors, the scale is 1");
  if (plan.bias_axes) notes.replaced.emplace_back("the bias is added to the scores as it is");
  note_beside(plan, notes);
  if (plan.causal && plan.projection == Projection::Weights)
    notes.cautions.emplace_back("causal has no effect: the weights are given");
  if (plan.relative_bias)
    notes.replaced.emplace_back("the bias of the scores is made of the distances' buckets");
  const bool any_given =
      std::find(plan.given.begin(), plan.given.end(), PartSource::Given) != plan.given.end();
  std::vector<std::string> stay;
  for (std::size_t p = 0; p < plan.given.size(); ++p)
    if (any_given && plan.given[p] == PartSource::Kept)
      stay.push_back(std::string("the ") + std::array{"queries", "keys", "values"}[p]);
  if (!stay.empty()) notes.replaced.push_back(listed(stay) + " stay as they are now");
  if (plan.embeddings_left_out && !model.embeddings.empty() && plan.projection == Projection::Given &&
      !plan.scores)
    notes.replaced.emplace_back("the embeddings, which then play no part, are left out");
  if (plan.embeddings_drawn && plan.projection == Projection::Given)
    notes.replaced.push_back("the embeddings, which then play no part, are drawn anew");
  else if (plan.embeddings_drawn)
    notes.replaced.push_back("the embeddings are drawn anew: torch.rand, seed " +
                             std::to_string(plan.recipe.seed) + ", one row for each different token");
  if (plan.tokens_fate == TokensSource::Numbered && !plan.tokens_named)
    notes.replaced.push_back(plan.tokens == 1
                                 ? "the token becomes " + std::to_string(plan.first_number)
                                 : "the tokens become " + std::to_string(plan.first_number) + " to " +
                                       std::to_string(plan.first_number + plan.tokens - 1));
  const std::vector<std::string> drawn = names_of(plan.weights, PartSource::Drawn, "");
  if (!drawn.empty())
    notes.replaced.push_back(listed(drawn) + are(drawn.size()) + "drawn anew (" + drawn_how(plan.recipe) +
                             ")");
  std::vector<std::string> zero;
  for (const Parameter p : kParameters) {
    const bool had = model.uses_bias(p) && !model.weights.bias(p).isZero(0);
    const bool others = p != Parameter::Output;  // a zero bias of W_output needs no note
    if (plan.bias(p) == PartSource::Zeros && (had || others))
      zero.push_back(std::string("the bias of W_") + parameter_name(p));
  }
  if (!zero.empty()) notes.replaced.push_back(listed(zero) + are(zero.size()) + "zero");
  const bool custom = model.attention.mask == MaskKind::Custom && !plan.mask_given;
  if (custom && plan.tokens != model.token_count())
    notes.replaced.push_back("the mask keeps what fits; new tokens may attend and be attended to");
  return notes;
}

}  // namespace headlight
