// What a lesson's text is told from: the numbers of one state of a model.
#pragma once

#include <memory>
#include <optional>

#include "engine/attention/evaluator.h"
#include "engine/model/model.h"
#include "engine/session/text_reference.h"
#include "engine/views/query.h"

namespace headlight {

class ValueSource {
 public:
  virtual ~ValueSource() = default;
  virtual const Model& model() const = 0;
  // Null while the answer has not come. Precondition: there is such a cell or row.
  virtual std::shared_ptr<const CellTrace> cell(const CellAddress& cell) const = 0;
  virtual std::shared_ptr<const RowSummary> row(const RowRequest& row) const = 0;
  // Of a cell of `dropped`: the mean of the draws that have been played; none while there are none.
  virtual std::optional<double> drawn_mean(const CellAddress&) const { return std::nullopt; }
};

// Those of a whole pass, which must be fresh and outlive this.
class PassValues : public ValueSource {
 public:
  explicit PassValues(const Evaluator& pass) : pass_(pass) {}
  const Model& model() const override { return pass_.model(); }
  std::shared_ptr<const CellTrace> cell(const CellAddress& cell) const override {
    return std::make_shared<CellTrace>(pass_.trace(cell));
  }
  std::shared_ptr<const RowSummary> row(const RowRequest& row) const override {
    return std::make_shared<RowSummary>(pass_.row(row));
  }

 private:
  const Evaluator& pass_;
};

// The states that a text may speak of. Null: not known, as where there is no lesson to look back on.
struct ReferencedStates {
  const ValueSource* now = nullptr;
  const ValueSource* first = nullptr;   // the lesson's own numbers, with the step's settings
  const ValueSource* opened = nullptr;  // the lesson's own numbers and settings
  const ValueSource* at(ReferencedState moment) const {
    return moment == ReferencedState::Now ? now : moment == ReferencedState::First ? first : opened;
  }
};

}  // namespace headlight
