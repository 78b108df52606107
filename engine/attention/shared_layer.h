// SharedLayer: a layer that its readers share until one of them changes it.
#pragma once

#include <memory>
#include <utility>

#include "engine/layer/layer.h"

namespace headlight {

class SharedLayer {
 public:
  explicit SharedLayer(Layer layer = {}) : own_(std::make_shared<Layer>(std::move(layer))), layer_(own_) {}
  explicit SharedLayer(std::shared_ptr<const Layer> layer) : layer_(std::move(layer)) {}
  // No copies: two would change one layer.
  SharedLayer(SharedLayer&&) = default;
  SharedLayer& operator=(SharedLayer&&) = default;

  const Layer& operator*() const { return *layer_; }
  const Layer* operator->() const { return layer_.get(); }
  operator const Layer&() const { return *layer_; }

  // The layer to change. Copies a shared one before the first change, since others may read it. References to
  // that one are then of the layer as it was, and valid only as long as it has other owners.
  Layer& edit() {
    if (!own_) layer_ = own_ = std::make_shared<Layer>(*layer_);
    return *own_;
  }

 private:
  std::shared_ptr<Layer> own_;  // the same as model_; null: it may have other owners
  std::shared_ptr<const Layer> layer_;
};

}  // namespace headlight
