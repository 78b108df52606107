// What a whole model does with one text, for a drawing of the text itself: where each token looks, and which
// tokens the model expects behind each; and what it would do if a head looked elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// Whose weights are meant: those of one head, or the mean of all heads of the layer (nullopt).
struct TextHead {
  Index layer = 0;
  std::optional<Index> head;
  bool operator==(const TextHead&) const = default;
};

// A supposition: at one token, each of the heads gives to another place what it gives to the key `from`. Its
// other weights stay, so that the row's sum stays.
struct MovedAttention {
  TextHead of;
  Index query = 0, from = 0;
  double to = 0;  // among the keys: of 3.25 key 3 gets three quarters and key 4 one; key 0 to T - 1
  bool operator==(const MovedAttention&) const = default;

  // What the key gets of the moved weight, from 0 to 1.
  double part(Index key) const;
};

struct TextReading {
  std::string text;
  std::vector<std::int32_t> ids;
  std::vector<std::string> labels;  // of the tokens: " key"
  // Whether the token belongs to the same word as the token before it: the vocabulary lacks the whole word.
  std::vector<bool> continues;
  Index layers = 0, heads = 0;
  bool causal = false;                          // whether no token attends to later ones
  std::optional<MovedAttention> supposed;       // nullopt: the model as it is
  std::vector<Matrix> weights;                  // layer * heads + head: T x T
  std::vector<std::vector<Prediction>> next;    // by position; empty if the model predicts nothing
  std::vector<std::vector<std::string>> names;  // the labels of `next`
  // The head that looks most from the last token at the token that is likeliest to follow; nullopt if
  // that token does not occur in the text. A model that repeats a name does so by such heads.
  std::optional<TextHead> leading_head;
  std::optional<Error> failure;  // the text has no tokens, or too many; everything else is then empty

  Index token_count() const { return static_cast<Index>(ids.size()); }
  // What the token at `query` gives to each token: T numbers. Preconditions: `query`, the layer and the head
  // exist.
  Eigen::RowVectorXf weights_of(Index query, const TextHead& of) const;
  // The last key that the token at `query` can attend to.
  Index last_key(Index query) const { return causal ? query : token_count() - 1; }
};

// top: how many of the likeliest tokens are returned per position. Costs a pass over the text, of which the
// tokens before the first change are reused, and layers * heads * T^2 numbers of memory. A text that the
// model does not accept is a `failure`. Throws Stopped.
TextReading read_text(NetworkPass& pass, const std::string& text, Index top);

// A row of weights, or the mean of several, with the weight moved.
Eigen::RowVectorXf moved_row(Eigen::RowVectorXf row, const MovedAttention& moved);
// The rows that are put in the place of the true ones: a patch for each head. `as_it_is`: of the text without
// a supposition. Precondition: the heads, tokens and keys exist.
std::vector<Patch> patches_of(const TextReading& as_it_is, const MovedAttention& moved);
// What the model would do: weights of the layers above and predictions follow. The leading head stays the
// true one. Costs the layers from the moved head's on, in a causal model from the query on; the pass has no
// patches before and after. Preconditions as patches_of; the reading has tokens. Throws Stopped.
TextReading read_supposing(NetworkPass& pass, const TextReading& as_it_is, const MovedAttention& moved,
                           Index top);

}  // namespace headlight
