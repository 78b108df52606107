// The dialogs of the window, one at a time: open, save, export, unsaved changes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/document/document.h"
#include "app/ui/confirm_dialog.h"
#include "app/ui/export_dialog.h"
#include "app/ui/file_browser.h"
#include "app/ui/ui_context.h"

namespace headlight {

struct DialogResult {
  enum class Kind { Opened, Saved, Exported, SaveFirst, Discarded };
  Kind kind = Kind::Opened;
  std::filesystem::path path;         // Opened, Saved
  ExportRequest picture;              // Exported
  std::optional<ActionRequest> next;  // what was held back until the changes are saved or given up
};

class Dialogs {
 public:
  // The browsers start in the folder of the open file, else in the current folder.
  void ask_open(const Document& document);
  // `next`: carried out once the session is saved.
  void ask_save(const Document& document, std::optional<ActionRequest> next);
  void ask_export(const Document& document, Stage stage, std::optional<Index> head, ThemeKind theme);
  void ask_unsaved(const Document& document, const ActionRequest& next);

  // Draws the open dialog; what it was closed with.
  std::optional<DialogResult> draw(const UiContext& ui);

 private:
  FileBrowserState browser_;
  ExportDialogState export_;
  ConfirmState confirm_;
  std::optional<ActionRequest> next_;         // of confirm_ or of saving
  std::filesystem::path last_export_folder_;  // empty: where the session is
};

}  // namespace headlight
