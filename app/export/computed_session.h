// A session that has been computed, for figures and numbers of it: its stages are asked for in parts,
// wherever they are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "engine/attention/evaluator.h"

namespace headlight {

// `kept`: the state that the session is compared with; null where there is none.
using ReadStages = std::function<void(const Evaluator& evaluator, const Evaluator* kept)>;
// Calls its argument where the stages are, on another thread maybe, and returns after that. What it throws,
// or the argument, goes through.
using StagesElsewhere = std::function<void(const ReadStages&)>;

class ComputedSession {
 public:
  ComputedSession(const Evaluator& evaluator, std::string name)
      : title(std::move(name)), model_(&evaluator.model()), evaluator_(&evaluator) {}
  // is_kept: it is the state that the session is compared with. The model, with the names that its tokens
  // have now, and `elsewhere` must live as long.
  ComputedSession(const Model& model, const StagesElsewhere& elsewhere, bool is_kept, std::string name)
      : title(std::move(name)), model_(&model), elsewhere_(&elsewhere), is_kept_(is_kept) {}

  std::string title;

  const Model& model() const { return *model_; }

  // What query(evaluator) gives. It takes out one part at a time: others wait meanwhile.
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
  // From `before`, an evaluator where this is one, and else the kept state of this session.
  Tile difference_from(const ComputedSession& before, const TileRequest& request) const;

 private:
  const Model* model_;
  const Evaluator* evaluator_ = nullptr;
  const StagesElsewhere* elsewhere_ = nullptr;
  bool is_kept_ = false;
};

}  // namespace headlight
