#include "engine/array_import/array_roles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/array_import/array_names.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

using Shape = std::vector<Index>;

constexpr std::array kRoles = {ArrayRole::Embeddings,
                               ArrayRole::QueryWeight,
                               ArrayRole::KeyWeight,
                               ArrayRole::ValueWeight,
                               ArrayRole::OutputWeight,
                               ArrayRole::FusedWeight,
                               ArrayRole::FusedHeadsWeight,
                               ArrayRole::QueryBias,
                               ArrayRole::KeyBias,
                               ArrayRole::ValueBias,
                               ArrayRole::OutputBias,
                               ArrayRole::FusedBias,
                               ArrayRole::FusedHeadsBias,
                               ArrayRole::Mask,
                               ArrayRole::RelativeBias,
                               ArrayRole::Tokens,
                               ArrayRole::Queries,
                               ArrayRole::Keys,
                               ArrayRole::Values,
                               ArrayRole::AttentionWeights,
                               ArrayRole::KeyEmbeddings,
                               ArrayRole::KeyMask,
                               ArrayRole::ScoreBias,
                               ArrayRole::Scores,
                               ArrayRole::Sinks,
                               ArrayRole::Slopes,
                               ArrayRole::HeadMask,
                               ArrayRole::Lengths,
                               ArrayRole::Segments,
                               ArrayRole::Positions,
                               ArrayRole::Boundaries,
                               ArrayRole::LearnedKey,
                               ArrayRole::LearnedValue};

// The two widths of a matrix of weights: of its input and of its output.
struct Sides {
  Index in = 0, out = 0;
};
Sides sides_of(const Shape& shape, WeightLayout layout) {
  return layout == WeightLayout::InOut ? Sides{shape[0], shape[1]} : Sides{shape[1], shape[0]};
}

// Whether queries, keys and values may lie side by side in it: three parts of one width, or queries as wide
// as the embeddings with narrower keys and values.
bool fused_possible(const Sides& sides) {
  if (sides.out % 3 == 0) return true;
  const Index keys = (sides.out - sides.in) / 2;
  return sides.out > sides.in && (sides.out - sides.in) % 2 == 0 && sides.in % keys == 0;
}
bool fused_possible(const Shape& shape) {
  return fused_possible(sides_of(shape, WeightLayout::InOut)) ||
         fused_possible(sides_of(shape, WeightLayout::OutIn));
}

// shape: of two dimensions.
bool layout_possible(ArrayRole role, const Shape& shape, WeightLayout layout) {
  return !is_fused(role) || fused_possible(sides_of(shape, layout));
}

// The layout in which a matrix of this shape is three square ones, if there is one.
std::optional<WeightLayout> three_squares(const Shape& shape) {
  if (shape[1] % 3 == 0 && shape[1] / 3 == shape[0]) return WeightLayout::InOut;
  if (shape[0] % 3 == 0 && shape[0] / 3 == shape[1]) return WeightLayout::OutIn;
  return std::nullopt;
}

// Whether at most one axis has more than one entry.
bool is_row(const Shape& shape) {
  return std::count_if(shape.begin(), shape.end(), [](Index size) { return size > 1; }) <= 1;
}

// For roles that only the name, or the values, can determine.
bool named_shape_allows(ArrayRole role, const Shape& shape) {
  const std::size_t dimensions = shape.size();
  if (role == ArrayRole::Boundaries) return dimensions == 1 && shape[0] > 1;
  if (says_texts(role)) return dimensions == 1 || dimensions == 2;
  if (role >= ArrayRole::Sinks) return dimensions >= 1 && dimensions <= 4 && is_row(shape);
  if (role == ArrayRole::KeyMask) return is_key_mask(shape) || (dimensions == 2 && shape[0] == shape[1]);
  return dimensions >= (role == ArrayRole::Scores ? 2u : 1u) && dimensions <= 4;
}

bool shape_allows(ArrayRole role, const Shape& shape, bool named, const Layer& layer) {
  const std::size_t dimensions = shape.size();
  const auto square_behind = [&](std::size_t at) { return shape[at] == shape[at + 1]; };
  switch (role) {
    case ArrayRole::Embeddings:
      return dimensions == 2 || dimensions == 3;
    case ArrayRole::QueryWeight:
    case ArrayRole::KeyWeight:
    case ArrayRole::ValueWeight:
      return dimensions == 2 || (dimensions == 3 && named);
    case ArrayRole::OutputWeight:
      return (dimensions == 2 && (named || square_behind(0))) || (dimensions == 3 && named);
    case ArrayRole::FusedWeight:
      // Many matrices can be split in three: without a name, the proportions must decide.
      return dimensions == 2 && (named ? fused_possible(shape) : three_squares(shape).has_value());
    case ArrayRole::FusedHeadsWeight:  // not distinguished from FusedWeight by shape
      return dimensions == 2 && named && fused_possible(shape);
    case ArrayRole::FusedBias:
      return dimensions == 1 && (shape[0] % 3 == 0 || (named && shape[0] > 2));
    case ArrayRole::FusedHeadsBias:
      return dimensions == 1 && named && shape[0] > 2;
    case ArrayRole::RelativeBias:
      return dimensions == 2 && named;
    case ArrayRole::KeyEmbeddings:
      return named && (dimensions == 2 || dimensions == 3);
    case ArrayRole::Tokens:  // any row of numbers could be bytes: the name must decide
      return dimensions == 1 && named;
    case ArrayRole::Queries:
    case ArrayRole::Keys:
    case ArrayRole::Values:  // with more dimensions the name must decide, or the number of tokens
      return dimensions == 2 || ((dimensions == 3 || dimensions == 4) &&
                                 (named || shape[dimensions - 2] == layer.token_count()));
    case ArrayRole::Mask:
      if (named) return dimensions >= 1 && dimensions <= 4;
      return !is_key_mask(shape) && dimensions >= 2 && square_behind(dimensions - 2) &&
             std::all_of(shape.begin(), shape.end() - 2, [](Index size) { return size == 1; });
    case ArrayRole::AttentionWeights:  // a row for each query, a column for each key
      return named ? dimensions >= 2 && dimensions <= 5
                   : dimensions >= 3 && dimensions <= 5 && square_behind(dimensions - 2);
    case ArrayRole::KeyMask:
    case ArrayRole::ScoreBias:
    case ArrayRole::Scores:
    case ArrayRole::Sinks:
    case ArrayRole::Slopes:
    case ArrayRole::HeadMask:
    case ArrayRole::Lengths:
    case ArrayRole::Segments:
    case ArrayRole::Positions:
    case ArrayRole::Boundaries:
    case ArrayRole::LearnedKey:
    case ArrayRole::LearnedValue:
      return named && named_shape_allows(role, shape);
    case ArrayRole::QueryBias:
    case ArrayRole::KeyBias:
    case ArrayRole::ValueBias:
    case ArrayRole::OutputBias:
      break;
  }
  return dimensions == 1 || (dimensions == 2 && (shape[0] == 1 || named));
}

WeightLayout propose_layout(ArrayRole role, const ArrayName& name, const Shape& shape, const Layer& layer) {
  if (is_fused(role)) {
    if (const auto layout = three_squares(shape)) return *layout;
    for (const WeightLayout layout : {WeightLayout::InOut, WeightLayout::OutIn})
      if (!layout_possible(role, shape, layout)) return other_layout(layout);
  }
  // The output of the output projection is as wide as the input of the layer.
  const Sides in_out = sides_of(shape, WeightLayout::InOut), out_in = sides_of(shape, WeightLayout::OutIn);
  const bool output = role == ArrayRole::OutputWeight;
  const bool of_keys = role == ArrayRole::KeyWeight || role == ArrayRole::ValueWeight;
  const Index width = of_keys ? layer.key_d_in() : layer.d_in();
  const bool in_out_agrees = (output ? in_out.out : in_out.in) == width;
  const bool out_in_agrees = (output ? out_in.out : out_in.in) == width;
  if (in_out_agrees != out_in_agrees) return in_out_agrees ? WeightLayout::InOut : WeightLayout::OutIn;
  return name.layout.value_or(layer.weights.layout);
}

bool fits_model(ArrayRole role, const Shape& shape, WeightLayout layout, const Layer& layer) {
  // Without a projection d_out is d_in only by default: the first matrix of weights may set it.
  const bool any_out = layer.attention.projection == Projection::None;
  const Index d_out = (is_fused(role) ? 3 : 1) * layer.d_out(), tokens = layer.token_count();
  switch (role) {
    case ArrayRole::Embeddings:
      return shape[shape.size() - 2] == tokens && shape.back() == layer.d_in() &&
             (shape.size() == 2 || shape[0] == layer.sequence_count());
    case ArrayRole::OutputWeight:
      return shape[0] == layer.d_out() && shape[1] == layer.d_out();
    case ArrayRole::QueryWeight:
    case ArrayRole::KeyWeight:
    case ArrayRole::ValueWeight:
    case ArrayRole::FusedWeight:
    case ArrayRole::FusedHeadsWeight: {
      const Sides sides = sides_of(shape, layout);
      return sides.in == layer.d_in() && (any_out || sides.out == d_out);
    }
    case ArrayRole::RelativeBias:
      return shape[1] == layer.head_count();
    case ArrayRole::KeyEmbeddings:
      return !layer.self_attention() && shape[shape.size() - 2] == layer.key_count() &&
             shape.back() == layer.key_d_in();
    case ArrayRole::Queries:
    case ArrayRole::Keys:
    case ArrayRole::Values:
      return layer.attention.projection == Projection::Given && shape[shape.size() - 2] == tokens &&
             shape.back() * (shape.size() == 4 ? shape[1] : 1) == d_out;
    case ArrayRole::Mask:
      return shape.back() == layer.key_count() &&
             (is_key_mask(shape) ? shape.size() == 1 || shape[0] == layer.sequence_count()
                                 : shape[shape.size() - 2] == tokens);
    case ArrayRole::AttentionWeights:
    case ArrayRole::Scores:
      // More than two axes, the last two equal: not rows of anything, whatever the layer's tokens are.
      return shape.size() > 2;
    case ArrayRole::KeyMask:
    case ArrayRole::ScoreBias:
      return shape.back() == layer.key_count();
    case ArrayRole::Tokens:
    case ArrayRole::Sinks:
    case ArrayRole::Slopes:
    case ArrayRole::HeadMask:
    case ArrayRole::Lengths:
    case ArrayRole::Segments:
    case ArrayRole::Positions:
    case ArrayRole::Boundaries:
    case ArrayRole::LearnedKey:
    case ArrayRole::LearnedValue:
      return true;
    case ArrayRole::QueryBias:
    case ArrayRole::KeyBias:
    case ArrayRole::ValueBias:
    case ArrayRole::OutputBias:
    case ArrayRole::FusedBias:
    case ArrayRole::FusedHeadsBias:
      break;
  }
  return shape.back() == d_out;
}

// The order of the axes in an array of three: by the width of its input, else by its name.
AxisOrder weight_order(ArrayRole role, const Shape& shape, const std::string& name, const Layer& layer) {
  if (role == ArrayRole::OutputWeight) return AxisOrder::HeadRows;
  const Index width = role == ArrayRole::QueryWeight ? layer.d_in() : layer.key_d_in();
  if ((shape[0] == width) != (shape[1] == width))
    return shape[0] == width ? AxisOrder::HeadColumns : AxisOrder::HeadWeights;
  return name.ends_with("kernel") ? AxisOrder::HeadColumns : AxisOrder::HeadWeights;
}

AxisOrder order_of(ArrayRole role, const Shape& shape, const std::string& name, const Layer& layer) {
  if (is_weight(role) && shape.size() == 3) return weight_order(role, shape, name, layer);
  const bool bias = role >= ArrayRole::QueryBias && role <= ArrayRole::OutputBias;
  return bias && shape.size() == 2 && shape[0] > 1 ? AxisOrder::HeadRows : AxisOrder::AsIs;
}

// Part `part` of each group along the axis that holds them: 0 the queries, 1 the key, 2 the value.
NamedArray part_of(const NamedArray& array, bool by_columns, const FusedSplit& cut, Index part) {
  constexpr std::array kParts = {" (query)", " (key)", " (value)"};
  NamedArray result{array.name + kParts[static_cast<std::size_t>(part)], array.shape, {}};
  const Index columns = array.shape.back();
  result.shape[by_columns ? 1 : 0] = part == 0 ? cut.query : cut.key;
  const Index query = cut.query / cut.groups, key = cut.key / cut.groups;
  const Index before = part == 0 ? 0 : query + (part - 1) * key, count = part == 0 ? query : key;
  const Index width = by_columns || array.shape.size() == 1 ? 1 : columns;
  const Index rows = by_columns ? array.shape[0] : 1;
  for (Index row = 0; row < rows; ++row)
    for (Index group = 0; group < cut.groups; ++group) {
      const auto from = array.values.begin() + row * columns + (group * (query + 2 * key) + before) * width;
      result.values.insert(result.values.end(), from, from + count * width);
    }
  return result;
}

}  // namespace

bool is_weight(ArrayRole role) {
  return role >= ArrayRole::QueryWeight && role <= ArrayRole::FusedHeadsWeight;
}

bool is_fused_by_heads(ArrayRole role) {
  return role == ArrayRole::FusedHeadsWeight || role == ArrayRole::FusedHeadsBias;
}

bool is_fused(ArrayRole role) {
  return role == ArrayRole::FusedWeight || role == ArrayRole::FusedBias || is_fused_by_heads(role);
}

bool says_texts(ArrayRole role) {
  return role >= ArrayRole::Lengths && role <= ArrayRole::Boundaries;
}

bool is_key_mask(const std::vector<Index>& shape) {
  return shape.size() == 1 || (shape.size() == 2 && shape[0] != shape[1]) ||
         (shape.size() == 4 && shape[1] == 1 && shape[2] == 1 && shape[3] > 1);
}

const char* role_name(ArrayRole role) {
  constexpr std::array kNames = {"embeddings",
                                 "W_query",
                                 "W_key",
                                 "W_value",
                                 "W_output",
                                 "W_query, W_key and W_value in one",
                                 "W_query, W_key and W_value in one, head by head",
                                 "bias of W_query",
                                 "bias of W_key",
                                 "bias of W_value",
                                 "bias of W_output",
                                 "three biases",
                                 "three biases, head by head",
                                 "mask",
                                 "relative bias",
                                 "tokens",
                                 "queries",
                                 "keys",
                                 "values",
                                 "attention weights",
                                 "embeddings of the keys",
                                 "padding of the keys",
                                 "bias of the scores",
                                 "scores before the softmax",
                                 "sinks",
                                 "slopes of ALiBi",
                                 "heads that are on",
                                 "lengths",
                                 "numbers of the texts",
                                 "positions",
                                 "beginnings of the texts",
                                 "learned key",
                                 "learned value"};
  static_assert(kNames.size() == kRoles.size());
  return kNames[static_cast<std::size_t>(role)];
}

const char* role_id(ArrayRole role) {
  constexpr std::array kIds = {"embeddings",
                               "query",
                               "key",
                               "value",
                               "output",
                               "fused",
                               "fused_heads",
                               "query_bias",
                               "key_bias",
                               "value_bias",
                               "output_bias",
                               "fused_bias",
                               "fused_heads_bias",
                               "mask",
                               "relative_bias",
                               "tokens",
                               "queries",
                               "keys",
                               "values",
                               "attention",
                               "key_embeddings",
                               "key_mask",
                               "score_bias",
                               "scores",
                               "sinks",
                               "slopes",
                               "head_mask",
                               "lengths",
                               "segments",
                               "positions",
                               "boundaries",
                               "learned_key",
                               "learned_value"};
  static_assert(kIds.size() == kRoles.size());
  return kIds[static_cast<std::size_t>(role)];
}

std::vector<RoleProposal> propose_roles(const std::string& name, const std::vector<Index>& shape,
                                        const Layer& layer) {
  std::vector<RoleProposal> proposals;
  if (std::find(shape.begin(), shape.end(), Index{0}) != shape.end()) return proposals;
  const ArrayName read = read_array_name(name, shape.size());
  for (const ArrayRole role : kRoles) {
    RoleProposal proposal;
    proposal.role = role;
    proposal.named = read.role == role;
    if (!shape_allows(role, shape, proposal.named, layer)) continue;
    proposal.order = order_of(role, shape, name, layer);
    const bool as_is = proposal.order == AxisOrder::AsIs;
    const Shape placed = ordered_shape(shape, proposal.order);
    proposal.layout = !is_weight(role) ? layer.weights.layout
                      : as_is          ? propose_layout(role, read, shape, layer)
                                       : WeightLayout::InOut;
    proposal.flippable =
        is_weight(role) && as_is && layout_possible(role, shape, other_layout(proposal.layout));
    proposal.fits = fits_model(role, placed, proposal.layout, layer);
    proposals.push_back(proposal);
  }
  std::stable_sort(proposals.begin(), proposals.end(), [](const RoleProposal& a, const RoleProposal& b) {
    return std::pair(a.named, a.fits) > std::pair(b.named, b.fits);
  });
  return proposals;
}

std::array<NamedArray, 3> split_fused(const NamedArray& array, WeightLayout layout, Index heads) {
  const std::size_t dimensions = array.shape.size();
  if (dimensions != 1 && dimensions != 2)
    throw Error("an array of shape " + shape_text(array.shape) + " is no fused matrix and no fused bias",
                array.name, "a fused matrix is d x 3n or 3n x d, a fused bias 3n");
  const bool by_columns = dimensions == 2 && layout == WeightLayout::InOut;
  const Index side = by_columns ? array.shape[1] : array.shape[0], parts = 3 * heads;
  if (side % parts != 0) {
    const bool flipped = dimensions == 2 && array.shape[by_columns ? 0 : 1] % parts == 0;
    const std::string lines = by_columns ? " columns" : dimensions == 2 ? " rows" : " numbers";
    throw Error("the " + std::to_string(side) + lines +
                    (heads == 1 ? " cannot be cut in three"
                                : " cannot be cut in three for each of " + std::to_string(heads) + " heads"),
                array.name,
                flipped ? std::string("flip the layout to ") + (by_columns ? "out_in" : "in_out")
                        : "query, key and value take a third each: choose another array");
  }
  return split_fused(array, layout, FusedSplit{side / 3, side / 3, heads});
}

std::array<NamedArray, 3> split_fused(const NamedArray& array, WeightLayout layout, const FusedSplit& cut) {
  const bool by_columns = array.shape.size() == 2 && layout == WeightLayout::InOut;
  return {part_of(array, by_columns, cut, 0), part_of(array, by_columns, cut, 1),
          part_of(array, by_columns, cut, 2)};
}

ArraySummary summary_of(const NamedArray& array) {
  ArraySummary summary;
  summary.shape = array.shape;
  summary.count = array.values.size();
  for (const float value : array.values) {
    if (std::isnan(value)) {
      ++summary.nan_count;
    } else if (std::isinf(value)) {
      ++summary.infinity_count;
    } else {
      summary.min = std::min(value, summary.min.value_or(value));
      summary.max = std::max(value, summary.max.value_or(value));
    }
  }
  return summary;
}

}  // namespace headlight
