// The meaning of 1 (True) in a mask of 0 and 1, determined by its name and its numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/array_import/array_facts.h"

namespace headlight {

// 1: the query may attend to the key, or may not; or the numbers are added to the scores.
enum class MaskTruth { Allowed, Forbidden, Added };

struct MaskMeaning {
  std::optional<MaskTruth> truth;  // empty: the user must decide
  std::string why;  // "attention_mask: 1 is a token, 0 padding"; without truth: what is unknown
};

// Names that determine it: attention_mask and allowed mark what may be attended to, key_padding_mask what may
// not, GPT-2's attn.bias is causal. attn_mask, src_mask, tgt_mask and memory_mask never do:
// torch.nn.MultiheadAttention and scaled_dot_product_attention mean the opposite by them. Under other names a
// mask of only ones, or one that is causal in the usual sense, has one possible meaning. A mask of only zeros
// forbids nothing under any name. A mask that opens the future and hides the past is a question whatever its
// name is. of_keys: it has one number per key, and no future. floats: its numbers are
// neither bools nor whole numbers by their type, so that a framework adds them to the scores.
MaskMeaning mask_meaning(std::string_view name, const MaskFacts& facts, bool of_keys, bool floats = false);

}  // namespace headlight
