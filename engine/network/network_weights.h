// The tensors of a checkpoint that are the weights of a model, by the names that each family uses.
#pragma once

#include <array>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/network/factor.h"
#include "engine/network/network_config.h"

namespace headlight {

struct NormWeights {  // one row each; empty: there is no such norm, or no bias
  Eigen::RowVectorXf weight, bias;
  const Tensor *weight_tensor = nullptr, *bias_tensor = nullptr;  // which the rows are copies of; null: none
  bool empty() const { return weight.size() == 0; }
};

struct LayerWeights {
  // Norms of what attention and the MLP read; with NormPlace::After, of the sums.
  NormWeights attention_norm, mlp_norm;
  NormWeights attention_out_norm, mlp_out_norm;  // with NormPlace::Around
  NormWeights query_norm, key_norm;              // per head; with head_norms
  Factor query, key, value, output;
  Factor gate, up, down;  // gate: only in a gated MLP

  Factor& of(Parameter parameter) {
    return *std::array{&query, &key, &value, &output}[static_cast<std::size_t>(parameter)];
  }
  const Factor& of(Parameter parameter) const {
    return *std::array{&query, &key, &value, &output}[static_cast<std::size_t>(parameter)];
  }
};

struct NetworkWeights {
  const Tensor* tokens = nullptr;     // vocabulary x d
  const Tensor* positions = nullptr;  // positions x d; null: rotary positions
  const Tensor* types = nullptr;      // token types x d
  NormWeights embedding_norm;         // bert only
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  // Before the logits of a bert that predicts masked words: a dense layer and its norm.
  Factor head_transform;
  NormWeights head_norm;
  Factor logits;                   // d x vocabulary; empty: no predictions
  std::string missing_head;        // why `logits` is empty; else ""
  std::vector<std::string> notes;  // for the user: tensors that are ignored
};

// Throws Error if a tensor other than those for predictions is missing, has a wrong shape (the message gives
// the expected one) or an unsupported type, or if two tensors for the same parameter differ. The checkpoint
// must outlive the result.
NetworkWeights bind_weights(const Checkpoint& checkpoint, const NetworkConfig& config);

// The tensors that the weights are numbers of, each once; tied embeddings are one tensor.
std::vector<const Tensor*> tensors_of(const NetworkWeights& weights);

}  // namespace headlight
