// The tensors of a checkpoint that are the weights of a model, by the names in the table of its family.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/architecture/network_config.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/network/factor.h"

namespace headlight {

struct NormWeights {  // one row each; empty: there is no such norm, or no bias
  // Of norms of queries and keys: of one head, or of all heads side by side (see HeadNorm).
  Eigen::RowVectorXf weight, bias;
  // Which the rows are copies of; null: none, as where a norm multiplies by 1.
  const Tensor *weight_tensor = nullptr, *bias_tensor = nullptr;
  bool empty() const { return weight.size() == 0; }
};

struct ExpertWeights {
  Factor gate;  // empty where gate and up alternate in `up`, column by column
  Factor up, down;
};

struct LayerWeights {
  // Norms of what attention and the MLP read; with NormPlace::After, of the sums.
  NormWeights attention_norm, mlp_norm;
  NormWeights attention_out_norm, mlp_out_norm;  // with NormPlace::Around
  NormWeights query_norm, key_norm;              // with head_norms
  Factor query, key, value, output;
  Factor gate, up, down;  // gate: only in a gated MLP; all empty in a layer with experts
  Factor router;          // d x experts
  std::vector<ExpertWeights> experts;
  std::vector<double> sinks;  // one for each head, or none
  NormWeights cross_norm;
  Factor cross_query, cross_key, cross_value, cross_output;

  Factor& of(Parameter parameter) {
    return *std::array{&query, &key, &value, &output}[static_cast<std::size_t>(parameter)];
  }
  const Factor& of(Parameter parameter) const {
    return *std::array{&query, &key, &value, &output}[static_cast<std::size_t>(parameter)];
  }
  Factor& cross_of(Parameter parameter) {
    return *std::array{&cross_query, &cross_key, &cross_value,
                       &cross_output}[static_cast<std::size_t>(parameter)];
  }
  const Factor& cross_of(Parameter parameter) const {
    return *std::array{&cross_query, &cross_key, &cross_value,
                       &cross_output}[static_cast<std::size_t>(parameter)];
  }
};

struct NetworkWeights {
  const Tensor* tokens = nullptr;       // vocabulary x E
  const Tensor* positions = nullptr;    // position rows x E, or x d; null: none are learned
  const Tensor* types = nullptr;        // token types x E
  NormWeights embedding_norm;           // E wide
  Factor embedding_projection;          // E x d
  const Tensor* class_token = nullptr;  // of images: d numbers
  Factor patches;                       // of images: numbers of a patch x d
  Matrix relative_bias;                 // buckets x heads; empty: none
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  Factor head_projection;  // after the final norm
  // Before the logits of a model that predicts masked words: a dense layer, an activation and a norm.
  Factor head_transform;
  NormWeights head_norm;
  Factor logits;                   // to the vocabulary; empty: no predictions
  std::string missing_head;        // why `logits` is empty; else ""
  std::vector<std::string> notes;  // for the user: tensors that are ignored

  std::set<std::string, std::less<>> used;           // names of the tensors
  std::vector<std::shared_ptr<const Tensor>> views;  // parts of tensors that factors are made of
};

// Throws Error if a tensor other than those for predictions is missing, has a wrong shape (the message gives
// the expected one) or an unsupported type, or if two tensors for the same parameter differ. The checkpoint
// must outlive the result.
NetworkWeights bind_weights(const Checkpoint& checkpoint, const NetworkConfig& config);

// Memory of packed weights, in bytes. kept: weights that are packed; missing: weights that are not; all:
// taken by every open model together; most: the limit of `all`.
struct KeptShare {
  double kept = 0, missing = 0, all = 0, most = 0;
};
KeptShare kept_share(const NetworkWeights& weights);
// Keeps the panels of all weights, layer by layer, as far as there is memory (see KeptPanels); passes use
// those that are there. Logits are the same within rounding. Throws Stopped; Error if a file has changed.
KeptShare keep_panels(const NetworkWeights& weights);

// A sentence about the tensors that none of these weights use, but for buffers that the library creates
// itself and heads for other tasks; "" if there are none.
std::string unused_tensors(const Checkpoint& checkpoint, const NetworkConfig& config,
                           const std::vector<const NetworkWeights*>& weights);

// The distinct tensors behind these weights: tied embeddings are one tensor. Without the tensors of experts,
// sinks, other sides and images.
std::vector<const Tensor*> tensors_of(const NetworkWeights& weights);

}  // namespace headlight
