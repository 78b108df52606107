// Runs the analyses that the page *Questions* asks for, on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "app/export/figure_options.h"
#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"
#include "engine/network/network_pass.h"

namespace headlight {

class AnalysisController {
 public:
  // `wake` is called on another thread when follow() has something to do; it must only wake the window.
  explicit AnalysisController(std::function<void()> wake) : job_(std::move(wake)) {}

  // Call once before each frame: takes an answer, and asks what the page shows, or what it has been told to
  // compute. The window's thread does not wait.
  void follow(ViewState& view, Index shown_head);
  bool idle() const { return !job_.running(); }
  // An answer as the bytes of a file. Precondition: it did not fail.
  static std::string result_file(const AnalysisRun& answer, const FigureOptions& options, FileFormat format);
  // The map of all heads as a figure. Throws Error if it is not computed yet.
  static std::string map_bytes(const ModelView& model, const FigureOptions& options, FileFormat format);
  // "gpt2-lens", for the name of that file.
  static std::string result_name(const AnalysisRun& answer);

 private:
  // Used by the running job alone; replaced when the network changes.
  std::shared_ptr<std::optional<NetworkPass>> pass_ = std::make_shared<std::optional<NetworkPass>>();
  std::shared_ptr<std::atomic<double>> progress_ = std::make_shared<std::atomic<double>>(0);
  std::optional<AnalysisRun> asked_;                   // the newest that a job was begun for
  NewestJob<std::shared_ptr<const AnalysisRun>> job_;  // last: it ends before the members that it uses
};

}  // namespace headlight
