// Replacement weights of a pass as tensors, which factors are made of.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "engine/network/network_pass.h"

namespace headlight {

struct NetworkPass::OwnTensors {
  explicit OwnTensors(std::shared_ptr<const OwnWeights> own) : numbers(std::move(own)) {
    w.shape = {numbers->w.rows(), numbers->w.cols()};
    w.bytes = bytes_of(numbers->w);
    bias.shape = {numbers->bias.cols()};
    bias.bytes = bytes_of(numbers->bias);
  }
  OwnTensors(const OwnTensors&) = delete;

  static std::string_view bytes_of(const Matrix& matrix) {
    return {reinterpret_cast<const char*>(matrix.data()),
            static_cast<std::size_t>(matrix.size()) * sizeof(float)};
  }
  Factor factor() const {
    const Index outputs = numbers->w.cols();
    const Tensor* own_bias = numbers->bias.size() > 0 ? &bias : nullptr;
    return {&w, false, numbers->w.rows(), outputs, 0, outputs, outputs, own_bias};
  }

  std::shared_ptr<const OwnWeights> numbers;
  Tensor w, bias;
};

}  // namespace headlight
