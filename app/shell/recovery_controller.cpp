#include "app/shell/recovery_controller.h"

#include <algorithm>
#include <utility>

#include "app/platform/display_lost.h"
#include "app/shell/recovery_text.h"
#include "engine/core/error.h"

namespace headlight {

RecoveryController::RecoveryController(Document& document, std::function<bool()> nothing_to_lose)
    : document_(document), nothing_to_lose_(std::move(nothing_to_lose)) {}

std::string RecoveryController::begin(const std::function<void()>& wake) {
  const std::optional<std::filesystem::path> folder = recovery_folder();
  std::string message;
  if (!folder)
    message = "There is no home folder: changes are not kept for a crash (set HOME or XDG_STATE_HOME)";
  try {
    if (folder) {
      AutosaveOptions options;
      options.folder = *folder;
      options.on_trouble = wake;
      autosave_ = std::make_unique<AutosaveWriter>(std::move(options));
      follow_opened();
      document_.set_change_listener([this](Change change) {
        autosave_->note(std::move(change), nothing_to_lose_() ? 0 : document_.unsaved_steps());
      });
      recoverable_ = UnsavedSessions(*folder);
    }
    shutdown_guard_ = std::make_unique<ShutdownGuard>(wake, [this] { write_now(); });
  } catch (const Error& error) {
    message = error.what();
  }
  when_display_is_lost(&ShutdownGuard::last_words);
  for (std::size_t i = recoverable_.list().size(); i-- > 0;)
    if (is_saved_already(recoverable_, i)) recoverable_.remove(i);
  return message;
}

// An absolute path, because the next process may start in another folder.
RecoveryOrigin RecoveryController::origin() const {
  if (!document_.path()) return {};
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(*document_.path(), failed);
  return {failed ? *document_.path() : whole, document_.stamp()};
}

void RecoveryController::follow_saved() {
  if (autosave_) autosave_->follow_saved(origin());
}

void RecoveryController::follow_opened() {
  std::shared_ptr<const Session> opened = document_.take_unchanged();
  if (autosave_) autosave_->follow_opened(origin(), std::move(opened));
}

std::optional<std::string> RecoveryController::update() {
  if (!autosave_) return std::nullopt;
  if (autosave_->needs_session() && !nothing_to_lose_())
    autosave_->keep(document_.session(), document_.unsaved_steps());
  return autosave_->take_trouble();
}

bool RecoveryController::write_now(std::chrono::milliseconds limit) {
  return !autosave_ || autosave_->write_now(limit);
}

void RecoveryController::forget() {
  if (autosave_) autosave_->forget();
}

std::optional<int> RecoveryController::signal() const {
  return shutdown_guard_ ? shutdown_guard_->signal() : std::nullopt;
}

std::vector<RecoveryEntry> RecoveryController::entries(Counting counting) const {
  std::vector<RecoveryEntry> entries;
  for (std::size_t i = 0; i < count(); ++i)
    entries.push_back(describe_recovered(recoverable_, i, counting));
  return entries;
}

std::optional<std::size_t> RecoveryController::index_of(const std::string& name) const {
  const auto& list = recoverable_.list();
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const UnsavedSession& session) { return session.name == name; });
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

std::optional<Session> RecoveryController::load(const std::string& name) const {
  const std::optional<std::size_t> at = index_of(name);
  if (!at) return std::nullopt;
  return recoverable_.load(*at);
}

std::optional<RecoveryController::Recovered> RecoveryController::recover(const std::string& name) const {
  const std::optional<std::size_t> at = index_of(name);
  if (!at) return std::nullopt;
  return Recovered{recoverable_.list()[*at], recoverable_.recover(*at)};
}

void RecoveryController::adopt(const std::string& name, std::uint64_t changes) {
  if (!autosave_) return;
  autosave_->keep(document_.session(), std::max<std::uint64_t>(changes, 1));
  const std::optional<std::size_t> at = index_of(name);
  if (at && write_now()) recoverable_.remove(*at);
}

void RecoveryController::discard(const std::string& name) {
  if (const std::optional<std::size_t> at = index_of(name)) recoverable_.remove(*at);
}

}  // namespace headlight
