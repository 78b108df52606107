// What a whole model does with one text, for a drawing of the text itself: where each token looks, and which
// tokens the model expects behind each.
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

struct TextReading {
  std::string text;
  std::vector<std::int32_t> ids;
  std::vector<std::string> labels;  // of the tokens: " key"
  // Whether the token belongs to the same word as the token before it: the vocabulary lacks the whole word.
  std::vector<bool> continues;
  Index layers = 0, heads = 0;
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
};

// top: how many of the likeliest tokens are returned per position. Costs a pass over the text, of which the
// tokens before the first change are reused, and layers * heads * T^2 numbers of memory. A text that the
// model does not accept is a `failure`. Throws Stopped.
TextReading read_text(NetworkPass& pass, const std::string& text, Index top);

}  // namespace headlight
