// Looks up the tensors of one model by name, checks their shapes, and records which were used.
#pragma once

#include <string>
#include <vector>

#include "engine/network/network_weights.h"

namespace headlight {

// Whether two tensors have the same numbers, by the first ones alone: matrices that were trained separately
// differ there already, and large ones need not be read in full.
bool same_beginning(const Tensor& a, const Tensor& b);

// All functions throw Error if a tensor is missing or has another shape than the one that is asked for.
class TensorBinder {
 public:
  // Writes to `w` which names were asked for, and the views that it makes. All must outlive this.
  TensorBinder(const Checkpoint& checkpoint, const NetworkConfig& config, NetworkWeights& w)
      : checkpoint_(checkpoint), c_(config), w_(w) {}

  bool has(const std::string& name) const { return checkpoint_.has(name); }
  std::size_t axes(const std::string& name) const { return checkpoint_.require(name).shape.size(); }
  // The first of the family's prefixes with which the checkpoint has the tensor; the first of all if there is
  // none, for the message.
  std::string prefix(const std::string& tensor) const;

  const Tensor& require(const std::string& name, const std::vector<Index>& shape) const;
  // A view of the tensor in another shape with as many numbers.
  const Tensor& reshaped(const std::string& name, const std::vector<Index>& shape,
                         const std::vector<Index>& as) const;
  std::vector<double> numbers(const std::string& name, Index count) const;
  Matrix table(const std::string& name, Index rows, Index columns) const;

  // A matrix, stored as the family stores them. bias: whether it has one.
  Factor linear(const std::string& name, Index inputs, Index outputs, bool bias) const;
  // A matrix that is stored with a row for each output, without a bias.
  Factor row_linear(const std::string& name, Index inputs, Index outputs) const;
  // `outputs` of the `all` outputs of a matrix, in groups; see Factor.
  struct Groups {
    Index first = 0, size = 0, step = 0;
  };
  Factor part(const std::string& name, Index inputs, Index all, bool bias, Groups groups,
              Index outputs) const;
  // Number `number` of the matrices in a tensor of `count` x inputs x outputs, with a bias in NAME_bias.
  Factor packed(const std::string& name, Index count, Index number, Index inputs, Index outputs) const;

  // A norm of the config's kind; empty if `name` is.
  NormWeights norm(const std::string& place, const std::string& name, Index width) const;
  // One of queries or keys with that many heads.
  NormWeights head_norm(const std::string& place, const std::string& name, Index heads) const;

 private:
  const Tensor& view(Tensor made) const;
  Eigen::RowVectorXf row_of(const Tensor& tensor) const;

  const Checkpoint& checkpoint_;
  const NetworkConfig& c_;
  NetworkWeights& w_;
};

}  // namespace headlight
