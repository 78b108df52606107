// Autosave of the open session, the end of the process by a signal, and the unsaved sessions of ended
// processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/document.h"
#include "app/recovery/autosave_writer.h"
#include "app/recovery/recovery_files.h"
#include "app/recovery/shutdown_guard.h"
#include "app/ui/dialogs/recovery_dialog.h"
#include "engine/core/counting.h"

namespace headlight {

class RecoveryController {
 public:
  // `nothing_to_lose`: whether the document holds no change that would have to be stored. It is called on
  // each change of the document, which must outlive this object.
  RecoveryController(Document& document, std::function<bool()> nothing_to_lose);

  // `wake` is called beside the window and must only wake it. Returns the errors to show; "" if there is
  // none.
  std::string begin(const std::function<void()>& wake);
  // Call when the document's session was saved, perhaps under another name.
  void follow_saved();
  // Call when the document has another session.
  void follow_opened();
  // Once a frame: stores the session if the writer needs it. Returns the error of the writer, if there is a
  // new one.
  std::optional<std::string> update();
  // The limit for a slow disk; nothing else takes long.
  static constexpr std::chrono::seconds kPatience{60};
  // Waits until all changes are stored, at most so long; false if they are not.
  bool write_now(std::chrono::milliseconds limit = kPatience);
  // The session needs no recovery: the process ends as asked.
  void forget();
  // The signal that has asked the process to end.
  std::optional<int> signal() const;

  // The unsaved sessions of ended processes.
  bool empty() const { return recoverable_.list().empty(); }
  std::size_t count() const { return recoverable_.list().size(); }
  std::vector<RecoveryEntry> entries(Counting counting) const;
  struct Recovered {
    UnsavedSession entry;
    RecoveredSession session;
  };
  // Both return none if no session has this name. Throw Error if it cannot be read.
  std::optional<Session> load(const std::string& name) const;
  std::optional<Recovered> recover(const std::string& name) const;
  // The recovered session is open: stores it, and then removes the files that it came from.
  void adopt(const std::string& name, std::uint64_t changes);
  void discard(const std::string& name);

 private:
  std::optional<std::size_t> index_of(const std::string& name) const;
  RecoveryOrigin origin() const;

  Document& document_;
  std::function<bool()> nothing_to_lose_;
  UnsavedSessions recoverable_;
  std::unique_ptr<AutosaveWriter> autosave_;       // null if nothing can be stored
  std::unique_ptr<ShutdownGuard> shutdown_guard_;  // destroyed first: it uses the writer
};

}  // namespace headlight
