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
  ExportRequest exported;             // Exported
  std::optional<ActionRequest> next;  // what was held back until the changes are saved or given up
};

class Dialogs {
 public:
  // The browsers start in the folder of the open file, else in the current folder.
  void ask_open(const Document& document);
  // `next`: carried out once the session is saved.
  void ask_save(const Document& document, std::optional<ActionRequest> next);
  void ask_export(const UiContext& ui, Stage stage);
  void ask_unsaved(const Document& document, const ActionRequest& next);

  // Draws the open dialog; what it was closed with.
  std::optional<DialogResult> draw(UiContext& ui);

  // The export dialog, which the program shows previews and progress, and tells how it ended.
  ExportDialogState& exporting() { return export_; }
  const ExportDialogState& exporting() const { return export_; }

 private:
  FileBrowserState browser_;
  ExportDialogState export_;
  ConfirmState confirm_;
  std::optional<ActionRequest> next_;  // of confirm_ or of saving
};

}  // namespace headlight
