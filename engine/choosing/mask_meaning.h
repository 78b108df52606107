// What 1 (True) means in a mask of 0 and 1, told from its name and its numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/choosing/array_facts.h"

namespace headlight {

enum class MaskTruth { Allowed, Forbidden };  // 1: the query may attend to the key, or may not

struct MaskMeaning {
  std::optional<MaskTruth> truth;  // none: it has to be asked
  std::string why;                 // "attention_mask: 1 is a token, 0 padding"; of none, what is not known
};

// Names that say it: attention_mask and allowed are of those that may be attended to, key_padding_mask of
// those that may not, GPT-2's attn.bias is causal. attn_mask, src_mask, tgt_mask and memory_mask never do:
// torch.nn.MultiheadAttention and scaled_dot_product_attention mean the opposite by them. Of other names a
// mask of nothing but ones or one that is causal in its usual sense can mean one thing only. One of nothing
// but zeros forbids nothing, under any name: it is added, or nobody is forbidden. What leaves the future open
// and shuts the past is asked about whatever its name is. of_keys: it has a number for each key, and no
// future.
MaskMeaning mask_meaning(std::string_view name, const MaskFacts& facts, bool of_keys);

}  // namespace headlight
