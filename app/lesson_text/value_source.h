// The source of a lesson text's numbers: one state of a layer.
#pragma once

#include <memory>
#include <optional>

#include "engine/attention/evaluator.h"
#include "engine/core/counting.h"
#include "engine/layer/layer.h"
#include "engine/learning/gradients.h"
#include "engine/session/text_reference.h"
#include "engine/views/query.h"

namespace headlight {

struct LessonLanguage;

// The gradients of a state. Neither: there is no goal, or it does not fit.
struct SourceGradients {
  bool pending = false;
  const Gradients* all = nullptr;
};

class ValueSource {
 public:
  virtual ~ValueSource() = default;
  virtual const Layer& layer() const = 0;
  // Null while the result is pending. Precondition: the cell or row exists.
  virtual std::shared_ptr<const CellTrace> cell(const CellAddress& cell) const = 0;
  virtual std::shared_ptr<const RowSummary> row(const RowRequest& row) const = 0;
  virtual SourceGradients gradients() const { return {}; }
  // The mean of a cell of Stage::Dropped over the dropout draws that have been shown; none before the first.
  virtual std::optional<double> drawn_mean(const CellAddress&) const { return std::nullopt; }
};

// The numbers of a complete pass, and the gradients of a goal, which may be null. Precondition: the pass is
// up to date and outlives this, and so does the goal.
class PassValues : public ValueSource {
 public:
  explicit PassValues(const Evaluator& pass, const Goal* goal = nullptr) : pass_(pass), goal_(goal) {}
  const Layer& layer() const override { return pass_.layer(); }
  std::shared_ptr<const CellTrace> cell(const CellAddress& cell) const override {
    return std::make_shared<CellTrace>(pass_.trace(cell));
  }
  std::shared_ptr<const RowSummary> row(const RowRequest& row) const override {
    return std::make_shared<RowSummary>(pass_.row(row));
  }
  SourceGradients gradients() const override;

 private:
  const Evaluator& pass_;
  const Goal* goal_;
  mutable bool tried_ = false;                    // the gradients are computed when they are first asked for
  mutable std::unique_ptr<Gradients> gradients_;  // null: the goal does not fit
};

// The states that a text may refer to. Null: unknown, for example without a lesson.
struct ReferencedStates {
  const ValueSource* now = nullptr;
  const ValueSource* first = nullptr;        // the lesson's own numbers, with the step's settings
  const ValueSource* opened = nullptr;       // the lesson's own numbers and settings
  const Matrix* guess = nullptr;             // what the reader guessed, of the shape guess_shape()
  const LessonLanguage* language = nullptr;  // of numbers and of the words around them; null: English
  Counting counting = {};                    // of {index}
  const ValueSource* at(ReferencedState moment) const {
    return moment == ReferencedState::Now ? now : moment == ReferencedState::First ? first : opened;
  }
};

}  // namespace headlight
