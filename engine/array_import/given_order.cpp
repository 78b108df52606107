#include "engine/array_import/given_order.h"

#include <algorithm>

namespace headlight {
namespace {

struct Sizes {
  Index sequences = 1, heads = 0, tokens = 0, width = 0;  // heads 0: side by side in the width
};

Sizes sizes_of(const std::vector<Index>& shape, AxisOrder order) {
  if (shape.size() == 3 && order == AxisOrder::AsIs) return {shape[0], 0, shape[1], shape[2]};
  if (order == AxisOrder::TimeFirst) return {shape[1], 0, shape[0], shape[2]};
  const std::vector<Index> placed = ordered_shape(shape, order);
  return {placed[0], placed[1], placed[2], placed[3]};
}

bool agrees(const std::optional<Index>& known, Index size) {
  return !known || *known == size;
}

bool heads_agree(const Sizes& query, const Sizes& key, const KnownSizes& known) {
  if (query.heads > 0)
    return key.heads > 0 && query.heads % key.heads == 0 && agrees(known.heads, query.heads) &&
           agrees(known.kv_heads, key.heads) && query.width == key.width;
  return query.width % known.heads.value_or(1) == 0 && key.width % known.kv_heads.value_or(1) == 0 &&
         query.width % key.width == 0;
}

bool go_together(const std::array<Sizes, 3>& all, const KnownSizes& known) {
  const auto& [query, key, value] = all;
  return query.sequences == key.sequences && key.sequences == value.sequences && key.tokens == value.tokens &&
         key.heads == value.heads && heads_agree(query, key, known) &&
         agrees(known.sequences, query.sequences) && agrees(known.tokens, query.tokens) &&
         agrees(known.keys, key.tokens);
}

}  // namespace

std::vector<AxisOrder> possible_orders(const std::array<std::vector<Index>, 3>& shapes,
                                       const KnownSizes& known) {
  const std::size_t axes = shapes[0].size();
  std::vector<AxisOrder> orders = {AxisOrder::AsIs, AxisOrder::HeadsThird};
  if (axes == 3) orders = {AxisOrder::AsIs, AxisOrder::HeadsFirst, AxisOrder::TokensFirst};
  // A first axis of one is a batch of one: the order of the values is the same.
  if (axes == 3 && shapes[0][0] == 1 && shapes[1][0] == 1) orders = {AxisOrder::AsIs};
  std::vector<AxisOrder> possible, degenerate;
  for (const AxisOrder order : orders) {
    std::array<Sizes, 3> all;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = sizes_of(shapes[i], order);
    if (go_together(all, known)) (all[1].tokens == 1 ? degenerate : possible).push_back(order);
  }
  return possible.empty() ? degenerate : possible;
}

const char* order_words(AxisOrder order, std::size_t axes) {
  if (order == AxisOrder::HeadsThird) return "B x T x H x d_k";
  if (order == AxisOrder::HeadsFirst) return "H x T x d_k";
  if (order == AxisOrder::TokensFirst) return "T x H x d_k";
  if (order == AxisOrder::TimeFirst) return "T x B x d_out";
  return axes == 4 ? "B x H x T x d_k" : "B x T x d_out";
}

const char* order_id(AxisOrder order, std::size_t axes) {
  if (order == AxisOrder::HeadsThird) return "bthd";
  if (order == AxisOrder::HeadsFirst) return "htd";
  if (order == AxisOrder::TokensFirst) return "thd";
  if (order == AxisOrder::TimeFirst) return "tbd";
  return axes == 4 ? "bhtd" : "btd";
}

}  // namespace headlight
