// Runs an open model on its own thread: takes states and requests, returns answers. The window never waits
// for it.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/newest_job.h"
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/model_state.h"
#include "engine/interpretation/patch_estimate.h"
#include "engine/interpretation/predictions.h"
#include "engine/interpretation/stage_values.h"

namespace headlight {

struct ModelRequest {
  Index position = 0;               // the token whose predictions are requested
  Index top = 10;                   // how many of the likeliest tokens
  bool lens = false;                // also the logit lens
  bool losses = false;              // also how well each token is predicted; of a causal model alone
  Index picture_side = 0;           // largest side of the head pictures; 0: no overview of the heads
  std::optional<LayerPlace> layer;  // whose attention is requested as a separate Layer
  std::optional<LogitChoice> parts;
  std::optional<std::pair<LayerPlace, Index>> sources;  // layer and head whose part is split by token
  bool embeddings = false;                              // with parts: also what each embedding adds
  std::optional<PatchPlace> values;                     // the values of this place
  bool operator==(const ModelRequest&) const = default;
};

// An expert that a token took in a layer with a mixture of them, and its share in what the layer adds.
struct ExpertShare {
  Index expert = 0;
  float share = 0;
};

struct ModelResult {
  ModelState state;
  ModelRequest request;
  std::vector<Prediction> predictions;
  std::shared_ptr<const Matrix> logits;  // at that position: 1 x vocabulary
  std::vector<std::vector<Prediction>> lens;
  std::vector<TokenLoss> losses;  // of the tokens from the second one on; empty: not requested, or one token
  // With the lens, of a model with experts: those that the token at that position took, by layer, the largest
  // share first; empty for a layer without experts.
  std::vector<std::vector<ExpertShare>> experts;
  std::shared_ptr<const HeadsOverview> glance;
  std::shared_ptr<const Layer> layer;
  std::optional<Attribution> parts;
  std::optional<EmbeddingParts> embeddings;
  Eigen::RowVectorXf
      sources;  // of the requested head, by the tokens that it attends to; empty if none was requested
  std::shared_ptr<const Matrix> values;  // of the requested place
  double ms = 0;                         // computation time
  std::optional<Error> failure;          // if set, the answers above are empty
};

class ModelWorker {
 public:
  // `on_answer`: called on the worker's thread when an answer is ready and when a request was dropped; it
  // must only wake the window.
  explicit ModelWorker(std::function<void()> on_answer) : job_(std::move(on_answer)) {}

  // Only the newest request counts: one that is being answered is dropped, and what it has computed is
  // reused.
  void ask(const ModelState& state, const ModelRequest& request);
  // The answer to the newest request, once it is ready.
  std::optional<ModelResult> take();
  bool running() const { return job_.running(); }
  // Drops all requests.
  void forget();
  double progress() const { return *progress_; }  // of the current request: 0 to 1

 private:
  // Used by the running job alone; replaced when the network changes.
  std::shared_ptr<std::optional<NetworkPass>> pass_ = std::make_shared<std::optional<NetworkPass>>();
  std::shared_ptr<std::atomic<double>> progress_ = std::make_shared<std::atomic<double>>(0);
  NewestJob<ModelResult> job_;    // it ends before the members that it uses
  NewestJob<KeptShare> keeping_;  // keeps panels while there is no request
};

// Computes the answer on the calling thread. progress: called with 0 to 1. Throws Error; Stopped.
ModelResult answer_of(NetworkPass& pass, const ModelState& state, const ModelRequest& request,
                      const std::function<void(double)>& progress);

}  // namespace headlight
