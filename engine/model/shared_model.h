// SharedModel: a model that its readers share until one of them changes it.
#pragma once

#include <memory>
#include <utility>

#include "engine/model/model.h"

namespace headlight {

class SharedModel {
 public:
  explicit SharedModel(std::shared_ptr<const Model> model = std::make_shared<const Model>())
      : model_(std::move(model)) {}

  const Model& operator*() const { return *model_; }
  const Model* operator->() const { return model_.get(); }
  operator const Model&() const { return *model_; }

  // The model to change. Copies it before the first change, since others may read it. References to the
  // shared one stay valid as long as it has other owners only.
  Model& edit() {
    if (!own_) model_ = own_ = std::make_shared<Model>(*model_);
    return *own_;
  }

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<Model> own_;  // the same model; null: it may have other owners
};

}  // namespace headlight
