#include "app/shell/sentence_controller.h"

#include <new>
#include <utility>

#include "app/shell/model_session.h"

namespace headlight {

SentenceController::Outcome SentenceController::outcome_of(std::optional<NetworkPass>& pass,
                                                           const std::filesystem::path& folder,
                                                           const std::string& text) {
  constexpr Index kNext = 3;
  try {
    if (!pass) pass.emplace(open_text_model(folder));
    auto reading = std::make_shared<const TextReading>(read_text(*pass, text, kNext));
    return {pass->network_owner(), std::move(reading), ""};
  } catch (const Error& error) {
    return {nullptr, nullptr, error.what()};
  } catch (const std::bad_alloc&) {
    return {nullptr, nullptr, "There is not enough memory for the language model of this page"};
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
  }
  if (asked_ == sentence.text) return changed;
  asked_ = sentence.text;
  job_.start([pass = pass_, folder, text = sentence.text] { return outcome_of(*pass, folder, text); });
  return changed;
}

Session SentenceController::session_of(const std::string& text, Index layer) const {
  OpenModel work;
  work.network = network_;
  set_text(work, text);
  work.layer = layer;
  return session_of_model(std::move(work));
}

}  // namespace headlight
