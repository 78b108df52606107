// A model that is open, on a thread of its own: states and questions go in, answers come out. The window
// never waits for it.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/newest_job.h"
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/layer_difference.h"
#include "engine/interpretation/predictions.h"
#include "engine/interpretation/stage_values.h"

namespace headlight {

struct ModelQuestion {
  Index position = 0;          // the token whose predictions are asked for
  Index top = 10;              // so many of the likeliest tokens
  bool lens = false;           // also of each layer's stream
  Index picture_side = 0;      // of all heads at a glance; 0: they are not asked for
  std::optional<Index> layer;  // whose attention is asked for as a model of its own
  std::optional<Index> base;   // a layer that is asked for as it is without its own changes
  std::optional<LogitChoice> parts;
  std::optional<std::pair<Index, Index>> sources;  // of the part of this layer's head: which tokens it is of
  std::optional<PatchPlace> values;                // what stands there
  bool operator==(const ModelQuestion&) const = default;
};

struct ModelAnswer {
  ModelState state;
  ModelQuestion question;
  std::vector<Prediction> predictions;
  std::shared_ptr<const Matrix> logits;  // of that position: 1 x vocabulary
  std::vector<std::vector<Prediction>> lens;
  std::shared_ptr<const HeadsGlance> glance;
  std::shared_ptr<const Model> layer;
  std::optional<LayerBase> base;
  std::optional<Attribution> parts;
  Eigen::RowVectorXf sources;            // of the head that was asked for: T; empty: of none
  std::shared_ptr<const Matrix> values;  // of the place that was asked for
  double ms = 0;                         // that it took
  std::optional<Error> failure;          // then there is nothing of the above
};

class ModelDesk {
 public:
  // `on_answer`: called on the desk's thread when there is something to take, and when a question was left;
  // it must only wake the window.
  explicit ModelDesk(std::function<void()> on_answer) : job_(std::move(on_answer)) {}

  // The newest question counts: one that is being answered is left for it, and what it has computed stays.
  void ask(const ModelState& state, const ModelQuestion& question);
  // The answer to the newest question, once it is there.
  std::optional<ModelAnswer> take() { return job_.take(); }
  bool running() const { return job_.running(); }
  // Nothing that was asked is to be answered any more.
  void forget() { job_.forget(); }
  double progress() const { return *progress_; }  // of what is being answered: 0 to 1

 private:
  // Of the job that runs, and of nobody else; of another network there is a new one.
  std::shared_ptr<std::optional<NetworkPass>> pass_ = std::make_shared<std::optional<NetworkPass>>();
  std::shared_ptr<std::atomic<double>> progress_ = std::make_shared<std::atomic<double>>(0);
  NewestJob<ModelAnswer> job_;  // last: it ends before what it uses
};

// The same at once, on this thread. progress: told from 0 to 1. Throws Error; Stopped.
ModelAnswer answer_of(NetworkPass& pass, const ModelState& state, const ModelQuestion& question,
                      const std::function<void(double)>& progress);

}  // namespace headlight
