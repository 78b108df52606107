// The desktop's file dialog, if it has one: the file chooser of the desktop portal.
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
  std::filesystem::path folder;      // initial folder; empty: the desktop's choice
  std::string name;                  // proposed, for Save
  std::vector<std::string> endings;  // ".npz": the first filter; a second one shows all files
};

struct FileAnswer {
  enum class Kind { Chosen, Cancelled, Failed };
  Kind kind = Kind::Failed;    // Failed: the desktop could not show the dialog
  std::filesystem::path path;  // Chosen; for Save an existing file may be replaced
};

class FilePortal {
 public:
  // Calls the desktop on a separate thread, because it may be slow. `wake` is called on that thread when an
  // answer has arrived, and must only wake the window.
  explicit FilePortal(std::function<void()> wake);
  ~FilePortal();
  FilePortal(const FilePortal&) = delete;
  FilePortal& operator=(const FilePortal&) = delete;

  // Whether the desktop has a file dialog; false until it has answered.
  bool available() const;
  // Whether a dialog is open or is being opened.
  bool asking() const;
  // Opens the dialog above the window with the handle `parent`, "x11:1a0003"; "": unknown. Returns at once.
  // Precondition: available() and not asking().
  void ask(const FileRequest& requested, const std::string& parent);
  // Returns each answer once.
  std::optional<FileAnswer> take_answer();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
