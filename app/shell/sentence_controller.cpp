#include "app/shell/sentence_controller.h"

#include <new>
#include <utility>

#include "app/shell/model_session.h"

namespace headlight {

SentenceController::Outcome SentenceController::outcome_of(std::optional<NetworkPass>& pass,
                                                           const std::filesystem::path& folder,
                                                           const Wanted& wanted, Reading known) {
  constexpr Index kNext = 3;
  try {
    if (!pass) pass.emplace(open_text_model(folder));
    Outcome outcome{pass->network_owner(), std::move(known), nullptr, ""};
    if (!outcome.reading || outcome.reading->text != wanted.text)
      outcome.reading = std::make_shared<const TextReading>(read_text(*pass, wanted.text, kNext));
    if (wanted.supposed && !outcome.reading->failure)
      outcome.supposing = std::make_shared<const TextReading>(
          read_supposing(*pass, *outcome.reading, *wanted.supposed, kNext));
    return outcome;
  } catch (const Error& error) {
    return {nullptr, nullptr, nullptr, error.what()};
  } catch (const std::bad_alloc&) {
    return {nullptr, nullptr, nullptr, "There is not enough memory for the language model of this page"};
  }
}

bool SentenceController::follow(const std::filesystem::path& folder, SentenceState& sentence) {
  if (folder.empty()) return false;
  bool changed = false;
  if (std::optional<Outcome> outcome = job_.take()) {
    changed = true;
    sentence.trouble = std::move(outcome->trouble);
    if (outcome->network) network_ = std::move(outcome->network);
    if (outcome->reading) sentence.reading = std::move(outcome->reading);
    sentence.supposing = std::move(outcome->supposing);
  }
  Wanted wanted{sentence.text, sentence.supposed};
  if (asked_ == wanted) return changed;
  asked_ = wanted;
  job_.start([pass = pass_, folder, wanted = std::move(wanted), known = sentence.reading] {
    return outcome_of(*pass, folder, wanted, known);
  });
  return changed;
}

Session SentenceController::session_of(const TextReading& as_it_is,
                                       const std::optional<MovedAttention>& supposed, Index layer) const {
  OpenModel work;
  work.network = network_;
  set_text(work, as_it_is.text);
  if (supposed)
    for (Patch& patch : patches_of(as_it_is, *supposed))
      add_patch(work, std::move(patch));
  work.layer = layer;
  return session_of_model(std::move(work));
}

}  // namespace headlight
