// Reads the sentence of the start screen with the bundled language model, on a background thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/ui/sentence/sentence_panel.h"
#include "engine/core/newest_job.h"
#include "engine/session/session.h"

namespace headlight {

class SentenceController {
 public:
  // `wake` is called on another thread when follow() has something to do; it must only wake the window.
  explicit SentenceController(std::function<void()> wake) : job_(std::move(wake)) {}

  // Call once before each frame that shows the sentence. Requests a reading of its text by the model in
  // `folder`, which is opened for the first one, and stores results in `sentence`. Returns whether it did.
  bool follow(const std::filesystem::path& folder, SentenceState& sentence);
  bool idle() const { return !job_.running(); }
  // A session on the model with that text, which shows one of its layers. Throws Error as set_text.
  // Preconditions: a reading is there; the layer exists.
  Session session_of(const std::string& text, Index layer) const;

 private:
  struct Outcome {
    std::shared_ptr<const Network> network;  // null: it could not be opened
    std::shared_ptr<const TextReading> reading;
    std::string trouble;
  };
  static Outcome outcome_of(std::optional<NetworkPass>& pass, const std::filesystem::path& folder,
                            const std::string& text);

  std::shared_ptr<const Network> network_;
  std::optional<std::string> asked_;
  // Used by the running job alone.
  std::shared_ptr<std::optional<NetworkPass>> pass_ = std::make_shared<std::optional<NetworkPass>>();
  NewestJob<Outcome> job_;  // last: it ends before the members that it uses
};

}  // namespace headlight
