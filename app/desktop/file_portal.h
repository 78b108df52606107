// The desktop's own dialog for a file, where the desktop has one: the file chooser of its portal.
// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.FileChooser.html
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

struct FileRequest {
  enum class Kind { Open, Save };
  Kind kind = Kind::Open;
  std::string title;
  std::filesystem::path folder;      // where the dialog begins; empty: where it likes
  std::string name;                  // proposed, for Save
  std::vector<std::string> endings;  // ".npz": what is offered first; all files can be had as well
};

struct FileAnswer {
  enum class Kind { Chosen, Cancelled, Failed };
  Kind kind = Kind::Failed;    // Failed: the desktop could not show its dialog
  std::filesystem::path path;  // Chosen; for Save a file that exists may be replaced
};

class FilePortal {
 public:
  // Talks to the desktop on a thread of its own, for a desktop may take its time. `wake` is called there when
  // an answer has come, and must only wake the window.
  explicit FilePortal(std::function<void()> wake);
  ~FilePortal();
  FilePortal(const FilePortal&) = delete;
  FilePortal& operator=(const FilePortal&) = delete;

  // The desktop has told that it has such a dialog. False until it has answered.
  bool available() const;
  // A dialog is open, or about to be.
  bool asking() const;
  // Opens the dialog above the window of this handle, "x11:1a0003"; "" when there is none to tell. Returns at
  // once. Precondition: available() and not asking().
  void ask(const FileRequest& requested, const std::string& parent);
  // Each answer once.
  std::optional<FileAnswer> take_answer();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
