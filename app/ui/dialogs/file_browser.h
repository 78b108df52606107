// A file browser inside the window, to open or save: it lists folders, but opens and writes no file.
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
  std::filesystem::path folder;        // if empty or missing: the home folder
  std::string name = {};               // proposed, for Save
  std::vector<std::string> also = {};  // further extensions that are listed, and that a name may have
};

struct FileBrowserState {
  bool open = false;
  FileBrowserOptions options;
  std::filesystem::path folder;
  FolderListing listing;
  int selected = -1;
  bool list_leads = false;  // Enter takes the selected entry, not the typed name
  bool reveal = false;      // scroll to the selected entry
  FocusRequest focus;       // of the name field, for Save
  std::string path_text, name_text;
  std::string message;
  OverwriteQuestion overwrite;
  std::string typed;  // letters typed to find an entry
  double typed_at = 0;
};

void open_file_browser(FileBrowserState& state, FileBrowserOptions options);

// Draws the dialog while it is open. Returns the path once it is chosen: for Save with the extension, and
// after confirmation if the file exists. Names: "dialog.path", "dialog.name", "dialog.up", "dialog.home",
// "dialog.entry.<name>", "dialog.ok", "dialog.cancel", "dialog.replace", "dialog.keep", "dialog.message".
std::optional<std::filesystem::path> file_browser(const UiContext& ui, FileBrowserState& state);

}  // namespace headlight
