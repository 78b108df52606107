// A run of training in the window: plays, steps, goes back, and follows edits in between. The trained numbers
// reach the document as commands that are one undo step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "engine/worker/training_worker.h"

namespace headlight {

class LearningRun {
 public:
  // Call once a frame, before the controls are drawn: takes the newest report, sends the trained numbers, and
  // while it plays requests the next steps, up to the one that a question waits for. Ends the run when
  // another session or layer is shown, and when the whole state is replaced by one without the run's numbers.
  void follow(UiContext& ui);

  // Precondition of all: the session has a goal.
  void play(UiContext& ui);
  void pause() { playing_ = false; }
  void step(UiContext& ui);
  void seek(UiContext& ui, Index step);  // to a step that was taken

  bool playing() const { return playing_; }
  // The newest state; null before the first.
  const TrainingReport* report() const { return report_.get(); }
  // How the run trains: the session's settings, or what the window begins with.
  static TrainingSettings settings_of(const UiContext& ui);

  Index steps_per_picture = 1;

 private:
  bool ready(UiContext& ui);  // makes the worker's state that of the document
  void end();
  void take_report(UiContext& ui);
  Index next_steps() const;  // at least 1

  std::unique_ptr<TrainingWorker> worker_;
  std::shared_ptr<const TrainingReport> report_;
  std::uint64_t awaited_ = 0;   // the newest request of this run; earlier reports are of another state
  std::uint64_t layer_ = 0;     // UiContext::opened_layer() of the run
  std::uint64_t gesture_ = 0;   // of the run's commands
  std::uint64_t revision_ = 0;  // of the document, with the numbers that were last sent
  std::uint64_t replaced_ = 0;  // Document::layer_revision() of the run
  std::shared_ptr<const Goal> goal_;
  TrainingSettings settings_;
  std::vector<CellsEdit> began_, sent_;  // the trained numbers at the start, and those that were last sent
  std::optional<Index> until_;           // the step that a question waits for
  bool playing_ = false;
};

}  // namespace headlight
