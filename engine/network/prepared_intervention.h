// An intervention as a pass applies it: with what it selects in the pass's text, and with the numbers that it
// takes from other texts.
#pragma once

#include <memory>

#include "engine/core/matrix.h"
#include "engine/network/intervention.h"

namespace headlight {

class PreparedIntervention {
 public:
  PreparedIntervention(std::shared_ptr<const Intervention> what, Index units)
      : what_(std::move(what)), units_(units) {}

  const Intervention& what() const { return *what_; }
  bool is_of(InterventionPlace place, Index layer) const {
    return what_->place == place && what_->layer == layer;
  }

  // Whether numbers of the intervention's texts are needed and not there.
  bool lacks_source() const { return !what_->texts.empty() && !source_; }
  // Of Mean: 1 x (units numbers). Of Resample: a row for each token of its text.
  void set_source(Matrix source) { source_ = std::make_shared<const Matrix>(std::move(source)); }
  // Takes the numbers of another one, if they are the same.
  void share_source(const PreparedIntervention& other);

  // The range in the text that follows.
  void set_range(InterventionRange range);
  const InterventionRange& range() const { return range_; }

  // Changes rows of the stage: those of tokens from `begin` on, n x (units numbers), units side by side.
  void apply(Index begin, MatrixOut rows) const;
  // The same of one unit: n x numbers.
  void apply_to_unit(Index unit, Index begin, MatrixOut rows) const;
  // From the gradient by the changed numbers to that by the numbers as they were: n x (units numbers).
  void apply_backward(Index begin, MatrixOut gradient) const;
  // The same of one unit: n x numbers.
  void apply_backward_to_unit(Index unit, Index begin, MatrixOut gradient) const;

 private:
  using Cells = Eigen::Ref<Eigen::RowVectorXf>;
  void apply_to_selected(Index nth, Index begin, MatrixOut rows) const;
  void change(Index nth, Index position, Cells cells) const;
  void project_out(Cells cells) const;

  std::shared_ptr<const Intervention> what_;
  Index units_ = 1;
  InterventionRange range_;
  std::vector<Index> selected_;  // of each unit its place in range_.units; -1: not selected
  std::shared_ptr<const Matrix> source_;
};

}  // namespace headlight
