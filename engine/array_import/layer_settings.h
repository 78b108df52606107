// The settings of a layer's family beside its arrays: positions, scale, cap, mask; determined by the names of
// the weights and by the config.json next to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"
#include "engine/array_import/layer_config.h"
#include "engine/array_import/relative_bias.h"
#include "engine/layer/layer.h"

namespace headlight {

struct StatedSettings {  // as single numbers among the arrays, with their names
  struct Number {
    double value = 0;
    std::string name;
    bool operator==(const Number&) const = default;
  };
  std::optional<Number> heads, kv_heads, scale, softcap, causal, window, dropout;
};

// One sequence of a batch, without its padding.
struct SequencePart {
  Index sequence = 0;
  Index first = 0, count = 0;  // its tokens among the positions of the batch; count 0: all
  bool operator==(const SequencePart&) const = default;
};

struct LayerHints {                   // what is known of a layer besides its arrays
  std::optional<LayerConfig> config;  // of the model that the layer comes from
  std::optional<double> theta;        // chosen explicitly
  std::vector<std::string> names;     // of all arrays of the file
  bool settled = false;               // the model already has the settings of such a layer
  bool same_tokens = false;           // the model already has the arrays' tokens, with their names
  bool causal = false;                // stated explicitly
  // Of fewer or more queries than keys: the first query stands at the first key, not the last at the last.
  bool upper_left = false;
  std::optional<Index> kv_heads = {};  // chosen explicitly
  bool named_tokens = false;           // their names are given separately
  StatedSettings stated = {};
  std::optional<SequencePart> alone = {};  // placed without the other sequences
};

struct LayerSettings {
  std::string family;  // "GPT-NeoX", or the config's model_type
  bool by_config = false;
  bool only_heads_known = false;   // of an unknown model_type: nothing but the number of heads is used
  bool mask_stated = true;         // else causal and window are unknown
  std::optional<Index> num_heads;  // empty: unknown
  Position position;               // dims: from rotary_share, once the width of a head is known
  double rotary_share = 1;
  bool theta_stated = false;  // else position.theta is a proposal
  Scale scale;
  double softcap = 0;
  bool causal = false;
  // How many keys a query sees to the left, its own included; if not causal, also to the right.
  std::optional<Index> window;
  bool cross = false;       // keys and values belong to other tokens
  RelativeBuckets buckets;  // of T5's bias
  std::string caution;      // why the result may differ all the same; "": no reason
  bool operator==(const LayerSettings&) const = default;
};

// Empty unless the weights of queries, keys and values are all among the choices, and the config or their
// names belong to a known family. A config whose model is computed says everything, as for the whole model;
// one of another d_in than the weights' is ignored. Names say the family's defaults:
// GPT-2, GPT-NeoX (a quarter of each head is turned), Llama (and others with its names), BERT, T5; theta
// 10000. An unknown model_type, and norms of queries and keys among the names, add a caution; an unknown
// model_type leaves the mask open, and if the names belong to no family either, only the number of heads is
// used.
std::optional<LayerSettings> layer_settings(const std::vector<ArrayChoice>& choices, const LayerHints& hints);

// Whether the name is one of cross-attention: crossattention, EncDecAttention, encoder_attn.
bool names_cross_attention(std::string_view name);

// The settings for heads of this width: computes how many numbers of a head are turned. Only whole pairs are
// turned; a head without pairs is not turned, with a caution.
LayerSettings with_head_width(LayerSettings settings, Index d_k);

}  // namespace headlight
