#include "engine/array_import/array_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/array_import/shape_constraints.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr Index kMostSequences = 1024;

void refuse_collisions(const std::vector<ArrayChoice>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i)
    for (std::size_t j = i + 1; j < choices.size(); ++j)
      if (roles_collide(choices[i].role, choices[j].role))
        throw Error(
            std::string(role_name(choices[j].role)) + " and " + role_name(choices[i].role) + " (" +
                choices[i].name + ") " +
                (same_place(choices[i].role, choices[j].role) ? "are for the same place"
                                                              : "do not go together"),
            choices[j].name,
            same_place(choices[i].role, choices[j].role) ? "choose one of the two"
            : choices[i].role == ArrayRole::AttentionWeights || choices[j].role == ArrayRole::AttentionWeights
                ? "what stands before the weights has no effect where they are given"
                : "queries, keys and values are either given or made by weights");
}

bool any_of(const std::array<bool, 3>& given) {
  return given[0] || given[1] || given[2];
}

bool any_of_qkv(const std::array<bool, 4>& given) {
  return given[0] || given[1] || given[2];
}

void require_room(const ArrayPlan& plan, const std::string& name) {
  if (plan.tokens <= kMostTokens && plan.sequences <= kMostSequences) return;
  throw Error("these are " + std::to_string(plan.tokens) + " tokens in " + std::to_string(plan.sequences) +
                  " sequences",
              name,
              "at most " + std::to_string(kMostTokens) + " tokens in " + std::to_string(kMostSequences) +
                  " sequences can be shown: take a part of the array");
}

// The leading axes of an array for pairs of B, H, Tq and Tk; empty if it is not such an array. With
// `for_keys` a single row may stand for all queries.
std::optional<PairAxes> pair_axes(const std::vector<Index>& shape, const ArrayPlan& plan, bool for_keys) {
  const Index keys = plan.key_tokens > 0 ? plan.key_tokens : plan.tokens;
  const std::size_t axes = shape.size();
  if (axes < 2 || axes > 4 || shape.back() != keys) return std::nullopt;
  const Index rows = shape[axes - 2];
  if (rows != plan.tokens && !(for_keys && rows == 1)) return std::nullopt;
  const auto one_or = [](Index size, Index all) { return size == 1 || size == all; };
  if (axes == 2) return PairAxes{1, 1, rows};
  if (axes == 4) {
    if (!one_or(shape[0], plan.sequences) || !one_or(shape[1], plan.num_heads)) return std::nullopt;
    return PairAxes{shape[0], shape[1], rows};
  }
  if (one_or(shape[0], plan.sequences)) return PairAxes{shape[0], 1, rows};
  if (shape[0] == plan.sequences * plan.num_heads) return PairAxes{plan.sequences, plan.num_heads, rows};
  return std::nullopt;
}

// Whether it has one number per key, for each sequence or for all.
bool fits_keys(const std::vector<Index>& shape, const ArrayPlan& plan) {
  const Index keys = plan.key_tokens > 0 ? plan.key_tokens : plan.tokens;
  const bool bare =
      shape.size() == 1 || shape.size() == 2 || (shape.size() == 4 && shape[1] == 1 && shape[2] == 1);
  return bare && shape.back() == keys && (shape.size() == 1 || shape[0] == 1 || shape[0] == plan.sequences);
}

[[noreturn]] void refuse_pairs(const ArrayPlan& plan, const ArrayChoice& choice, const char* hint) {
  const Index keys = plan.key_tokens > 0 ? plan.key_tokens : plan.tokens;
  throw Error("the " + std::string(role_name(choice.role)) + " is " + shape_text(choice.shape) +
                  ", expected " + shape_text({plan.tokens, keys}),
              choice.name, hint);
}

// Compares the axes of masks and of a bias with the tokens; requires B, H, Tq and Tk in `plan`.
void plan_pairs(ArrayPlan& plan, const ShapeConstraints& constraints) {
  if (const ArrayChoice* mask = constraints.mask) {
    plan.mask_given = true;
    // With as many sequences as tokens the name decides: the hub's attention_mask is B x T.
    const bool of_keys = mask->shape.size() == 2 && plan.sequences > 1 && fits_keys(mask->shape, plan) &&
                         mask->name.ends_with("attention_mask");
    const auto axes = of_keys ? std::nullopt : pair_axes(mask->shape, plan, false);
    plan.key_mask = !axes && (of_keys || is_key_mask(mask->shape)) && fits_keys(mask->shape, plan);
    if (!axes && !plan.key_mask) refuse_pairs(plan, *mask, "one row and one column for each token");
    if (axes) plan.mask_axes = *axes;
  }
  if (const ArrayChoice* mask = constraints.key_mask) {
    plan.padding = true;
    if (!fits_keys(mask->shape, plan)) refuse_pairs(plan, *mask, "a number for each key of each sequence");
  }
  const ArrayChoice* bias = constraints.score_bias;
  if (!bias) return;
  plan.bias_axes = pair_axes(bias->shape, plan, true);
  if (!plan.bias_axes && fits_keys(bias->shape, plan))
    plan.bias_axes = PairAxes{bias->shape.size() == 1 ? 1 : bias->shape[0], 1, 1};
  if (!plan.bias_axes) refuse_pairs(plan, *bias, "one row and one column for each token");
}

// Compares what says lengths, texts and learned keys with what it acts on; requires B, Tq, Tk and the widths
// in `plan`.
void plan_beside(ArrayPlan& plan, const ShapeConstraints& constraints) {
  const Index keys = plan.key_tokens > 0 ? plan.key_tokens : plan.tokens;
  for (const ArrayChoice* choice : constraints.texts) {
    const std::vector<Index>& shape = choice->shape;
    const bool lengths = choice->role == ArrayRole::Lengths;
    const bool each =
        shape[0] == plan.sequences && (shape.size() == 1 || shape[1] == 1 || shape[1] == plan.tokens);
    const bool tokens =
        shape.back() == keys && (shape.size() == 1 || shape[0] == 1 || shape[0] == plan.sequences);
    const bool fits = choice->role == ArrayRole::Boundaries ? plan.sequences == 1 : lengths ? each : tokens;
    if (fits) continue;
    const std::string expected =
        choice->role == ArrayRole::Boundaries ? "one sequence, in which the texts stand behind each other"
        : lengths ? shape_text({plan.sequences}) + " or " + shape_text({plan.sequences, plan.tokens}) +
                        ": of each sequence, or of each query"
                  : shape_text({keys}) + " or " + shape_text({plan.sequences, keys}) + ": of each token";
    throw Error("the " + std::string(role_name(choice->role)) + " are " + shape_text(shape) + ", expected " +
                    expected,
                choice->name, "give those of these tokens, or leave the array out");
  }
  const ArrayChoice *key = constraints.learned_key, *value = constraints.learned_value;
  if (!key && !value) return;
  if (!key || !value)
    throw Error(std::string("the ") + (key ? "value" : "key") + " that belongs to it is missing",
                (key ? key : value)->name, "save bias_k and bias_v together");
  plan.learned = key->name;
  for (const auto& [choice, width] : {std::pair(key, plan.kv_width), std::pair(value, plan.value_width)}) {
    Index count = 1;
    for (const Index size : choice->shape)
      count *= size;
    if (count != width)
      throw Error("the " + std::string(role_name(choice->role)) + " has " + std::to_string(count) +
                      " numbers, expected " + std::to_string(width),
                  choice->name, "give it as wide as the keys or values of a token");
  }
}

// What single numbers among the arrays state, where it has an effect.
void plan_stated(ArrayPlan& plan, const LayerHints& hints) {
  if (plan.projection == Projection::Weights) return;
  plan.stated = hints.stated;
  if (plan.scores) plan.stated.scale = plan.stated.softcap = {};
  if (!plan.causal && !(plan.layer && plan.layer->mask_stated && plan.layer->causal)) plan.stated.window = {};
}

// The number of the keys' separate tokens: from the arrays, else the model's; 0 if there are none.
Index planned_key_tokens(const ShapeConstraints& constraints, const ArrayPlan& plan, const Layer& layer) {
  if (constraints.key_embeddings) return *constraints.key_tokens.number;
  if (constraints.key_tokens.number)
    return *constraints.key_tokens.number == plan.tokens ? 0 : *constraints.key_tokens.number;
  return constraints.tokens.number || layer.self_attention() ? 0 : layer.key_count();
}

// The width of the input of keys and values: that of given or remaining key embeddings, else d_in.
Index planned_key_d_in(const ShapeConstraints& constraints, const ArrayPlan& plan, const Layer& layer) {
  if (constraints.key_embeddings) return *constraints.key_d_in.number;
  return plan.key_tokens > 0 && !plan.embeddings_given && !layer.key_embeddings.empty() ? layer.key_d_in()
                                                                                        : plan.d_in;
}

// Rows without names are numbered, whatever the model's tokens are called.
void plan_names(ArrayPlan& plan, const ShapeConstraints& constraints, const Layer& layer,
                const LayerHints& hints) {
  plan.tokens_named = hints.named_tokens;
  const bool stay = hints.same_tokens && plan.tokens == layer.token_count();
  const ArrayChoice* rows = constraints.attention ? constraints.attention : constraints.embeddings;
  if (rows && rows->has_row_labels)
    plan.tokens_fate = TokensSource::RowLabels;
  else if (plan.tokens != layer.token_count() || (constraints.tokens.number && !stay))
    plan.tokens_fate = TokensSource::Numbered;
  if (constraints.labels) plan.tokens_fate = TokensSource::Given;
  if (plan.causal && !plan.upper_left && constraints.given[0])
    plan.first_number = std::max<Index>(plan.key_tokens - plan.tokens, 0);
  const bool keys_stay = hints.same_tokens && plan.key_tokens == layer.key_count();
  plan.keys_numbered = constraints.key_tokens.number && !keys_stay;
}

void plan_shapes(ArrayPlan& plan, const ShapeConstraints& constraints, const Layer& layer,
                 const LayerHints& hints) {
  plan.sequences = constraints.sequences.number.value_or(layer.sequence_count());
  // Keys and values without queries determine the queries' number of tokens too, if theirs is new.
  const bool keys_alone = constraints.key_tokens.number && !constraints.key_embeddings &&
                          !constraints.tokens.number && layer.self_attention();
  plan.tokens =
      constraints.tokens.number.value_or(keys_alone ? *constraints.key_tokens.number : layer.token_count());
  plan.key_tokens = planned_key_tokens(constraints, plan, layer);
  require_room(plan, constraints.embeddings ? constraints.embeddings->name : "");
  plan.embeddings_given = constraints.embeddings != nullptr;
  plan_names(plan, constraints, layer, hints);
  plan.key_embeddings_given = constraints.key_embeddings != nullptr;
  plan.d_in = constraints.d_in.number.value_or(layer.d_in());
  plan.key_d_in = planned_key_d_in(constraints, plan, layer);
  const bool rows_stay = plan.tokens == layer.token_count() && plan.sequences == layer.sequence_count();
  const bool needed = !constraints.attention && !constraints.scores &&
                      !(constraints.given[0] && constraints.given[1] && constraints.given[2]);
  const bool fit = plan.d_in == layer.d_in() && rows_stay;
  plan.embeddings_drawn = needed && !plan.embeddings_given && !fit;
  plan.embeddings_left_out =
      !plan.embeddings_given && !needed && (!fit || constraints.attention || constraints.scores);
  if (plan.embeddings_drawn && !any_of(constraints.given)) plan.sequences = 1;
}

Projection planned_projection(const ArrayPlan& plan, const ShapeConstraints& constraints,
                              const Layer& layer) {
  if (constraints.attention) return Projection::Weights;
  if (any_of(constraints.given) || constraints.scores) return Projection::Given;
  if (any_of_qkv(constraints.weight) || any_of_qkv(constraints.bias)) return Projection::Linear;
  // What is given for other tokens is dropped.
  const bool rows_stay = plan.tokens == layer.token_count() && plan.sequences == layer.sequence_count();
  const Projection now = layer.attention.projection;
  return now == Projection::Weights || (now == Projection::Given && !rows_stay) ? Projection::None : now;
}

void plan_d_out(ArrayPlan& plan, const ShapeConstraints& constraints, const Layer& layer) {
  const bool fixed = plan.projection == Projection::None;
  const bool output = constraints.d_out.number.has_value();
  const Index query_width = layer.head_count() * layer.d_k();
  plan.width = constraints.width.number.value_or(fixed ? plan.d_in : query_width);
  const Index kv_heads = layer.kv_head_count();
  const bool stay = plan.width == query_width && !fixed && !constraints.width.number;
  plan.kv_width = constraints.kv_width.number.value_or(stay ? kv_heads * layer.d_k() : plan.width);
  plan.value_width = constraints.value_width.number.value_or(stay ? kv_heads * layer.d_v() : plan.kv_width);
  const Constraint& constraint = output                   ? constraints.d_out
                                 : constraints.own_values ? constraints.value_width
                                                          : constraints.width;
  if (constraints.own_values && !output)
    plan.d_out = plan.concat_width();
  else
    plan.d_out = fixed ? plan.d_in : constraint.number.value_or(layer.d_out());
  if (fixed && constraint.number && *constraint.number != plan.d_in)
    throw Error(constraint.by + " has d_out " + std::to_string(*constraint.number) + ", but d_in is " +
                    std::to_string(plan.d_in),
                "", "without projections the two are equal: give W_query, W_key and W_value as well");
}

// For given attention weights: heads and values as in the arrays.
void plan_attention(ArrayPlan& plan, const ShapeConstraints& constraints) {
  plan.num_heads = *constraints.heads.number;
  const bool values = constraints.given[2];
  plan.width = plan.kv_width = plan.value_width = plan.d_out =
      values ? *constraints.width.number : plan.num_heads;
  if (plan.width % plan.num_heads != 0)
    throw Error(std::to_string(plan.num_heads) + " heads do not divide the values' width " +
                    std::to_string(plan.width),
                constraints.width.by,
                "give values of B x H x Tk x d_v, with the heads that the weights have");
  if (values) plan.given[2] = PartSource::Given;
}

// For given scores: queries that are their rows, and keys that are unit vectors.
void plan_scores(ArrayPlan& plan, const ShapeConstraints& constraints) {
  plan.scores = true;
  const bool values = constraints.given[2];
  const Index keys = plan.key_tokens > 0 ? plan.key_tokens : plan.tokens;
  const Index heads = plan.num_heads = *constraints.heads.number, kv_heads = values ? heads : 1;
  plan.width = heads * keys;
  plan.kv_width = kv_heads * keys;
  plan.value_width = values ? *constraints.width.number : keys;
  if (plan.value_width % kv_heads != 0)
    throw Error(
        std::to_string(heads) + " heads do not divide the values' width " + std::to_string(plan.value_width),
        constraints.width.by, "give values of B x H x Tk x d_v, with the heads that the scores have");
  if (kv_heads != heads) plan.num_kv_heads = kv_heads;
  plan.d_k = keys;
  plan.d_v = plan.value_width / kv_heads;
  plan.d_out = heads * plan.d_v;
  plan.given = {PartSource::Given, PartSource::Given, PartSource::Given};
}

// Heads of 64 or another usual width that also suits shared keys.
Index proposed_heads(const ArrayPlan& plan) {
  for (const Index width : {64, 128, 256, 32, 16, 8})
    if (plan.width % width == 0 && plan.heads_possible(plan.width / width)) return plan.width / width;
  return plan.width / plan.kv_width;
}

// The number of key heads that is chosen, or stated by an array.
std::optional<Index> known_kv_heads(const LayerHints& hints) {
  if (hints.kv_heads || !hints.stated.kv_heads) return hints.kv_heads;
  return static_cast<Index>(hints.stated.kv_heads->value);
}

// The number of heads that follows from a chosen number of key heads; empty if none is chosen.
std::optional<Index> heads_of_keys(const ArrayPlan& plan, const LayerHints& hints) {
  if (!known_kv_heads(hints)) return std::nullopt;
  const Index kv_heads = *known_kv_heads(hints);
  const Index d_k = kv_heads > 0 && plan.kv_width % kv_heads == 0 ? plan.kv_width / kv_heads : 0;
  if (d_k == 0 || plan.width % d_k != 0 || !plan.heads_possible(plan.width / d_k))
    throw Error(std::to_string(kv_heads) + " heads of keys and values do not go with keys that are " +
                    std::to_string(plan.kv_width) + " wide and queries that are " +
                    std::to_string(plan.width),
                "heads", "choose a number that divides both");
  return plan.width / d_k;
}

void plan_heads(ArrayPlan& plan, const ShapeConstraints& constraints, std::optional<Index> num_heads,
                const Layer& model, const LayerHints& hints) {
  const std::string width = std::to_string(plan.width);
  const std::optional<Index> by_keys = heads_of_keys(plan, hints);
  if (by_keys && num_heads && *by_keys != *num_heads)
    throw Error(std::to_string(*num_heads) + " heads and " + std::to_string(*known_kv_heads(hints)) +
                    " heads of keys and values do not go with queries of " + width + " and keys of " +
                    std::to_string(plan.kv_width) + " numbers",
                "heads", "all heads are of one width");
  if (!num_heads) num_heads = by_keys;
  if (num_heads && (*num_heads < 1 || plan.width % *num_heads != 0))
    throw Error(std::to_string(*num_heads) + " heads do not divide d_out " + width, "heads",
                "choose a number of heads that divides " + width);
  if (plan.width == 0) {  // no array determines it, and the model has no embeddings that would
    plan.num_heads = model.head_count();
    return;
  }
  const bool is_new = plan.width != model.head_count() * model.d_k() || plan.layer;
  if (num_heads || constraints.heads.number) {
    plan.num_heads = num_heads ? *num_heads : *constraints.heads.number;
  } else if (const auto& stated = hints.stated.heads;
             stated && plan.heads_possible(static_cast<Index>(stated->value))) {
    plan.num_heads = static_cast<Index>(stated->value);
  } else if (plan.layer && plan.layer->num_heads && plan.heads_possible(*plan.layer->num_heads)) {
    plan.num_heads = *plan.layer->num_heads;
  } else if (constraints.shared || (is_new && plan.width > 64 && plan.width % 64 == 0)) {
    plan.num_heads = proposed_heads(plan);
    plan.heads_reason = "heads of " + std::to_string(plan.width / plan.num_heads);
  } else {
    plan.num_heads = plan.heads_possible(model.head_count()) ? model.head_count() : 1;
    if (is_new) plan.heads_reason = "no array says how many";
  }
  if (plan.num_heads < 1 || plan.width % plan.num_heads != 0)
    throw Error(constraints.heads.by + " has " + std::to_string(plan.num_heads) +
                    " heads, which do not divide d_out " + width,
                "heads", "choose arrays of one layer, or another meaning for this one");
  const Index d_k = plan.width / plan.num_heads;
  if (plan.kv_width < 1 || plan.kv_width % d_k != 0 || plan.num_heads % (plan.kv_width / d_k) != 0)
    throw Error(std::to_string(plan.num_heads) + " heads of " + std::to_string(d_k) +
                    " do not share keys that are " + std::to_string(plan.kv_width) + " wide",
                "heads",
                "choose heads whose width, " + width + " / heads, divides " + std::to_string(plan.kv_width));
  const Index kv_heads = plan.kv_width / d_k;
  if (plan.value_width % kv_heads != 0 ||
      (constraints.concat.number && *constraints.concat.number != plan.concat_width()))
    throw Error("values that are " + std::to_string(plan.value_width) + " wide do not go with " +
                    std::to_string(kv_heads) + " heads of keys and values",
                "heads", "choose heads that divide the values' width, or other values");
  if (kv_heads != plan.num_heads) plan.num_kv_heads = kv_heads;
  if (plan.num_heads * d_k != plan.d_out) plan.d_k = d_k;
  if (plan.concat_width() != plan.d_out) plan.d_v = plan.value_width / kv_heads;
}

// Given queries, keys or values without an array stay unchanged, which requires the same shape.
void plan_given(ArrayPlan& plan, const ShapeConstraints& constraints, const Layer& layer) {
  if (plan.projection != Projection::Given) return;
  const Index keys = plan.key_tokens > 0 ? plan.key_tokens : plan.tokens;
  const bool stays = plan.d_out == layer.d_out() && plan.tokens == layer.token_count() &&
                     keys == layer.key_count() && plan.sequences == layer.sequence_count() &&
                     !constraints.shared;
  constexpr std::array kRoles = {ArrayRole::Queries, ArrayRole::Keys, ArrayRole::Values};
  for (std::size_t p = 0; p < plan.given.size(); ++p) {
    plan.given[p] = constraints.given[p] ? PartSource::Given : PartSource::Kept;
    if (constraints.given[p] || stays) continue;
    throw Error(
        std::string("the ") + role_name(kRoles[p]) + " are missing", "",
        "T or d_out is new: give " + shape_text({plan.tokens, plan.d_out}) + " numbers for them as well");
  }
}

void plan_settings(ArrayPlan& plan, const ShapeConstraints& constraints, std::optional<Index> num_heads,
                   const Layer& layer, const LayerHints& hints) {
  plan.projection = planned_projection(plan, constraints, layer);
  const bool linear = plan.projection == Projection::Linear;
  const bool all_weights = constraints.weight[0] && constraints.weight[1] && constraints.weight[2];
  plan.output_projection = layer.attention.output_projection || constraints.weight[3] || constraints.bias[3];
  plan.qkv_bias = any_of_qkv(constraints.bias) || (layer.attention.qkv_bias && !(linear && all_weights));
  if (constraints.attention || constraints.scores) {
    plan.output_projection = plan.qkv_bias = false;
    return constraints.attention ? plan_attention(plan, constraints) : plan_scores(plan, constraints);
  }
  plan_d_out(plan, constraints, layer);
  plan_given(plan, constraints, layer);
  plan_heads(plan, constraints, num_heads, layer, hints);
}

bool used(const ArrayPlan& plan, Parameter p) {
  return p == Parameter::Output ? plan.output_projection : plan.projection == Projection::Linear;
}

bool stored_weight_fits(const ArrayPlan& plan, const Layer& layer, Parameter p) {
  const bool of_keys = p == Parameter::Key || p == Parameter::Value;
  const Index in = p == Parameter::Output ? plan.concat_width() : of_keys ? plan.key_d_in : plan.d_in;
  const Index out = plan.out_of(p);
  const bool in_out = layer.weights.layout == WeightLayout::InOut;
  const Matrix& w = layer.weights.matrix(p);
  return w.rows() == (in_out ? in : out) && w.cols() == (in_out ? out : in);
}

PartSource weight_fate(const ArrayPlan& plan, const ShapeConstraints& constraints, const Layer& layer,
                       Parameter p) {
  if (!used(plan, p)) return PartSource::Unused;
  if (constraints.weight[static_cast<std::size_t>(p)]) return PartSource::Given;
  return stored_weight_fits(plan, layer, p) ? PartSource::Kept : PartSource::Drawn;
}

PartSource bias_fate(const ArrayPlan& plan, const ShapeConstraints& constraints, const Layer& layer,
                     Parameter p) {
  if (!used(plan, p) || (p != Parameter::Output && !plan.qkv_bias)) return PartSource::Unused;
  if (constraints.bias[static_cast<std::size_t>(p)]) return PartSource::Given;
  if (plan.weight(p) == PartSource::Drawn) return PartSource::Drawn;
  const Matrix& bias = layer.weights.bias(p);
  const bool kept = plan.weight(p) == PartSource::Kept && layer.uses_bias(p) && bias.cols() == plan.out_of(p);
  return kept ? PartSource::Kept : PartSource::Zeros;
}

void plan_weights(ArrayPlan& plan, const ShapeConstraints& constraints, const Layer& layer) {
  const auto any = [&](PartSource fate) {
    return std::find(plan.weights.begin(), plan.weights.end(), fate) != plan.weights.end();
  };
  for (const Parameter p : kParameters)
    plan.weights[static_cast<std::size_t>(p)] = weight_fate(plan, constraints, layer, p);
  const bool untouched = layer.weights.recipe && !layer.weights.edited;
  if (untouched && any(PartSource::Drawn) && !any(PartSource::Given))
    std::replace(plan.weights.begin(), plan.weights.end(), PartSource::Kept, PartSource::Drawn);
  for (const Parameter p : kParameters)
    plan.biases[static_cast<std::size_t>(p)] = bias_fate(plan, constraints, layer, p);

  plan.recipe = layer.weights.recipe.value_or(WeightRecipe{});
  plan.layout = layer.weights.layout;
  const bool all_given = any(PartSource::Given) && !any(PartSource::Kept) && !any(PartSource::Drawn);
  if (all_given && constraints.one_layout) plan.layout = *constraints.layout;
  // Matrices drawn beside others are drawn in their layout; if all are drawn, the recipe determines it.
  const bool bias_given =
      std::find(plan.biases.begin(), plan.biases.end(), PartSource::Given) != plan.biases.end();
  if (any(PartSource::Given) || any(PartSource::Kept) || bias_given)
    plan.recipe.init = plan.layout == WeightLayout::InOut ? InitKind::Rand : InitKind::Linear;
  else if (any(PartSource::Drawn))
    plan.layout = plan.recipe.init == InitKind::Rand ? WeightLayout::InOut : WeightLayout::OutIn;
}

// The parts of the model that the role fills, one bit each.
std::uint64_t parts_of(ArrayRole role) {
  const auto bit = [](ArrayRole r) { return std::uint64_t{1} << static_cast<unsigned>(r); };
  if (role == ArrayRole::FusedWeight || role == ArrayRole::FusedHeadsWeight)
    return bit(ArrayRole::QueryWeight) | bit(ArrayRole::KeyWeight) | bit(ArrayRole::ValueWeight);
  if (role == ArrayRole::FusedBias || role == ArrayRole::FusedHeadsBias)
    return bit(ArrayRole::QueryBias) | bit(ArrayRole::KeyBias) | bit(ArrayRole::ValueBias);
  return bit(role);
}

bool is_given(ArrayRole role) {
  return role == ArrayRole::Queries || role == ArrayRole::Keys || role == ArrayRole::Values;
}

// Whether the role takes part in computing queries, keys or values, and is useless where one is given.
bool projects(ArrayRole role) {
  return role != ArrayRole::OutputWeight && role != ArrayRole::OutputBias && role >= ArrayRole::QueryWeight &&
         role <= ArrayRole::FusedHeadsBias;
}

// Whether `b` has no effect beside `a`.
bool makes_useless(ArrayRole a, ArrayRole b) {
  if (a == ArrayRole::KeyEmbeddings) return is_given(b) || b == ArrayRole::Scores;
  const bool learned = b == ArrayRole::LearnedKey || b == ArrayRole::LearnedValue || b == ArrayRole::Slopes;
  const bool beside =
      b == ArrayRole::Values || b == ArrayRole::Tokens || b == ArrayRole::Embeddings || b == a;
  if (a == ArrayRole::AttentionWeights) return !beside;
  if (a == ArrayRole::Scores)
    return learned || (!beside && b != ArrayRole::Mask && b != ArrayRole::KeyMask &&
                       b != ArrayRole::ScoreBias && b < ArrayRole::Sinks);
  return is_given(a) && projects(b);
}

// The buckets of a table of biases, also if the model already has the layer's settings.
RelativeBuckets buckets_of(const ArrayPlan& plan, const std::vector<ArrayChoice>& choices, LayerHints hints) {
  if (plan.layer) return plan.layer->buckets;
  hints.settled = false;
  const auto family = layer_settings(choices, hints);
  return family ? family->buckets : RelativeBuckets{};
}

// Fused arrays with the widths of their parts, as far as the numbers of heads determine them; biases have the
// widths of their weights.
std::vector<ArrayChoice> with_cuts(std::vector<ArrayChoice> choices, const HeadCounts& known) {
  std::optional<FusedWidths> widths;
  const auto cut = [](ArrayChoice& choice, const std::optional<FusedWidths>& parts, Index lines) {
    if (parts && parts->query + 2 * parts->key == lines) choice.cut = {parts->query, parts->key, 1};
  };
  for (ArrayChoice& choice : choices) {
    if (!is_fused(choice.role) || !is_weight(choice.role) || choice.shape.size() != 2) continue;
    const bool in_out = choice.layout == WeightLayout::InOut;
    const Index lines = choice.shape[in_out ? 1 : 0];
    widths = fused_widths(lines, choice.shape[in_out ? 0 : 1], known);
    cut(choice, widths, lines);
  }
  for (ArrayChoice& choice : choices)
    if (is_fused(choice.role) && !is_weight(choice.role) && !choice.shape.empty()) {
      const Index lines = choice.shape.back();
      cut(choice, widths ? widths : fused_widths(lines, 0, known), lines);
    }
  return choices;
}

}  // namespace

bool ArrayPlan::heads_possible(Index heads) const {
  if (heads < 1 || width < 1 || width % heads != 0) return false;
  const Index head_width = width / heads;
  if (kv_width % head_width != 0) return false;
  const Index kv_heads = kv_width / head_width;
  return heads % kv_heads == 0 && value_width % kv_heads == 0;
}

ArrayPlan plan_arrays(const std::vector<ArrayChoice>& choices, std::optional<Index> num_heads,
                      const Layer& model, const LayerHints& hints) {
  refuse_collisions(choices);
  ArrayPlan plan;
  plan.layer = layer_settings(choices, hints);
  const std::vector<ArrayChoice> cut = with_cuts(choices, head_counts(choices, num_heads, hints));
  const ShapeConstraints constraints = collect_constraints(cut);
  plan.causal = hints.causal || (hints.stated.causal && hints.stated.causal->value != 0);
  plan.upper_left = hints.upper_left;
  plan_shapes(plan, constraints, model, hints);
  plan_settings(plan, constraints, num_heads, model, hints);
  plan_weights(plan, constraints, model);
  plan_pairs(plan, constraints);
  plan_beside(plan, constraints);
  plan_stated(plan, hints);
  plan.relative_bias = constraints.relative_bias != nullptr;
  if (plan.relative_bias) plan.buckets = buckets_of(plan, choices, hints);
  if (plan.layer) plan.layer = with_head_width(*plan.layer, plan.width / plan.num_heads);
  return plan;
}

HeadCounts head_counts(const std::vector<ArrayChoice>& choices, std::optional<Index> num_heads,
                       const LayerHints& hints) {
  const std::optional<LayerSettings> layer = layer_settings(choices, hints);
  const std::optional<Index> kv_heads = known_kv_heads(hints);
  if (!num_heads && hints.stated.heads) num_heads = static_cast<Index>(hints.stated.heads->value);
  if (num_heads || !layer || !layer->by_config) return {num_heads, kv_heads, {}};
  return {layer->num_heads, kv_heads, layer->num_heads ? hints.config->head_width : std::nullopt};
}

Layer shapes_of(const ArrayPlan& plan) {
  Layer layer;
  layer.tokens.resize(static_cast<std::size_t>(plan.tokens));
  layer.embeddings.assign(static_cast<std::size_t>(plan.sequences), Matrix(0, plan.d_in));
  layer.attention.projection = plan.projection;
  layer.attention.d_out = plan.d_out;
  layer.attention.num_heads = plan.num_heads;
  layer.attention.num_kv_heads = plan.num_kv_heads;
  layer.attention.d_k = plan.d_k;
  layer.attention.d_v = plan.d_v;
  layer.key_tokens.resize(static_cast<std::size_t>(plan.key_tokens));
  if (plan.key_embeddings_given)
    layer.key_embeddings.assign(static_cast<std::size_t>(plan.sequences), Matrix(0, plan.key_d_in));
  layer.weights.layout = plan.layout;
  return layer;
}

bool same_place(ArrayRole a, ArrayRole b) {
  return (parts_of(a) & parts_of(b)) != 0;
}

bool roles_collide(ArrayRole a, ArrayRole b) {
  return same_place(a, b) || makes_useless(a, b) || makes_useless(b, a);
}

}  // namespace headlight
