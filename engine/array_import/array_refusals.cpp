// Doubts: unused arrays whose names suggest that they matter, an array taken for embeddings although its name
// suggests otherwise, and quantised weights.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/array_import/acting_names.h"
#include "engine/array_import/array_choices.h"
#include "engine/array_import/array_names.h"
#include "engine/array_import/layer_settings.h"
#include "engine/core/ascii.h"
#include "engine/layer/stage.h"

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
    if (!named && has_any(lowered(array.name), {"mask", "tril", "triu", "causal"}) &&
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
  const bool inputs = queries && lowered(entries_[*queries].name).ends_with("query");
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

// Whether the array, of a name that acts on attention, does so beside the chosen arrays.
bool ArrayChoices::acts(std::size_t entry, const ActingName& acting) const {
  const std::optional<ArrayFacts>& facts = facts_[entry];
  const bool single = facts && facts->single;
  if (acting.setting != StatedSetting::None && acting.setting != StatedSetting::Scale && !single)
    return false;
  if (plan_ && plan_->scores && acting.before_scores) return false;
  switch (acting.unless) {
    case ActingName::Unless::Never:
      break;
    case ActingName::Unless::Zero:
      return !single || *facts->single != 0;
    case ActingName::Unless::WithoutCausal:
      return (!plan_ || is_causal(*plan_)) && (!facts || facts->tokens.several);
    case ActingName::Unless::Rotary:
      return !plan_ || !plan_->layer || plan_->layer->position.kind != PositionKind::Rotary;
  }
  // The same numbers as those that are used, as cu_seqlens_k beside cu_seqlens_q.
  if (!acting.role || !facts) return true;
  const auto used = entry_with(*acting.role);
  return !used || !facts_[*used] || facts_[*used]->hash != facts->hash;
}

// An unused array whose name says that it acts on attention.
std::optional<ArrayQuestion> ArrayChoices::acting_left_out() const {
  if (plan_ && plan_->projection == Projection::Weights) return std::nullopt;
  for (const std::size_t entry : unused()) {
    const ArrayEntry& array = entries_[entry];
    const ActingName* acting = acting_name(array.name);
    if (!acting || array.text || left_out_[entry] || idle(entry) || of_another_layer(array.name)) continue;
    if (acts(entry, *acting)) return doubt(entry, std::string(acting->does), std::string(acting->how));
  }
  return std::nullopt;
}

// Weights of bytes or packed bits without the scales that make numbers of them.
std::optional<ArrayQuestion> ArrayChoices::whole_weights() const {
  for (const std::size_t entry : chosen_) {
    const ArrayEntry& array = entries_[entry];
    if (!is_weight(roles_[entry]->role) || by_hand_[entry] || !array.scaled_by.empty()) continue;
    for (const std::string_view type : {"I8", "U8", "U32", "|i1", "|u1", "<i1", "<u1", "<u4"})
      if (array.type == type)
        return doubt(entry,
                     "its numbers are of type " + array.type +
                         ": weights that are quantised, and whose scales are not "
                         "there or not understood",
                     "save the layer in float32 or bfloat16 (model.dequantize() before saving)");
  }
  return std::nullopt;
}

// A map with fewer columns than its tokens, which are not said to look at others.
std::optional<ArrayQuestion> ArrayChoices::band_of_tokens() const {
  const auto entry = attention();
  if (!entry || left_out_[*entry] || by_hand_[*entry] || entries_[*entry].shape.size() < 2)
    return std::nullopt;
  const ArrayEntry& array = entries_[*entry];
  const Index rows = array.shape[array.shape.size() - 2], columns = array.shape.back();
  const std::string name = lowered(array.name);
  if (columns >= rows || names_cross_attention(name)) return std::nullopt;
  const auto tokens = entry_with(ArrayRole::Tokens);
  const bool told = (tokens && entries_[*tokens].text && entries_[*tokens].shape[0] == rows) ||
                    (tokens_ && static_cast<Index>(tokens_->size()) == rows);
  const bool of_self = name.ends_with("self_attentions") || name.ends_with("attentions");
  if (!told && !of_self) return std::nullopt;
  return doubt(*entry,
               "a map of " + std::to_string(rows) + " tokens has as many columns, and this one has " +
                   std::to_string(columns) +
                   " columns: it may be a band around the diagonal (local attention), or "
                   "other tokens are looked at",
               "save the whole map, T x T; name it cross_attentions if the columns are other tokens");
}

// An unused array with a number for each pair of tokens, of a name that says nothing.
std::optional<ArrayQuestion> ArrayChoices::pairs_left_out() const {
  if (!plan_ || plan_->projection == Projection::Weights || plan_->scores) return std::nullopt;
  const Index keys = plan_->key_tokens > 0 ? plan_->key_tokens : plan_->tokens;
  for (const std::size_t entry : unused()) {
    const ArrayEntry& array = entries_[entry];
    const std::size_t axes = array.shape.size();
    if (array.problem || array.text || left_out_[entry] || axes < 3 || axes > 4 || keys < 2) continue;
    if (array.shape[axes - 1] != keys || array.shape[axes - 2] != plan_->tokens) continue;
    const bool result = stage_from_name(lowered(last_part(array.name))) || array.name.starts_with("grad.");
    if (result || acting_name(array.name) || read_array_name(array.name, axes).role) continue;
    return doubt(entry, "it has a number for each pair of tokens, and what they do is not known",
                 "name it attn_bias if it is added to the scores, allowed if 1 lets a query look there, or "
                 "leave it out");
  }
  return std::nullopt;
}

// An unused matrix of the module that the weights are of.
std::optional<ArrayQuestion> ArrayChoices::module_left_out() const {
  if (!plan_ || plan_->projection != Projection::Linear) return std::nullopt;
  for (const std::size_t entry : unused()) {
    const ArrayEntry& array = entries_[entry];
    const std::string_view layer = layer_of(array.name);
    if (array.problem || array.text || left_out_[entry] || array.shape.size() < 2 || layer.empty()) continue;
    if (is_mask_buffer(array.name) || read_array_name(array.name, array.shape.size()).role) continue;
    for (const std::size_t other : chosen_)
      if (is_weight(roles_[other]->role) && layer_of(entries_[other].name) == layer)
        return doubt(
            entry,
            "it is of the same module as " + entries_[other].name + ", and what it does there is not known",
            "name it as the output projection, out_proj.weight, if it is that, or leave it out");
  }
  return std::nullopt;
}

// Embeddings by their shape alone, whose name suggests something else.
std::optional<ArrayQuestion> ArrayChoices::embeddings_by_guess() const {
  const auto entry = entry_with(ArrayRole::Embeddings);
  if (!entry || by_hand_[*entry] || roles_[*entry]->named) return std::nullopt;
  const std::string name = lowered(entries_[*entry].name);
  const bool of_others = has_any(name, {"qkv", "query", "key", "value", "c_attn", "_proj", "input_id",
                                        "token_id", "logit", "lm_head", "context_layer", "attn_output"});
  if (!of_others && !name.ends_with(".weight") && !name.ends_with(".bias")) return std::nullopt;
  return doubt(
      *entry, "nothing but its shape says that it is embeddings, and its name speaks of something else",
      "name it embeddings or hidden_states if that is what it is; name queries, keys and values each "
      "by its name");
}

void ArrayChoices::ask_about_doubts() {
  // These come before an incompatibility, whose cause they may be.
  for (const auto& question : {acting_left_out(), whole_weights()})
    if (question) questions_.push_back(*question);
  if (!plan_) return;
  for (const auto& question : {mask_left_out(), projection_left_out(), module_left_out(), pairs_left_out(),
                               band_of_tokens(), embeddings_by_guess()})
    if (question) questions_.push_back(*question);
}

}  // namespace headlight
