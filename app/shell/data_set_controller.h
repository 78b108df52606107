// Reads the data set of the open model, and the number of each row's target, on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"

namespace headlight {

class DataSetController {
 public:
  // `wake` is called on another thread when follow() has something to do; it must only wake the window.
  explicit DataSetController(std::function<void()> wake) : job_(std::move(wake)) {}

  // Call once before each frame, after ModelController::follow. Reads the file again when another one is
  // chosen or the model changes, and the numbers when its changes do.
  void follow(ViewState& view);
  bool idle() const { return !job_.running(); }

 private:
  // What the numbers depend on.
  struct Asked {
    std::shared_ptr<const Network> network;
    ModelChanges on;
    std::string path;
    std::optional<Metric> metric;
    bool operator==(const Asked&) const = default;
  };

  std::optional<Asked> asked_;
  std::vector<Index> off_;  // of DataSetView::rows
  NewestJob<std::shared_ptr<const ReadSet>> job_;
};

}  // namespace headlight
