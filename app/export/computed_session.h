// ComputedSession: access to the computed stages of a session, for exports of figures and numbers. The stages
// may be on another thread and are read in parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "engine/attention/evaluator.h"

namespace headlight {

// `kept`: the baseline, the state that the session is compared with; null if there is none.
using ReadStages = std::function<void(const Evaluator& evaluator, const Evaluator* kept)>;
// Calls its argument with the evaluators, possibly on another thread, and returns after that. Exceptions,
// also those of the argument, propagate to the caller.
using StageAccess = std::function<void(const ReadStages&)>;

class ComputedSession {
 public:
  ComputedSession(const Evaluator& evaluator, std::string name)
      : title(std::move(name)), layer_(&evaluator.layer()), evaluator_(&evaluator) {}
  // `is_kept`: this is the baseline and not the session. `layer`, which has the current token labels, and
  // `elsewhere` must outlive this object.
  ComputedSession(const Layer& layer, const StageAccess& elsewhere, bool is_kept, std::string name)
      : title(std::move(name)), layer_(&layer), elsewhere_(&elsewhere), is_kept_(is_kept) {}

  std::string title;

  const Layer& layer() const { return *layer_; }

  // Returns query(evaluator). Other users of the stages are blocked meanwhile, so a query reads only one
  // part.
  template <class Query>
  auto ask(Query query) const {
    if (evaluator_) return query(*evaluator_);
    std::optional<decltype(query(*evaluator_))> result;
    (*elsewhere_)([&](const Evaluator& evaluator, const Evaluator* kept) {
      result.emplace(query(is_kept_ ? *kept : evaluator));
    });
    return std::move(*result);
  }
  Tile tile(const TileRequest& request) const {
    return ask([&](const Evaluator& evaluator) { return evaluator.tile(request); });
  }
  // The difference from `before`, which must hold an evaluator if this object does. Otherwise `before` must
  // be the baseline of this session, which is read together with it.
  Tile difference_from(const ComputedSession& before, const TileRequest& request) const;

 private:
  const Layer* layer_;
  const Evaluator* evaluator_ = nullptr;
  const StageAccess* elsewhere_ = nullptr;
  bool is_kept_ = false;
};

}  // namespace headlight
