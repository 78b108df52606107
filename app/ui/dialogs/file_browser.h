// Choosing a file to open or to save to, inside the window. It reads folders; it opens and writes no file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/dialogs/file_listing.h"
#include "app/ui/widgets/dialog_frame.h"

namespace headlight {

enum class FileBrowserMode { Open, Save };

struct FileBrowserOptions {
  FileBrowserMode mode = FileBrowserMode::Open;
  std::string title = "Open a session";
  std::string extension = ".headlight";
  std::filesystem::path folder;        // empty or not there: the home folder
  std::string name = {};               // proposed, for Save
  std::vector<std::string> also = {};  // further extensions, for Open
};

struct FileBrowserState {
  bool open = false;
  FileBrowserOptions options;
  std::filesystem::path folder;
  FolderListing listing;
  int selected = -1;
  bool list_leads = false;  // Enter means the selected entry, not the name that is typed
  bool reveal = false;      // scroll to the selected entry
  FocusRequest focus;       // of the name, for Save
  std::string path_text, name_text;
  std::string message;
  OverwriteQuestion overwrite;
  std::string typed;  // ahead, to find an entry
  double typed_at = 0;
};

void open_file_browser(FileBrowserState& state, FileBrowserOptions options);

// Draws the dialog while it is open. Returns the path once it was chosen: for Save with the extension, and
// only after a file that exists may be replaced. Names: "dialog.path", "dialog.name", "dialog.up",
// "dialog.home", "dialog.entry.<name>", "dialog.ok", "dialog.cancel", "dialog.replace", "dialog.keep",
// "dialog.message".
std::optional<std::filesystem::path> file_browser(const UiContext& ui, FileBrowserState& state);

}  // namespace headlight
