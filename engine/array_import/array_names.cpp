#include "engine/array_import/array_names.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "engine/array_import/acting_names.h"
#include "engine/core/ascii.h"

namespace headlight {
namespace {

struct KnownName {
  std::string_view stem;
  ArrayRole role;
};

// The names of matrices, without "weight" and in lower case.
constexpr KnownName kKnownNames[] = {{"c_attn", ArrayRole::FusedWeight},
                                     {"qkv", ArrayRole::FusedWeight},
                                     {"qkv_proj", ArrayRole::FusedWeight},
                                     {"in_proj", ArrayRole::FusedWeight},
                                     {"wqkv", ArrayRole::FusedWeight},
                                     {"w_qkv", ArrayRole::FusedWeight},
                                     {"to_qkv", ArrayRole::FusedWeight},
                                     {"w_pack", ArrayRole::FusedWeight},
                                     {"query_key_value", ArrayRole::FusedHeadsWeight},
                                     {"q_attn", ArrayRole::QueryWeight},
                                     {"c_proj", ArrayRole::OutputWeight},
                                     {"out_proj", ArrayRole::OutputWeight},
                                     {"o_proj", ArrayRole::OutputWeight},
                                     {"to_out", ArrayRole::OutputWeight},
                                     {"out_lin", ArrayRole::OutputWeight},
                                     {"w_out", ArrayRole::OutputWeight},
                                     {"w_output", ArrayRole::OutputWeight},
                                     {"output", ArrayRole::OutputWeight},
                                     {"wo", ArrayRole::OutputWeight},
                                     {"linear_out", ArrayRole::OutputWeight},
                                     {"linear_o", ArrayRole::OutputWeight},
                                     {"final_linear", ArrayRole::OutputWeight},
                                     {"proj_out", ArrayRole::OutputWeight},
                                     {"proj_o", ArrayRole::OutputWeight},
                                     {"fc_out", ArrayRole::OutputWeight},
                                     {"fc_o", ArrayRole::OutputWeight},
                                     {"out_projection", ArrayRole::OutputWeight},
                                     {"output_projection", ArrayRole::OutputWeight},
                                     {"output_proj", ArrayRole::OutputWeight},
                                     {"output_linear", ArrayRole::OutputWeight},
                                     {"output_dense", ArrayRole::OutputWeight},
                                     {"combine_heads", ArrayRole::OutputWeight},
                                     {"o_net", ArrayRole::OutputWeight},
                                     {"qkv_net", ArrayRole::FusedWeight},
                                     {"dense", ArrayRole::OutputWeight},
                                     {"w_o", ArrayRole::OutputWeight},
                                     {"attentions", ArrayRole::AttentionWeights},
                                     {"attention_weights", ArrayRole::AttentionWeights},
                                     {"attn_weights", ArrayRole::AttentionWeights},
                                     {"attention_probs", ArrayRole::AttentionWeights},
                                     {"attn_probs", ArrayRole::AttentionWeights},
                                     {"attn_output_weights", ArrayRole::AttentionWeights},
                                     {"cross_attentions", ArrayRole::AttentionWeights},
                                     {"cross_attention_weights", ArrayRole::AttentionWeights},
                                     {"cross_attn_weights", ArrayRole::AttentionWeights},
                                     {"encoder_attentions", ArrayRole::AttentionWeights},
                                     {"decoder_attentions", ArrayRole::AttentionWeights},
                                     {"self_attentions", ArrayRole::AttentionWeights},
                                     {"attention_probabilities", ArrayRole::AttentionWeights},
                                     {"attention_maps", ArrayRole::AttentionWeights},
                                     {"attention_map", ArrayRole::AttentionWeights},
                                     {"attn_maps", ArrayRole::AttentionWeights},
                                     {"attn_map", ArrayRole::AttentionWeights},
                                     {"attention_pattern", ArrayRole::AttentionWeights},
                                     {"hook_pattern", ArrayRole::AttentionWeights},
                                     {"scores", ArrayRole::Scores},
                                     {"attn_scores", ArrayRole::Scores},
                                     {"attention_scores", ArrayRole::Scores},
                                     {"hook_attn_scores", ArrayRole::Scores},
                                     {"raw_scores", ArrayRole::Scores},
                                     {"attn_logits", ArrayRole::Scores},
                                     {"attention_logits", ArrayRole::Scores},
                                     {"cross_qk", ArrayRole::Scores},
                                     {"qk", ArrayRole::Scores},
                                     {"qk_scores", ArrayRole::Scores},
                                     {"qk_logits", ArrayRole::Scores},
                                     {"dot_products", ArrayRole::Scores},
                                     {"dots", ArrayRole::Scores},
                                     {"energy", ArrayRole::Scores},
                                     {"pre_softmax", ArrayRole::Scores},
                                     {"presoftmax", ArrayRole::Scores},
                                     {"raw_attention", ArrayRole::Scores},
                                     {"similarity", ArrayRole::Scores},
                                     {"mask", ArrayRole::Mask},
                                     {"src_mask", ArrayRole::Mask},
                                     {"tgt_mask", ArrayRole::Mask},
                                     {"memory_mask", ArrayRole::Mask},
                                     {"self_attn_mask", ArrayRole::Mask},
                                     {"cross_attn_mask", ArrayRole::Mask},
                                     {"decoder_attention_mask", ArrayRole::Mask},
                                     {"allowed", ArrayRole::Mask},
                                     {"key_padding_mask", ArrayRole::KeyMask},
                                     {"src_key_padding_mask", ArrayRole::KeyMask},
                                     {"tgt_key_padding_mask", ArrayRole::KeyMask},
                                     {"memory_key_padding_mask", ArrayRole::KeyMask},
                                     {"encoder_padding_mask", ArrayRole::KeyMask},
                                     {"decoder_padding_mask", ArrayRole::KeyMask},
                                     {"padding_mask", ArrayRole::KeyMask},
                                     {"pad_mask", ArrayRole::KeyMask},
                                     {"attn_mask", ArrayRole::Mask},
                                     {"attention_mask", ArrayRole::Mask},
                                     {"causal_mask", ArrayRole::Mask},
                                     {"custom_mask", ArrayRole::Mask},
                                     {"encoder_attention_mask", ArrayRole::Mask},
                                     {"relative_attention_bias", ArrayRole::RelativeBias},
                                     {"tokens", ArrayRole::Tokens},
                                     {"words", ArrayRole::Tokens},
                                     {"labels", ArrayRole::Tokens},
                                     {"token_strings", ArrayRole::Tokens},
                                     {"token_text", ArrayRole::Tokens},
                                     {"token_labels", ArrayRole::Tokens},
                                     {"queries", ArrayRole::Queries},
                                     {"query_states", ArrayRole::Queries},
                                     {"query_layer", ArrayRole::Queries},
                                     {"keys", ArrayRole::Keys},
                                     {"key_states", ArrayRole::Keys},
                                     {"key_layer", ArrayRole::Keys},
                                     {"values", ArrayRole::Values},
                                     {"value_states", ArrayRole::Values},
                                     {"value_layer", ArrayRole::Values},
                                     {"embeddings", ArrayRole::Embeddings},
                                     {"embedding", ArrayRole::Embeddings},
                                     {"inputs", ArrayRole::Embeddings},
                                     {"input", ArrayRole::Embeddings},
                                     {"x", ArrayRole::Embeddings},
                                     {"hidden_states", ArrayRole::Embeddings},
                                     {"hidden_state", ArrayRole::Embeddings},
                                     {"hidden", ArrayRole::Embeddings},
                                     {"layer_input", ArrayRole::Embeddings},
                                     {"inputs_embeds", ArrayRole::Embeddings},
                                     {"token_embeddings", ArrayRole::Embeddings},
                                     {"key_embeddings", ArrayRole::KeyEmbeddings},
                                     {"encoder_hidden_states", ArrayRole::KeyEmbeddings},
                                     {"encoder_hidden_state", ArrayRole::KeyEmbeddings},
                                     {"encoder_output", ArrayRole::KeyEmbeddings},
                                     {"encoder_outputs", ArrayRole::KeyEmbeddings},
                                     {"encoder_states", ArrayRole::KeyEmbeddings},
                                     {"memory", ArrayRole::KeyEmbeddings}};

struct Part {
  std::string_view word, words;
  char letter;
  ArrayRole role;

  bool called(std::string_view text) const { return text == word || text == std::string_view(&letter, 1); }
};
constexpr Part kParts[] = {{"query", "queries", 'q', ArrayRole::QueryWeight},
                           {"key", "keys", 'k', ArrayRole::KeyWeight},
                           {"value", "values", 'v', ArrayRole::ValueWeight}};

// Whether the stem names this part: q_proj, query, W_query, wq, to_q, q_lin, linear_keys and so on.
bool names_part(std::string_view stem, const Part& part) {
  if (stem == part.word || (stem.starts_with('w') && part.called(stem.substr(1)) && stem.size() == 2))
    return true;
  for (const std::string_view before : {"w_", "to_", "linear_", "lin_", "proj_", "fc_", "dense_", "project_"})
    if (stem.starts_with(before)) {
      const std::string_view rest = stem.substr(before.size());
      if (part.called(rest) || rest == part.words) return true;
    }
  for (const std::string_view behind :
       {"_proj", "_lin", "_linear", "_projection", "_dense", "_fc", "_net", "_transform"})
    if (stem.ends_with(behind) && part.called(stem.substr(0, stem.size() - behind.size()))) return true;
  return stem == std::string_view(&part.letter, 1);
}

std::optional<ArrayRole> matrix_role(std::string_view stem) {
  for (const KnownName& known : kKnownNames)
    if (known.stem == stem) return known.role;
  for (const Part& part : kParts)
    if (names_part(stem, part)) return part.role;
  return std::nullopt;
}

// queries.weight and the like belong to a module that computes queries.
std::optional<ArrayRole> weight_of(std::optional<ArrayRole> role) {
  if (role == ArrayRole::Queries) return ArrayRole::QueryWeight;
  if (role == ArrayRole::Keys) return ArrayRole::KeyWeight;
  if (role == ArrayRole::Values) return ArrayRole::ValueWeight;
  return role;
}

std::optional<ArrayRole> bias_of(std::optional<ArrayRole> role) {
  if (role == ArrayRole::QueryWeight) return ArrayRole::QueryBias;
  if (role == ArrayRole::KeyWeight) return ArrayRole::KeyBias;
  if (role == ArrayRole::ValueWeight) return ArrayRole::ValueBias;
  if (role == ArrayRole::OutputWeight) return ArrayRole::OutputBias;
  if (role == ArrayRole::FusedWeight) return ArrayRole::FusedBias;
  if (role == ArrayRole::FusedHeadsWeight) return ArrayRole::FusedHeadsBias;
  return std::nullopt;
}

// Whether the name is that of a bias of the scores; it ends like that of a bias of weights.
bool names_score_bias(std::string_view last, std::size_t dimensions) {
  if (dimensions < 2) return false;
  for (const std::string_view name :
       {"attn_bias", "attention_bias", "position_bias", "score_bias", "scores_bias", "alibi", "alibi_bias",
        "relative_position_bias", "rel_pos_bias", "encoder_decoder_position_bias", "pair_bias", "edge_bias",
        "spatial_bias"})
    if (last == name) return true;
  return false;
}

// A bare Q, K or V, as in papers and notebooks, is not a matrix of weights: their names contain W or
// "weight". An array "weights" with an axis of heads holds attention weights; those of a projection have no
// such axis.
std::optional<ArrayRole> given_role(std::string_view stem, std::size_t dimensions) {
  if (dimensions > 2) {
    for (const std::string_view name : {"weights", "attention", "attn", "attns", "cross_attention"})
      if (stem == name) return ArrayRole::AttentionWeights;
    if (stem == "logits" && dimensions == 4) return ArrayRole::Scores;
    // With more axes than a matrix they are the result of a projection.
    if (stem == "query") return ArrayRole::Queries;
    if (stem == "key") return ArrayRole::Keys;
    if (stem == "value") return ArrayRole::Values;
  }
  if (stem == "q") return ArrayRole::Queries;
  if (stem == "k") return ArrayRole::Keys;
  if (stem == "v") return ArrayRole::Values;
  return std::nullopt;
}

bool is_attention_output(std::string_view path) {
  for (const std::string_view ending : {"attention.output.dense", "attention.dense", "attn.dense"})
    if (path.ends_with(ending)) return true;
  return path == "dense" || path == "output.dense";  // a module of attention alone
}

// Names that only a module gives its output projection: `proj` is timm's, `attention_output` Keras's. Without
// ".weight" they are what attention gives.
bool is_projection_of_attention(std::string_view path) {
  for (const std::string_view ending :
       {"attn.proj", "attention.proj", "attention_output", "attn_output", "attn_out"})
    if (path.ends_with(ending)) return true;
  return false;
}

// Removes the ending and the dot, underscore or slash before it.
bool take_ending(std::string_view& text, std::string_view ending) {
  if (text.size() <= ending.size() || !text.ends_with(ending)) return false;
  const char before = text[text.size() - ending.size() - 1];
  if (before != '.' && before != '_' && before != '/') return false;
  text.remove_suffix(ending.size() + 1);
  return true;
}

// Removes the letter b from b_query, bq and the like, which leaves the name of the part.
bool take_bias_letter(std::string_view& stem) {
  if (stem.starts_with("b_")) {
    stem.remove_prefix(2);
    return true;
  }
  constexpr std::string_view kShort[] = {"bq", "bk", "bv"};
  if (std::find(std::begin(kShort), std::end(kShort), stem) == std::end(kShort)) return false;
  stem.remove_prefix(1);
  return true;
}

}  // namespace

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of("./") + 1);
}

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

bool is_mask_buffer(std::string_view name) {
  return name == "attn.bias" || name == "attn.mask" || name.ends_with(".attn.bias") ||
         name.ends_with(".attn.mask");
}

std::string_view layer_of(std::string_view name) {
  std::string_view path = name;
  const bool weight = take_ending(path, "weight") || take_ending(path, "kernel");
  if (!weight && take_ending(path, "bias") && last_part(path) == "attn") return path;
  const auto take_last = [&path] { path.remove_suffix(std::min(path.size(), last_part(path).size() + 1)); };
  take_last();
  // BERT has its projections in attention.self, and the output's in attention.output.
  for (const std::string_view half : {"attention.self", "attention.output"})
    if (path.ends_with(half) || path == half.substr(half.find('.') + 1)) {
      take_last();
      break;
    }
  return path;
}

std::string_view numbered_layer_of(std::string_view name) {
  std::string_view layer = layer_of(name);
  while (!layer.empty() && !std::isdigit(static_cast<unsigned char>(layer.back()))) {
    const std::string_view last = last_part(layer);
    layer.remove_suffix(std::min(layer.size(), last.size() + 1));
  }
  // T5 also numbers the parts of a layer: encoder.block.3.layer.0.
  const std::size_t part = layer.rfind(".layer.");
  if (part != std::string_view::npos && layer.substr(0, part).find("block.") != std::string_view::npos)
    layer = layer.substr(0, part);
  return layer;
}

ArrayName read_array_name(std::string_view name, std::size_t dimensions) {
  if (const ActingName* acting = acting_name(name); acting && dimensions > 0)
    return {acting->role, std::nullopt};
  const std::string lower = lowered(name);
  std::string_view path = lower;
  if (names_score_bias(last_part(path), dimensions)) return {ArrayRole::ScoreBias, std::nullopt};
  const bool kernel = take_ending(path, "kernel");
  const bool weight = kernel || take_ending(path, "weight");
  bool bias = !weight && take_ending(path, "bias");
  const bool conv1d = take_ending(path, "conv1d");
  std::string_view stem = last_part(path);
  if (bias && stem == "attn" && dimensions > 1) return {ArrayRole::Mask, std::nullopt};
  if (!weight && !bias && !conv1d)
    if (const auto given = given_role(stem, dimensions)) return {given, std::nullopt};
  if (!weight && !bias) bias = take_bias_letter(stem);
  ArrayName result;
  // GPT-2's feed-forward layer has a c_proj too.
  if (path.find("mlp") == std::string_view::npos) result.role = matrix_role(stem);
  if (weight || bias) result.role = weight_of(result.role);
  // Likewise BERT and GPT-NeoX have a `dense` in other layers, and T5 an `o`.
  if (stem == "dense" && !is_attention_output(path)) result.role.reset();
  if (weight && stem == "o" && path.find("attention") != std::string_view::npos)
    result.role = ArrayRole::OutputWeight;
  if ((kernel || bias) && stem == "out") result.role = ArrayRole::OutputWeight;  // Flax
  if ((weight || bias) && is_projection_of_attention(path)) result.role = ArrayRole::OutputWeight;
  if (result.role == ArrayRole::RelativeBias) return result;
  if (bias) {
    result.role = bias_of(result.role);
    return result;
  }
  const bool by_convolution = conv1d || kernel || stem == "c_attn" || stem == "c_proj";
  if (!by_convolution && (weight || stem.ends_with("_proj") || stem.find("qkv") != std::string_view::npos ||
                          result.role == ArrayRole::FusedHeadsWeight))
    result.layout = WeightLayout::OutIn;
  else if (by_convolution || result.role)
    result.layout = WeightLayout::InOut;
  return result;
}

}  // namespace headlight
