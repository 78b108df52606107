#include "engine/session/quote_lineage.h"

#include <utility>

namespace headlight {
namespace {

// One side of what is quoted. `begin`: where it begins among the lines, a head's columns among those of all
// heads; `lines` are those of all, `count` the side's own.
struct Side {
  TrackedLines lines;
  Index begin = 0, count = 0;
};

Side input_side(const Model& model) {
  return {{model.lineage.inputs, model.d_in()}, 0, model.d_in()};
}

Side output_side(const Model& model) {
  return {{model.lineage.outputs, model.d_out()}, 0, model.d_out()};
}

Side query_side(const Model& model) {
  return {{model.lineage.tokens, model.token_count()}, 0, model.token_count()};
}

Side key_side(const Model& model) {
  const Origins& origins = model.self_attention() ? model.lineage.tokens : model.lineage.keys;
  return {{origins, model.key_count()}, 0, model.key_count()};
}

// A head's share of the columns.
Side head_side(const Quote& quote, const Model& model) {
  const Index width = stage_columns(model, quote.stage);
  return {{model.lineage.outputs, stage_heads(model, quote.stage) * width}, quote.head * width, width};
}

// A weight's rows or columns: as many as it has, be it in use or not.
Side weight_side(const Quote& quote, const Model& model, bool rows) {
  const bool inner =
      *quote.parameter != Parameter::Output && rows == (model.weights.layout == WeightLayout::InOut);
  const Matrix& weight = model.weights.matrix(*quote.parameter);
  const Index count = rows ? weight.rows() : weight.cols();
  return {{inner ? model.lineage.inputs : model.lineage.outputs, count}, 0, count};
}

Side row_side(const Quote& quote, const Model& model) {
  if (quote.kind == QuoteKind::Token) return query_side(model);
  if (quote.parameter) return weight_side(quote, model, true);
  return stage_info(quote.stage).rows == StageRows::Queries ? query_side(model) : key_side(model);
}

Side column_side(const Quote& quote, const Model& model) {
  if (quote.parameter) return weight_side(quote, model, false);
  switch (stage_info(quote.stage).columns) {
    case StageColumns::DIn:
      return input_side(model);
    case StageColumns::DKey:
    case StageColumns::DValue:
      return head_side(quote, model);
    case StageColumns::Tokens:
      return key_side(model);
    case StageColumns::DConcat:
    case StageColumns::DOut:
      return output_side(model);
  }
  return output_side(model);
}

// The products of a context go over the keys; those of a projection over the dimensions that go in.
Side term_side(const Quote& quote, const Model& model) {
  if (quote.stage == Stage::Context) return key_side(model);
  const bool projected =
      quote.stage == Stage::Queries || quote.stage == Stage::Keys || quote.stage == Stage::Values;
  return projected ? input_side(model) : head_side(quote, model);
}

std::optional<Index> place_then(const Side& now, Index at, const Side& then) {
  if (at < 0 || at >= now.count) return std::nullopt;
  // Heads of another width are compared place by place, as long as no dimension came or went.
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

// Weights that are kept the other way round are others.
bool same_layout(const Quote& quote, const Model& now, const Model& then) {
  return !quote.parameter || now.weights.layout == then.weights.layout;
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

std::optional<Quote> quote_then(const Quote& quote, const Model& now, const Model& then) {
  if (quote.kind == QuoteKind::Setting || &now == &then) return quote;
  if (!same_layout(quote, now, then)) return std::nullopt;
  Quote followed = quote;
  const TrackedLines sequences_now = {now.lineage.sequences, now.sequence_count()};
  const TrackedLines sequences_then = {then.lineage.sequences, then.sequence_count()};
  const std::optional<Index> sequence = same_line(sequences_now, quote.sequence, sequences_then);
  if (!sequence && quote.kind != QuoteKind::Token && !quote.parameter) return std::nullopt;
  followed.sequence = sequence.value_or(quote.sequence);
  bool there = quote.every_row || move_to(followed.row, row_side(quote, now), row_side(quote, then));
  if (quote.column)
    there = there && move_to(*followed.column, column_side(quote, now), column_side(quote, then));
  if (quote.kind == QuoteKind::Term)
    there = there && move_to(followed.term, term_side(quote, now), term_side(quote, then));
  return there ? std::optional(followed) : std::nullopt;
}

std::optional<ListOrder> order_then(const Quote& quote, const Model& now, const Model& then) {
  ListOrder order;
  const auto fill = [](std::vector<Index>& into, const Side& of_now, const Side& of_then) {
    auto places = places_then(of_now, of_then);
    if (places) into = std::move(*places);
    return places.has_value();
  };
  if (quote.every_row && !fill(order.rows, row_side(quote, now), row_side(quote, then))) return std::nullopt;
  if (!quote.column && !fill(order.columns, column_side(quote, now), column_side(quote, then)))
    return std::nullopt;
  return order;
}

}  // namespace headlight
