// Named masks, starting points for custom ones. T x T; row: query, column: key; 1: may attend, 0: may not.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/layer/layer.h"

namespace headlight {

Matrix open_mask(Index token_count);
// A token attends to itself and to the tokens before it.
Matrix causal_mask(Index token_count);
// A token attends to `left` tokens before it, to itself, and to `right` tokens after it.
Matrix window_mask(Index token_count, Index left, Index right);
// Blocks of `size` tokens, the last may be shorter: a token attends to all tokens of its block.
Matrix block_mask(Index token_count, Index size);
// Prefix-LM: all tokens attend to the first `prefix` tokens; the rest is causal.
Matrix prefix_mask(Index token_count, Index prefix);
// No token attends to the tokens at the positions in `padding`, counted from 0; positions beyond the end are
// ignored. The padding tokens themselves attend, as with PyTorch's key_padding_mask.
Matrix padding_mask(Index token_count, const std::vector<Index>& padding);

enum class MaskPresetKind { Window, Block, Prefix, Padding };
inline constexpr std::array kMaskPresetKinds = {MaskPresetKind::Window, MaskPresetKind::Block,
                                                MaskPresetKind::Prefix, MaskPresetKind::Padding};

// A preset with its parameters; those that its kind does not use are ignored.
struct MaskPreset {
  MaskPresetKind kind = MaskPresetKind::Window;
  Index left = 1, right = 0;   // Window; 0 or more
  Index block = 2;             // Block; 1 or more
  Index prefix = 1;            // Prefix; 0 or more
  std::vector<Index> padding;  // Padding; sorted, counted from 0
  bool operator==(const MaskPreset&) const = default;
};

Matrix mask_of(const MaskPreset& preset, Index token_count);

// The preset that equals `mask`; none if there is none or if the mask is open or causal, which are no
// presets. If several match, the first of block, padding, prefix, window.
std::optional<MaskPreset> recognize_mask(const Matrix& mask);

// Resizes a mask to query_count x key_count; new tokens may attend and be attended to.
Matrix fitted_mask(const Matrix& mask, Index query_count, Index key_count);

// The pairs that the current mask allows, for as many sequences and heads as it distinguishes.
PairArray allowed_pairs(const Layer& layer);
// The current mask as a Tq x Tk matrix, whatever its kind; for rules that of the first sequence and head.
Matrix mask_matrix(const Layer& layer);

}  // namespace headlight
