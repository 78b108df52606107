// Doubts: unused arrays whose names suggest that they matter, an array taken for embeddings although its name
// suggests otherwise, and quantised weights.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/array_import/array_names.h"
#include "engine/choosing/array_choices.h"

namespace headlight {
namespace {

bool is_of_pairs_or_keys(ArrayRole role) {
  return role == ArrayRole::Mask || role == ArrayRole::KeyMask || role == ArrayRole::ScoreBias;
}

bool makes_queries_or_keys(ArrayRole role) {
  return role == ArrayRole::QueryWeight || role == ArrayRole::KeyWeight || role == ArrayRole::ValueWeight ||
         is_fused(role);
}

bool is_causal(const ArrayPlan& plan) {
  return plan.causal || (plan.layer && plan.layer->mask_stated && plan.layer->causal);
}

ArrayQuestion doubt(std::size_t entry, std::string what, std::string option) {
  return {ArrayQuestion::Kind::Doubt, entry, std::move(what), std::move(option)};
}

}  // namespace

// Whether the name has the number of a layer from which nothing is used.
bool ArrayChoices::of_another_layer(const std::string& name) const {
  const std::string_view layer = numbered_layer_of(name);
  return !layer.empty() && std::none_of(chosen_.begin(), chosen_.end(), [&](std::size_t entry) {
    return numbered_layer_of(entries_[entry].name) == layer;
  });
}

// An unused mask whose place is filled, or whose name does not state its kind.
std::optional<ArrayQuestion> ArrayChoices::mask_left_out() const {
  if (!plan_ || plan_->projection == Projection::Weights || plan_->scores) return std::nullopt;
  const Index keys = plan_->key_tokens > 0 ? plan_->key_tokens : plan_->tokens;
  for (const std::size_t entry : unused()) {
    const ArrayEntry& array = entries_[entry];
    if (array.problem || array.text || left_out_[entry] || array.shape.empty()) continue;
    if (of_another_layer(array.name)) continue;
    if (is_mask_buffer(array.name)) {
      if (is_causal(*plan_)) continue;
      return doubt(entry, "it is the causal mask of a longer text, and nothing says that the layer is causal",
                   "say it with --causal, or put the model's config.json beside the file");
    }
    const auto named = read_array_name(array.name, array.shape.size()).role;
    if (named && is_of_pairs_or_keys(*named))
      return doubt(entry, "it is a mask by its name, and there is another one for its place",
                   "join the two, or name the one of keys key_padding_mask, whose True is padding");
    if (!named && has_any(lower_name(array.name), {"mask", "tril", "triu", "causal"}) &&
        array.shape.back() == keys)
      return doubt(entry, "it looks like a mask by its name, and which kind it is is not known",
                   "name it mask, attn_mask or key_padding_mask, or leave it out");
  }
  return std::nullopt;
}

// A second matrix for queries, keys or values of the chosen layer; or one beside the inputs of
// MultiheadAttention, which are named query, key and value.
std::optional<ArrayQuestion> ArrayChoices::projection_left_out() const {
  if (!plan_) return std::nullopt;
  const auto queries = entry_with(ArrayRole::Queries);
  const bool inputs = queries && lower_name(entries_[*queries].name).ends_with("query");
  if (plan_->projection != Projection::Linear && !inputs) return std::nullopt;
  for (const std::size_t entry : unused()) {
    const ArrayEntry& array = entries_[entry];
    if (array.problem || left_out_[entry] || array.shape.size() < 2) continue;
    const auto named = read_array_name(array.name, array.shape.size()).role;
    if (!named || !makes_queries_or_keys(*named)) continue;
    if (inputs)
      return doubt(entry, "it makes queries, keys or values of what " + entries_[*queries].name + " may be",
                   "name the input hidden_states (and that of the keys encoder_hidden_states), or leave the "
                   "weights out");
    for (const std::size_t other : chosen_)
      if (makes_queries_or_keys(roles_[other]->role) &&
          layer_of(entries_[other].name) == layer_of(array.name))
        return doubt(entry,
                     "it makes queries, keys or values by its name, and so does " + entries_[other].name,
                     "save q_proj.weight, k_proj.weight and v_proj.weight, each once");
  }
  return std::nullopt;
}

// One answer applies to all such arrays.
std::optional<ArrayQuestion> ArrayChoices::not_plain_numbers() const {
  std::optional<std::size_t> first;
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    if (!has_any(lower_name(entries_[entry].name),
                 {".scb", "qweight", "qzeros", ".absmax", "quant_map", "quant_state", "weight_scale"}))
      continue;
    if (left_out_[entry] || by_hand_[entry]) return std::nullopt;
    if (!first) first = entry;
  }
  if (!first) return std::nullopt;
  return doubt(*first, "it belongs to weights that are quantised: their numbers are no weights by themselves",
               "save the layer in float32 or bfloat16 (model.dequantize() before saving)");
}

// Embeddings by their shape alone, whose name suggests something else.
std::optional<ArrayQuestion> ArrayChoices::embeddings_by_guess() const {
  const auto entry = entry_with(ArrayRole::Embeddings);
  if (!entry || by_hand_[*entry] || roles_[*entry]->named) return std::nullopt;
  const std::string name = lower_name(entries_[*entry].name);
  const bool of_others = has_any(name, {"qkv", "query", "key", "value", "c_attn", "_proj", "input_id",
                                        "token_id", "logit", "lm_head", "context_layer", "attn_output"});
  if (!of_others && !name.ends_with(".weight") && !name.ends_with(".bias")) return std::nullopt;
  return doubt(
      *entry, "nothing but its shape says that it is embeddings, and its name speaks of something else",
      "name it embeddings or hidden_states if that is what it is; name queries, keys and values each "
      "by its name");
}

void ArrayChoices::ask_about_doubts() {
  if (!plan_) return;
  for (const auto& question :
       {not_plain_numbers(), mask_left_out(), projection_left_out(), embeddings_by_guess()})
    if (question) questions_.push_back(*question);
}

}  // namespace headlight
