// The masks that have a name, as matrices of T x T: row: query, column: key, 1: may attend, 0: may not.
// Starting points for a mask of one's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace headlight {

Matrix open_mask(Index token_count);
// A token attends to itself and to those before it.
Matrix causal_mask(Index token_count);
// A token attends to `left` tokens before it, to itself, and to `right` tokens behind it.
Matrix window_mask(Index token_count, Index left, Index right);
// Tokens in blocks of `size`, the last one may be shorter: a token attends to all of its own block.
Matrix block_mask(Index token_count, Index size);
// Prefix-LM: the first `prefix` tokens are seen by all, the rest is causal.
Matrix prefix_mask(Index token_count, Index prefix);
// Nobody attends to the tokens at the positions of `padding`, counted from 0. Positions beyond the end are
// left out. The padding tokens themselves still attend, as with PyTorch's key_padding_mask.
Matrix padding_mask(Index token_count, const std::vector<Index>& padding);

enum class MaskPresetKind { Window, Block, Prefix, Padding };

// A preset with its numbers; those that its kind does not use keep what they were.
struct MaskPreset {
  MaskPresetKind kind = MaskPresetKind::Window;
  Index left = 1, right = 0;   // Window; 0 or more
  Index block = 2;             // Block; 1 or more
  Index prefix = 1;            // Prefix; 0 or more
  std::vector<Index> padding;  // Padding; sorted, counted from 0
  bool operator==(const MaskPreset&) const = default;
};

Matrix mask_of(const MaskPreset& preset, Index token_count);

// The preset that gives `mask`; none when there is none, and for the open and the causal mask, which are no
// presets. Where several do, the first of block, padding, prefix, window.
std::optional<MaskPreset> recognize_mask(const Matrix& mask);

// The mask, query_count x key_count: what fits stays, new tokens may attend and be attended to.
Matrix fitted_mask(const Matrix& mask, Index query_count, Index key_count);

// All pairs that the mask in use leaves open, of as many sequences and heads as it tells apart.
PairArray allowed_pairs(const Model& model);
// The mask in use as a matrix of Tq x Tk, whatever its kind; of rules those of the first sequence and head.
Matrix mask_matrix(const Model& model);

}  // namespace headlight
