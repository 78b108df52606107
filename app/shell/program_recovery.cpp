// The recovered sessions that the window offers, files that others have written, and the end by a signal.
#include <utility>

#include "app/shell/program.h"
#include "app/shell/recovery_text.h"
#include "engine/core/error.h"

namespace headlight {

void Program::offer_recovered() {
  dialogs_.offer_recovered(recovery_.entries({preferences_.count_from}));
}

void Program::look_at_recovered(const std::string& name) {
  std::optional<Session> session = recovery_.load(name);
  if (!session) return;
  open_session(std::move(*session), std::nullopt);
  say("This is a copy of what was kept. It can still be recovered: “kept” in the palette (Ctrl+K)");
}

void Program::recover(const std::string& name) {
  std::optional<RecoveryController::Recovered> recovered = recovery_.recover(name);
  if (!recovered) return;
  const UnsavedSession& entry = recovered->entry;
  // A process that ended just after saving could not store the file's new stamp.
  const bool own = entry.path && entry.stamp && changed_since(*entry.path, *entry.stamp) &&
                   is_in_file(recovered->session.session, *entry.path);
  open_session(std::move(recovered->session.session), entry.path, own ? stamp_of(*entry.path) : entry.stamp,
               std::move(recovered->session.steps));
  document_.mark_changed();
  recovered_ = true;
  if (entry.path) remember_file(workbench_.memory, *entry.path);
  recovery_.adopt(name, entry.changes);
  say("Recovered: save it to keep these changes");
}

void Program::run_recovery_choice(const RecoveryChoice& choice) {
  if (choice.kind == RecoveryChoice::Kind::Discard) {
    recovery_.discard(choice.name);
    return offer_recovered();
  }
  const bool recovers = choice.kind == RecoveryChoice::Kind::Recover;
  run_action({recovers ? Action::Recover : Action::ViewRecovered, choice.name, Stage::Weights});
}

void Program::notice_focus() {
  const bool focused = window_.focused();
  if (!std::exchange(focused_, focused) && focused && !file_change_reported_ && document_.file_changed()) {
    file_change_reported_ = true;
    show_error("\"" + document_.path()->filename().string() +
               "\" was written by another window or program. Saving asks before it is replaced");
  }
}

// Handles the input that has arrived, writes everything, and ends the process by the signal.
void Program::end_by_signal(int signal) {
  constexpr std::chrono::seconds kForInput{1};
  const auto until = std::chrono::steady_clock::now() + kForInput;
  const auto more = [&] { return window_.events_pending() && std::chrono::steady_clock::now() < until; };
  for (int frame = 0; frame < 2 || more(); ++frame) {
    window_.wait_events(0);
    draw_frame();
  }
  recovery_.write_now();
  remember_window();
  ShutdownGuard::end_by(signal);
}

}  // namespace headlight
