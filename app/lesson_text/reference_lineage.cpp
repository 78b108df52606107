#include "app/lesson_text/reference_lineage.h"

#include <utility>

namespace headlight {
namespace {

// The rows or columns of a matrix: `count` of all tracked `lines`, from `begin`. The columns of a head are
// part of those of all heads.
struct Side {
  TrackedLines lines;
  Index begin = 0, count = 0;
};

Side input_side(const Layer& layer) {
  return {{layer.lineage.inputs, layer.d_in()}, 0, layer.d_in()};
}

Side output_side(const Layer& layer) {
  return {{layer.lineage.outputs, layer.d_out()}, 0, layer.d_out()};
}

Side query_side(const Layer& layer) {
  return {{layer.lineage.tokens, layer.token_count()}, 0, layer.token_count()};
}

Side key_side(const Layer& layer) {
  const Origins& origins = layer.self_attention() ? layer.lineage.tokens : layer.lineage.keys;
  return {{origins, layer.key_count()}, 0, layer.key_count()};
}

// The columns of a head.
Side head_side(const TextReference& reference, const Layer& layer) {
  const Index width = stage_columns(layer, reference.stage);
  return {
      {layer.lineage.outputs, stage_heads(layer, reference.stage) * width}, reference.head * width, width};
}

// The rows or columns of a weight matrix, whether or not the settings use it.
Side weight_side(const TextReference& reference, const Layer& layer, bool rows) {
  const bool inner =
      *reference.parameter != Parameter::Output && rows == (layer.weights.layout == WeightLayout::InOut);
  const Matrix& weight = layer.weights.matrix(*reference.parameter);
  const Index count = rows ? weight.rows() : weight.cols();
  return {{inner ? layer.lineage.inputs : layer.lineage.outputs, count}, 0, count};
}

Side row_side(const TextReference& reference, const Layer& layer) {
  if (reference.kind == ReferenceKind::Token) return query_side(layer);
  if (reference.parameter) return weight_side(reference, layer, true);
  return stage_info(reference.stage).rows == StageRows::Queries ? query_side(layer) : key_side(layer);
}

Side column_side(const TextReference& reference, const Layer& layer) {
  if (reference.parameter) return weight_side(reference, layer, false);
  switch (stage_info(reference.stage).columns) {
    case StageColumns::DIn:
      return input_side(layer);
    case StageColumns::DKey:
    case StageColumns::DValue:
      return head_side(reference, layer);
    case StageColumns::Tokens:
      return key_side(layer);
    case StageColumns::DConcat:
    case StageColumns::DOut:
      return output_side(layer);
  }
  return output_side(layer);
}

// The dimension that the products of a cell are summed over: keys for a context, input dimensions for a
// projection, else the dimensions of a head.
Side term_side(const TextReference& reference, const Layer& layer) {
  if (reference.stage == Stage::Context) return key_side(layer);
  const bool projected =
      reference.stage == Stage::Queries || reference.stage == Stage::Keys || reference.stage == Stage::Values;
  return projected ? input_side(layer) : head_side(reference, layer);
}

std::optional<Index> place_then(const Side& now, Index at, const Side& then) {
  if (at < 0 || at >= now.count) return std::nullopt;
  // While no line was inserted, removed or moved, heads of different widths are compared by index.
  const bool moved = !now.lines.origins.empty() || !then.lines.origins.empty();
  if (!moved) return at < then.count ? std::optional(at) : std::nullopt;
  const std::optional<Index> line = same_line(now.lines, now.begin + at, then.lines);
  if (!line || *line < then.begin || *line >= then.begin + then.count) return std::nullopt;
  return *line - then.begin;
}

bool move_to(Index& at, const Side& now, const Side& then) {
  const std::optional<Index> place = place_then(now, at, then);
  at = place.value_or(at);
  return place.has_value();
}

// A weight matrix stored in the other layout has no counterpart.
bool same_layout(const TextReference& reference, const Layer& now, const Layer& then) {
  return !reference.parameter || now.weights.layout == then.weights.layout;
}

std::optional<std::vector<Index>> places_then(const Side& now, const Side& then) {
  if (now.count != then.count) return std::nullopt;
  std::vector<Index> places;
  for (Index at = 0; at < now.count; ++at) {
    const std::optional<Index> place = place_then(now, at, then);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

}  // namespace

std::optional<TextReference> reference_then(const TextReference& reference, const Layer& now,
                                            const Layer& then) {
  if (reference.kind == ReferenceKind::Setting || &now == &then) return reference;
  if (!same_layout(reference, now, then)) return std::nullopt;
  TextReference followed = reference;
  const TrackedLines sequences_now = {now.lineage.sequences, now.sequence_count()};
  const TrackedLines sequences_then = {then.lineage.sequences, then.sequence_count()};
  const std::optional<Index> sequence = same_line(sequences_now, reference.sequence, sequences_then);
  if (!sequence && reference.kind != ReferenceKind::Token && !reference.parameter) return std::nullopt;
  followed.sequence = sequence.value_or(reference.sequence);
  bool there =
      reference.every_row || move_to(followed.row, row_side(reference, now), row_side(reference, then));
  if (reference.column)
    there = there && move_to(*followed.column, column_side(reference, now), column_side(reference, then));
  if (reference.kind == ReferenceKind::Term)
    there = there && move_to(followed.term, term_side(reference, now), term_side(reference, then));
  return there ? std::optional(followed) : std::nullopt;
}

std::optional<ListOrder> order_then(const TextReference& reference, const Layer& now, const Layer& then) {
  ListOrder order;
  const auto fill = [](std::vector<Index>& into, const Side& of_now, const Side& of_then) {
    auto places = places_then(of_now, of_then);
    if (places) into = std::move(*places);
    return places.has_value();
  };
  if (reference.every_row && !fill(order.rows, row_side(reference, now), row_side(reference, then)))
    return std::nullopt;
  if (!reference.column && !fill(order.columns, column_side(reference, now), column_side(reference, then)))
    return std::nullopt;
  return order;
}

}  // namespace headlight
