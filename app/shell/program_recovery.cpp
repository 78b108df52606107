// Autosave, the end by a signal, and the recovery of sessions of ended processes.
#include <algorithm>
#include <utility>

#include "app/platform/display_lost.h"
#include "app/shell/program.h"
#include "app/shell/recovery_words.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// The limit for a slow disk; nothing else takes long.
constexpr std::chrono::seconds kPatience{60};

}  // namespace

void Program::begin_autosave() {
  const std::optional<std::filesystem::path> folder = recovery_folder();
  if (!folder)
    complain("There is no home folder: changes are not kept for a crash (set HOME or XDG_STATE_HOME)");
  try {
    if (folder) {
      KeeperOptions options;
      options.folder = *folder;
      options.on_trouble = [this] { window_.wake(); };
      keeper_ = std::make_unique<AutosaveWriter>(std::move(options));
      keeper_->follow(origin(), false);
      document_.set_watch([this](Change change) { note_change(std::move(change)); });
      kept_ = UnsavedSessions(*folder);
    }
    shutdown_guard_ = std::make_unique<ShutdownGuard>([this] { window_.wake(); },
                                                      [this] {
                                                        if (keeper_) keeper_->write_now(kPatience);
                                                      });
  } catch (const Error& error) {
    complain(error.what());
  }
  when_display_is_lost(&ShutdownGuard::last_words);
  for (std::size_t i = kept_.list().size(); i-- > 0;)
    if (is_saved_already(kept_, i)) kept_.remove(i);
  offer_recovered();
}

// An absolute path, because the next process may start in another folder.
RecoveryOrigin Program::origin() const {
  if (!document_.path()) return {};
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(*document_.path(), failed);
  return {failed ? *document_.path() : whole, document_.stamp()};
}

void Program::note_change(Change change) {
  keeper_->note(std::move(change), document_.session(), nothing_to_lose() ? 0 : document_.unsaved_steps());
}

// Also true if only a lesson's own steps changed the session. A recovered session is always the reader's own.
bool Program::nothing_to_lose() const {
  return document_.saved() || (!recovered_ && only_guided(workbench_.lesson.guide, document_));
}

void Program::look_after_keeper() {
  if (!keeper_) return;
  if (keeper_->needs_session() && !nothing_to_lose())
    keeper_->keep(document_.session(), document_.unsaved_steps());
  if (const auto trouble = keeper_->take_trouble()) complain(*trouble);
}

void Program::offer_recovered() {
  std::vector<RecoveryEntry> entries;
  for (std::size_t i = 0; i < kept_.list().size(); ++i)
    entries.push_back(describe_recovered(kept_, i, {preferences_.count_from}));
  dialogs_.offer_recovered(std::move(entries));
}

std::optional<std::size_t> Program::recovered_named(const std::string& name) const {
  for (std::size_t i = 0; i < kept_.list().size(); ++i)
    if (kept_.list()[i].name == name) return i;
  return std::nullopt;
}

void Program::look_at_recovered(const std::string& name) {
  const std::optional<std::size_t> at = recovered_named(name);
  if (!at) return;
  open_session(kept_.load(*at), std::nullopt);
  say("This is a copy of what was kept. It can still be recovered: “kept” in the palette (Ctrl+P)");
}

// The other process's recovery files are removed once this one has stored the same session.
void Program::recover(const std::string& name) {
  const std::optional<std::size_t> at = recovered_named(name);
  if (!at) return;
  const UnsavedSession kept = kept_.list()[*at];
  RecoveredSession recovered = kept_.recover(*at);
  // A process that ended just after saving could not store the file's new stamp.
  const bool own = kept.path && kept.stamp && changed_since(*kept.path, *kept.stamp) &&
                   is_in_file(recovered.session, *kept.path);
  open_session(std::move(recovered.session), kept.path, own ? stamp_of(*kept.path) : kept.stamp,
               std::move(recovered.steps));
  document_.mark_changed();
  recovered_ = true;
  if (kept.path) remember_file(workbench_.memory, *kept.path);
  keeper_->keep(document_.session(), std::max<std::uint64_t>(kept.changes, 1));
  if (keeper_->write_now(kPatience)) kept_.remove(*at);
  say("Recovered: save it to keep these changes");
}

void Program::run_recovery_choice(const RecoveryChoice& choice) {
  if (choice.kind == RecoveryChoice::Kind::Discard) return discard_recovered(choice.name);
  const bool recovers = choice.kind == RecoveryChoice::Kind::Recover;
  run_action({recovers ? Action::Recover : Action::LookAtRecovered, choice.name, Stage::Weights});
}

void Program::discard_recovered(const std::string& name) {
  if (const std::optional<std::size_t> at = recovered_named(name)) kept_.remove(*at);
  if (kept_.list().empty()) return dialogs_.offer_recovered({});
  offer_recovered();
}

void Program::notice_focus() {
  const bool focused = window_.focused();
  if (!std::exchange(focused_, focused) && focused && !changed_told_ && document_.file_changed()) {
    changed_told_ = true;
    complain("\"" + document_.path()->filename().string() +
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
  if (keeper_) keeper_->write_now(kPatience);
  remember_window();
  ShutdownGuard::end_by(signal);
}

}  // namespace headlight
