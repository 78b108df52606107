// Which tensors of a checkpoint are which weights of a model: the names that the families give them.
#pragma once

#include <array>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/network/factor.h"
#include "engine/network/network_config.h"

namespace headlight {

struct NormWeights {  // one row of numbers each; empty: there is no such norm, or no bias
  Eigen::RowVectorXf weight, bias;
  bool empty() const { return weight.size() == 0; }
};

struct LayerWeights {
  // What attention reads goes through it, and what the MLP reads; with NormPlace::After what comes out of the
  // sums.
  NormWeights attention_norm, mlp_norm;
  NormWeights attention_out_norm, mlp_out_norm;  // with NormPlace::Around
  NormWeights query_norm, key_norm;              // of a head; with head_norms
  Factor query, key, value, output;
  Factor gate, up, down;  // gate: of an MLP that is gated

  Factor& of(Parameter parameter) {
    return *std::array{&query, &key, &value, &output}[static_cast<std::size_t>(parameter)];
  }
  const Factor& of(Parameter parameter) const {
    return *std::array{&query, &key, &value, &output}[static_cast<std::size_t>(parameter)];
  }
};

struct NetworkWeights {
  const Tensor* tokens = nullptr;     // vocabulary x d
  const Tensor* positions = nullptr;  // positions x d; null: attention itself tells positions
  const Tensor* types = nullptr;      // token types x d
  NormWeights embedding_norm;         // bert's
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  // Before the logits, with a bert that predicts masked words: a layer and its norm.
  Factor head_transform;
  NormWeights head_norm;
  Factor logits;                   // d x vocabulary; empty: the checkpoint predicts no tokens
  std::string missing_head;        // why it is empty; "" where it is not
  std::vector<std::string> notes;  // for people: tensors that are left out
};

// Throws Error when a tensor is missing but for those that predict, of a wrong shape (the message tells which
// was expected) or of a type that cannot be computed with, and where two that stand for the same differ. The
// checkpoint must live as long.
NetworkWeights bind_weights(const Checkpoint& checkpoint, const NetworkConfig& config);

}  // namespace headlight
