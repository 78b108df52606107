#include "engine/network/tensor_binder.h"

#include "engine/architecture/config_fields.h"

namespace headlight {

bool same_beginning(const Tensor& a, const Tensor& b) {
  constexpr std::size_t kLooked = 1 << 20;
  return a.type == b.type && a.bytes.substr(0, kLooked) == b.bytes.substr(0, kLooked);
}

std::string TensorBinder::prefix(const std::string& tensor) const {
  for (const std::string& prefix : c_.tensors.prefixes)
    if (has(prefix + tensor)) return prefix;
  return c_.tensors.prefixes.front();
}

const Tensor& TensorBinder::require(const std::string& name, const std::vector<Index>& shape) const {
  w_.used.insert(name);
  return checkpoint_.require(name, shape);
}

const Tensor& TensorBinder::view(Tensor made) const {
  return *w_.views.emplace_back(std::make_shared<const Tensor>(std::move(made)));
}

const Tensor& TensorBinder::reshaped(const std::string& name, const std::vector<Index>& shape,
                                     const std::vector<Index>& as) const {
  Tensor made = require(name, shape);
  made.shape = as;
  return view(std::move(made));
}

std::vector<double> TensorBinder::numbers(const std::string& name, Index count) const {
  const Eigen::RowVectorXf row = row_of(require(name, {count}));
  return {row.begin(), row.end()};
}

Matrix TensorBinder::table(const std::string& name, Index rows, Index columns) const {
  const Tensor& tensor = require(name, {rows, columns});
  Matrix numbers(rows, columns);
  read_numbers(tensor, 0, numbers.size(), numbers.data());
  return numbers;
}

Factor TensorBinder::linear(const std::string& name, Index inputs, Index outputs, bool bias) const {
  return part(name, inputs, outputs, bias, {0, outputs, outputs}, outputs);
}

Factor TensorBinder::row_linear(const std::string& name, Index inputs, Index outputs) const {
  return {&require(name + ".weight", {outputs, inputs}), true, inputs, outputs, 0, outputs, outputs};
}

Factor TensorBinder::part(const std::string& name, Index inputs, Index all, bool bias, Groups groups,
                          Index outputs) const {
  const bool columns = c_.tensors.columns;
  const std::vector<Index> shape = columns ? std::vector{inputs, all} : std::vector{all, inputs};
  Factor w{
      &require(name + ".weight", shape), !columns, inputs, outputs, groups.first, groups.size, groups.step};
  if (bias) w.bias = &require(name + ".bias", {all});
  return w;
}

Factor TensorBinder::packed(const std::string& name, Index count, Index number, Index inputs,
                            Index outputs) const {
  const auto slice = [&](const Tensor& tensor, std::vector<Index> shape) -> const Tensor& {
    const std::size_t size = tensor.bytes.size() / static_cast<std::size_t>(count);
    Tensor made = tensor;
    made.shape = std::move(shape);
    made.bytes = tensor.bytes.substr(static_cast<std::size_t>(number) * size, size);
    return view(std::move(made));
  };
  return {&slice(require(name, {count, inputs, outputs}), {inputs, outputs}),
          false,
          inputs,
          outputs,
          0,
          outputs,
          outputs,
          &slice(require(name + "_bias", {count, outputs}), {outputs})};
}

Eigen::RowVectorXf TensorBinder::row_of(const Tensor& tensor) const {
  Eigen::RowVectorXf numbers(tensor.rows() * tensor.columns());
  read_numbers(tensor, 0, numbers.size(), numbers.data());
  return numbers;
}

NormWeights TensorBinder::norm(const std::string& place, const std::string& name, Index width) const {
  NormWeights norm;
  if (name.empty()) return norm;
  if (!c_.norm_weights) {
    norm.weight = Eigen::RowVectorXf::Ones(width);
    return norm;
  }
  const std::string whole = place + name;
  const bool old = has(whole + ".gamma");  // names in the first bert files
  norm.weight_tensor = &require(whole + (old ? ".gamma" : ".weight"), {width});
  norm.weight = row_of(*norm.weight_tensor);
  if (c_.norm != NormKind::Layer || !c_.norm_bias) return norm;
  norm.bias_tensor = &require(whole + (old ? ".beta" : ".bias"), {width});
  norm.bias = row_of(*norm.bias_tensor);
  return norm;
}

NormWeights TensorBinder::head_norm(const std::string& place, const std::string& name, Index heads) const {
  NormWeights norm;
  if (c_.head_norms == HeadNorm::None) return norm;
  if (c_.head_norms == HeadNorm::EachHead) {
    norm.weight.resize(heads * c_.head_width);
    const bool apart = name.find('#') != std::string::npos;
    if (!apart) norm.weight = row_of(require(place + name + ".weight", {heads, c_.head_width}));
    for (Index head = 0; apart && head < heads; ++head)
      norm.weight.segment(head * c_.head_width, c_.head_width) =
          row_of(require(place + numbered(name, head) + ".weight", {c_.head_width}));
    return norm;
  }
  const Index width = c_.head_norms == HeadNorm::Whole ? heads * c_.head_width : c_.head_width;
  norm.weight_tensor = &require(place + name + ".weight", {width});
  norm.weight = row_of(*norm.weight_tensor);
  if (!c_.head_norm_bias) return norm;
  norm.bias_tensor = &require(place + name + ".bias", {width});
  norm.bias = row_of(*norm.bias_tensor);
  return norm;
}

}  // namespace headlight
