// What a layer's family sets beside its arrays: positions, scale, cap, mask. It is told from the names of the
// weights, and from the config.json that lies beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_choice.h"
#include "engine/array_import/relative_bias.h"
#include "engine/checkpoint/layer_config.h"
#include "engine/model/model.h"

namespace headlight {

struct LayerHints {                    // what is known of a layer beside its arrays
  std::optional<LayerConfig> config;   // of the model that it comes from
  std::optional<double> theta;         // chosen by somebody
  std::vector<std::string> names;      // of all arrays of the file
  bool settled = false;                // the model has the settings of such a layer already
  bool same_tokens = false;            // its tokens are those of the arrays already, with their names
  bool causal = false;                 // somebody says so
  std::optional<Index> kv_heads = {};  // chosen by somebody
  bool named_tokens = false;           // somebody gives their names
};

struct LayerSettings {
  std::string family;  // "GPT-NeoX", or the config's model_type
  bool by_config = false;
  bool heads_alone = false;        // of a model_type that is not known: nothing but its heads is constraints
  bool mask_stated = true;         // else causal and window are nobody's claim
  std::optional<Index> num_heads;  // none: nothing says so
  Position position;               // dims: by turned_share, once the width of a head is known
  double turned_share = 1;
  bool theta_stated = false;  // else position.theta is a proposal
  Scale scale;
  double softcap = 0;
  bool causal = false;
  std::optional<Index> window;  // the keys that a query sees, itself among them
  bool cross = false;           // keys and values are of other tokens
  RelativeBuckets buckets;      // of T5's bias
  std::string caution;          // why the layer may be another one all the same; "": nothing
  bool operator==(const LayerSettings&) const = default;
};

// None unless the weights of queries, keys and values are all among the choices and their names, or the
// config, belong to a family that is known: GPT-2, GPT-NeoX, Llama (and Mistral, Qwen, Gemma and others of
// its names), GPT-J, BERT, T5. A config of another d_in than the weights' is not used; a model_type that is
// not known, and norms of queries and keys among the names, are cautioned against; of what such a model's
// queries may look at nothing is constraints, and where its names are of no family either, of all but its
// heads. What is left out has the family's own default: theta 10000, of a GPT-NeoX's heads a quarter turned.
std::optional<LayerSettings> layer_settings(const std::vector<ArrayChoice>& choices, const LayerHints& hints);

// Whether the names' keys and values are made of other tokens: crossattention, EncDecAttention, encoder_attn.
bool names_cross_attention(std::string_view name);

// The settings for heads of this width: how many of their numbers are turned. Pairs are whole; a head that
// has none is not turned, with a caution.
LayerSettings with_head_width(LayerSettings settings, Index d_k);

}  // namespace headlight
