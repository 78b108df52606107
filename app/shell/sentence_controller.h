// Reads the sentence of the start screen with the bundled language model, on a background thread: what the
// model does with it, and what it would do with the weight moved that a beam is pulled with.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/ui/start/sentence_panel.h"
#include "engine/core/newest_job.h"
#include "engine/session/session.h"

namespace headlight {

class SentenceController {
 public:
  // `wake` is called on another thread when follow() has something to do; it must only wake the window.
  explicit SentenceController(std::function<void()> wake) : job_(std::move(wake)) {}

  // Call once before each frame that shows the sentence. Requests a reading of its text, and of what is
  // supposed of it, by the model in `folder`, which is opened for the first one, and stores results in
  // `sentence`. Returns whether it did.
  bool follow(const std::filesystem::path& folder, SentenceState& sentence);
  bool idle() const { return !job_.running(); }
  // A session on the model with the text of the reading, which shows one of its layers; what is supposed is a
  // change that is on. Throws Error as set_text. Preconditions: a reading is there; the layer exists.
  Session session_of(const TextReading& as_it_is, const std::optional<MovedAttention>& supposed,
                     Index layer) const;

 private:
  struct Wanted {
    std::string text;
    std::optional<MovedAttention> supposed;
    bool operator==(const Wanted&) const = default;
  };
  using Reading = std::shared_ptr<const TextReading>;
  struct Outcome {
    std::shared_ptr<const Network> network;  // null: it could not be opened
    Reading reading, supposing;              // supposing: null if nothing is supposed
    std::string trouble;
  };
  // known: of an earlier reading; it is not computed again if it is of the same text.
  static Outcome outcome_of(std::optional<NetworkPass>& pass, const std::filesystem::path& folder,
                            const Wanted& wanted, Reading known);

  std::shared_ptr<const Network> network_;
  std::optional<Wanted> asked_;
  // Used by the running job alone.
  std::shared_ptr<std::optional<NetworkPass>> pass_ = std::make_shared<std::optional<NetworkPass>>();
  NewestJob<Outcome> job_;  // last: it ends before the members that it uses
};

}  // namespace headlight
