// Follows the slider over the checkpoints of the open model's training: opens the one that is asked for on a
// thread of its own, where the newest request replaces older ones, and then measures the heads of all of
// them, one after the other, while nothing else is computed.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "app/document/document.h"
#include "app/ui/context/ui_context.h"
#include "engine/core/error.h"
#include "engine/core/newest_job.h"

namespace headlight {

class CheckpointController {
 public:
  // `wake` is called on other threads when follow() has something to do; it must only wake the window.
  explicit CheckpointController(const std::function<void()>& wake) : opening_(wake), measuring_(wake) {}

  // Call once before each frame. `free`: nothing else of the model is being computed. Returns the edit that
  // shows the checkpoint that was asked for, once it is open; to be run at once.
  std::optional<Command> follow(const Document& document, ViewState& view, bool free);
  // Whether all requests are answered and all measures computed.
  bool idle() const { return !opening_.running() && !measuring_.running() && !measures_wanted_; }

 private:
  using NetworkPointer = std::shared_ptr<const Network>;
  struct Opened {
    std::size_t at = 0;
    NetworkPointer network;
    std::optional<Error> failure;
  };
  struct Measured {
    std::size_t at = 0;
    CheckpointHeads heads;
  };

  void begin(const Document& document, CheckpointsView& view);
  // Of a training that goes on, its checkpoints as they are written.
  void follow_training(const OpenModel& work, ModelView& view);
  void take_series(const OpenModel& work, std::vector<SavedStep> steps, CheckpointsView& view);
  void follow_network(const OpenModel& work, CheckpointsView& view);
  std::optional<Command> follow_slider(const OpenModel& work, CheckpointsView& view);
  void take_opened(CheckpointsView& view);
  static std::optional<Command> shown(OpenModel work, CheckpointsView& view, const NetworkPointer& network);
  void remember(const NetworkPointer& network);
  NetworkPointer remembered(const SavedStep& step) const;
  void follow_measures(const OpenModel& work, CheckpointsView& view, bool free);
  void measure_next(const OpenModel& work, const CheckpointsView& view);

  std::uint64_t document_opening_ = 0;   // Document::opening() that the series belongs to
  std::filesystem::path training_;       // whose checkpoints were read
  Index training_saved_ = 0;             // how many it had written then
  std::uint64_t training_revision_ = 0;  // that was followed last
  bool is_of_training_ = false;          // the open model is that training's
  std::size_t begun_at_ = 0;             // the checkpoint of the folder that was opened
  std::optional<std::size_t> opening_at_;
  std::list<NetworkPointer> recent_;    // the checkpoints that were shown last, newest first
  std::optional<ModelState> measured_;  // whose text and changes the measures are of
  bool measures_wanted_ = false;        // there are checkpoints without measures
  NewestJob<Opened> opening_;
  NewestJob<Measured> measuring_;
};

}  // namespace headlight
