// SharedModel: a model that its readers share until one of them changes it.
#pragma once

#include <memory>
#include <utility>

#include "engine/model/model.h"

namespace headlight {

class SharedModel {
 public:
  explicit SharedModel(Model model = {}) : own_(std::make_shared<Model>(std::move(model))), model_(own_) {}
  explicit SharedModel(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  // No copies: two would change one model.
  SharedModel(SharedModel&&) = default;
  SharedModel& operator=(SharedModel&&) = default;

  const Model& operator*() const { return *model_; }
  const Model* operator->() const { return model_.get(); }
  operator const Model&() const { return *model_; }

  // The model to change. Copies a shared one before the first change, since others may read it. References to
  // that one are then of the model as it was, and valid only as long as it has other owners.
  Model& edit() {
    if (!own_) model_ = own_ = std::make_shared<Model>(*model_);
    return *own_;
  }

 private:
  std::shared_ptr<Model> own_;  // the same as model_; null: it may have other owners
  std::shared_ptr<const Model> model_;
};

}  // namespace headlight
