#include "engine/array_import/shape_constraints.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

struct Widths {
  Index in = 0, out = 0;
};
Widths widths_of(const ArrayChoice& choice) {
  const bool in_out = choice.layout == WeightLayout::InOut;
  return {choice.shape[in_out ? 0 : 1], choice.shape[in_out ? 1 : 0]};
}

[[noreturn]] void refuse_shape(const ArrayChoice& choice, const char* expected) {
  throw Error(std::string(role_name(choice.role)) + " cannot be of shape " + shape_text(choice.shape),
              choice.name, std::string("expected ") + expected);
}

void require_dimensions(const ArrayChoice& choice, std::size_t least, std::size_t most,
                        const char* expected) {
  const std::size_t count = choice.shape.size();
  const bool empty = std::find(choice.shape.begin(), choice.shape.end(), Index{0}) != choice.shape.end();
  if (count < least || count > most || empty) refuse_shape(choice, expected);
}

Index number_count(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index size : shape)
    count *= size;
  return count;
}

struct ConstraintCollector : ShapeConstraints {
  bool crossed = false;  // keys and values have separate embeddings

  void add_layout(WeightLayout constraints) {
    if (layout && *layout != constraints) one_layout = false;
    layout = constraints;
  }
  Constraint& width_of(std::size_t part) {
    return own_values && part == 2 ? value_width : shared && part > 0 ? kv_width : width;
  }
  // The widths of queries, keys and values in one array, of `lines` in all.
  void add_fused(Index lines, const ArrayChoice& choice) {
    if (choice.cut.query == 0 && lines % 3 != 0)
      throw Error("W_query, W_key and W_value in one are " + shape_text(choice.shape) +
                      ": no three of one width, and no fewer heads of keys and values",
                  choice.name, "flip the layout, give the numbers of heads, or choose another place");
    width_of(0).say(choice.cut.query > 0 ? choice.cut.query : lines / 3, choice);
    width_of(1).say(choice.cut.query > 0 ? choice.cut.key : lines / 3, choice);
  }
  void say_heads(std::size_t part, const ArrayChoice& choice) {
    if (choice.heads > 0) (shared && (part == 1 || part == 2) ? kv_heads : heads).say(choice.heads, choice);
  }
  void weight_of(std::size_t first, std::size_t last, const ArrayChoice& choice) {
    require_dimensions(choice, 2, 2, "a matrix of weights");
    const auto [in, out] = widths_of(choice);
    if (choice.role == ArrayRole::OutputWeight) {
      if (in != out && !projected) refuse_shape(choice, "as many rows as columns: d_out x d_out");
      (own_values ? concat : width).say(in, choice);
      d_out.say(out, choice);
    } else {
      if (first == 0) d_in.say(in, choice);
      if (last > 0) (crossed ? key_d_in : d_in).say(in, choice);
      if (first < last)
        add_fused(out, choice);
      else
        width_of(first).say(out, choice);
    }
    if (first == last) say_heads(first, choice);
    for (std::size_t p = first; p <= last; ++p)
      weight[p] = true;
    add_layout(choice.layout);
  }
  void bias_of(std::size_t first, std::size_t last, const ArrayChoice& choice) {
    require_dimensions(choice, 1, 2, "one row of numbers");
    const Index count = choice.shape.back();
    if (choice.shape.size() == 2 && choice.shape[0] != 1) refuse_shape(choice, "one row of numbers");
    if (first < last && choice.cut.query == 0 && count % 3 != 0)
      refuse_shape(choice, "three biases of one length");
    if (first < last)
      add_fused(count, choice);
    else
      (choice.role == ArrayRole::OutputBias ? d_out : width_of(first)).say(count, choice);
    if (first == last) say_heads(first, choice);
    for (std::size_t p = first; p <= last; ++p)
      bias[p] = true;
  }
  // A row for each token, in each sequence.
  void say_rows(const ArrayChoice& choice, bool of_keys = false) {
    const std::size_t dimensions = choice.shape.size();
    (of_keys ? key_tokens : tokens).say(choice.shape[dimensions - 2], choice);
    sequences.say(dimensions > 2 ? choice.shape[0] : 1, choice);
  }
  void given_of(std::size_t part, const ArrayChoice& choice) {
    require_dimensions(choice, 2, 4, "T x d_out, B x T x d_out or B x H x T x d_k");
    const bool by_heads = choice.shape.size() == 4;
    say_rows(choice, part > 0);
    width_of(part).say(choice.shape.back() * (by_heads ? choice.shape[1] : 1), choice);
    if (by_heads) (shared && part > 0 ? kv_heads : heads).say(choice.shape[1], choice);
    given[part] = true;
  }
  void attention_of(const ArrayChoice& choice) {
    require_dimensions(choice, 2, 4, "Tq x Tk, H x Tq x Tk or B x H x Tq x Tk");
    const std::size_t dimensions = choice.shape.size();
    tokens.say(choice.shape[dimensions - 2], choice);
    key_tokens.say(choice.shape[dimensions - 1], choice);
    heads.say(dimensions > 2 ? choice.shape[dimensions - 3] : 1, choice);
    sequences.say(dimensions > 3 ? choice.shape[0] : 1, choice);
    (choice.role == ArrayRole::Scores ? scores : attention) = &choice;
  }
  // Of a weight or a bias.
  void collect_parameter(const ArrayChoice& choice) {
    const auto place = [&](ArrayRole first) {
      return static_cast<std::size_t>(choice.role) - static_cast<std::size_t>(first);
    };
    if (is_fused(choice.role))
      is_weight(choice.role) ? weight_of(0, 2, choice) : bias_of(0, 2, choice);
    else if (is_weight(choice.role))
      weight_of(place(ArrayRole::QueryWeight), place(ArrayRole::QueryWeight), choice);
    else
      bias_of(place(ArrayRole::QueryBias), place(ArrayRole::QueryBias), choice);
  }
  void embeddings_of(const ArrayChoice& choice) {
    require_dimensions(choice, 2, 3, "T x d_in or B x T x d_in");
    d_in.say(choice.shape.back(), choice);
    say_rows(choice);
    embeddings = &choice;
  }
  void key_embeddings_of(const ArrayChoice& choice) {
    require_dimensions(choice, 2, 3, "Tk x their width or B x Tk x their width");
    key_d_in.say(choice.shape.back(), choice);
    say_rows(choice, true);
    key_embeddings = &choice;
  }
  void relative_bias_of(const ArrayChoice& choice) {
    require_dimensions(choice, 2, 2, "buckets x heads");
    if (choice.shape[0] < 4) refuse_shape(choice, "at least 4 buckets: buckets x heads");
    heads.say(choice.shape[1], choice);
    relative_bias = &choice;
  }
  // expected: the shapes that it may have, in words.
  static void pairs_of(const ArrayChoice*& place, const ArrayChoice& choice, const char* expected) {
    require_dimensions(choice, 1, 4, expected);
    place = &choice;
  }
  void collect_constraints(const ArrayChoice& choice) {
    switch (choice.role) {
      case ArrayRole::Embeddings:
        return embeddings_of(choice);
      case ArrayRole::KeyEmbeddings:
        return key_embeddings_of(choice);
      case ArrayRole::Mask:
        return pairs_of(mask, choice, "T x T, or a number for each key");
      case ArrayRole::RelativeBias:
        return relative_bias_of(choice);
      case ArrayRole::Tokens:
        require_dimensions(choice, 1, 1, "the bytes of their text");
        labels = true;
        return;
      case ArrayRole::Queries:
      case ArrayRole::Keys:
      case ArrayRole::Values:
        return given_of(static_cast<std::size_t>(choice.role) - static_cast<std::size_t>(ArrayRole::Queries),
                        choice);
      case ArrayRole::AttentionWeights:
      case ArrayRole::Scores:
        return attention_of(choice);
      case ArrayRole::KeyMask:
        return pairs_of(key_mask, choice, "a number for each key: T, B x T or B x 1 x 1 x T");
      case ArrayRole::ScoreBias:
        return pairs_of(score_bias, choice, "Tq x Tk, or a number for each key");
      case ArrayRole::Sinks:
      case ArrayRole::Slopes:
      case ArrayRole::HeadMask:
        heads.say(number_count(choice.shape), choice);
        return;
      case ArrayRole::Lengths:
      case ArrayRole::Segments:
      case ArrayRole::Positions:
      case ArrayRole::Boundaries:
        require_dimensions(choice, 1, 2, "a number for each token, or for each sequence");
        texts.push_back(&choice);
        return;
      case ArrayRole::LearnedKey:
        learned_key = &choice;
        return;
      case ArrayRole::LearnedValue:
        learned_value = &choice;
        return;
      case ArrayRole::QueryWeight:
      case ArrayRole::KeyWeight:
      case ArrayRole::ValueWeight:
      case ArrayRole::OutputWeight:
      case ArrayRole::FusedWeight:
      case ArrayRole::FusedHeadsWeight:
      case ArrayRole::QueryBias:
      case ArrayRole::KeyBias:
      case ArrayRole::ValueBias:
      case ArrayRole::OutputBias:
      case ArrayRole::FusedBias:
      case ArrayRole::FusedHeadsBias:
        return collect_parameter(choice);
    }
  }
};

// The width of its rows; empty for another role or shape.
std::optional<Index> width_in(const ArrayChoice& choice, ArrayRole weight, ArrayRole given) {
  const std::size_t dimensions = choice.shape.size();
  if (choice.role == weight && dimensions == 2) return widths_of(choice).out;
  if (choice.role == given && (dimensions == 2 || dimensions == 3)) return choice.shape.back();
  if (choice.role == given && dimensions == 4) return choice.shape.back() * choice.shape[1];
  return std::nullopt;
}

// What the widths of queries, keys and values imply together: heads share keys and values that are narrower
// than the queries, both alike, by a whole factor; values may have another width if queries and keys have the
// same. Arrays with an axis of heads imply both at once.
void collect_widths(const std::vector<ArrayChoice>& choices, ShapeConstraints& constraints) {
  std::array<std::optional<Index>, 3> widths, heads;
  for (const ArrayChoice& choice : choices)
    for (std::size_t p = 0; p < widths.size(); ++p) {
      const auto of = [p](ArrayRole first) {
        return static_cast<ArrayRole>(static_cast<std::size_t>(first) + p);
      };
      const auto width = width_in(choice, of(ArrayRole::QueryWeight), of(ArrayRole::Queries));
      if (width) widths[p] = width;
      if (width && choice.shape.size() == 4) heads[p] = choice.shape[1];
      if (width && choice.heads > 0) heads[p] = choice.heads;
      if (is_fused(choice.role) && choice.cut.query > 0)
        widths[p] = p == 0 ? choice.cut.query : choice.cut.key;
    }
  const auto [query, key, value] = widths;
  if (!query || !key || !value || *key < 1) return;
  const bool by_heads = heads[0] && heads[1] && heads[1] == heads[2] && *heads[1] > 0;
  const bool narrower = *key < *query && *query % *key == 0;
  constraints.shared = narrower && (*key == *value || (by_heads && *heads[0] > *heads[1]));
  constraints.own_values = *key != *value && (constraints.shared || *query == *key);
}

// MultiheadAttention has kdim and vdim; this model computes keys and values from one input.
void refuse_two_inputs(const std::vector<ArrayChoice>& choices) {
  const ArrayChoice *key = nullptr, *value = nullptr;
  for (const ArrayChoice& choice : choices) {
    if (choice.role == ArrayRole::KeyWeight && choice.shape.size() == 2) key = &choice;
    if (choice.role == ArrayRole::ValueWeight && choice.shape.size() == 2) value = &choice;
  }
  if (!key || !value) return;
  const Index key_in = widths_of(*key).in, value_in = widths_of(*value).in;
  if (key_in == value_in) return;
  throw Error("W_value has d_in " + std::to_string(value_in) + ", but W_key (" + key->name + ") has " +
                  std::to_string(key_in) +
                  ": keys and values are made of one input here, not of two (kdim, vdim)",
              value->name, "flip a layout, or save the queries, keys and values themselves");
}

bool any_of_roles(const std::vector<ArrayChoice>& choices, std::initializer_list<ArrayRole> roles) {
  return std::any_of(choices.begin(), choices.end(), [&](const ArrayChoice& choice) {
    return std::find(roles.begin(), roles.end(), choice.role) != roles.end();
  });
}

}  // namespace

void Constraint::say(Index constraints, const ArrayChoice& choice) {
  const std::string who = role_name(choice.role);
  if (number && *number != constraints)
    throw Error(who + " has " + quantity + " " + std::to_string(constraints) + ", but " + by + " has " +
                    std::to_string(*number),
                choice.name,
                is_weight(choice.role)
                    ? "flip a layout, or leave one of the two out"
                    : "leave one of the two out, or give arrays whose widths and heads go together");
  if (!number) {
    number = constraints;
    by = who + " (" + choice.name + ")";
  }
}

ShapeConstraints collect_constraints(const std::vector<ArrayChoice>& choices) {
  ConstraintCollector listener;
  collect_widths(choices, listener);
  listener.projected =
      any_of_roles(choices, {ArrayRole::QueryWeight, ArrayRole::FusedWeight, ArrayRole::FusedHeadsWeight});
  listener.crossed = any_of_roles(choices, {ArrayRole::KeyEmbeddings});
  refuse_two_inputs(choices);
  for (const ArrayChoice& choice : choices)
    listener.collect_constraints(choice);
  return std::move(static_cast<ShapeConstraints&>(listener));
}

}  // namespace headlight
