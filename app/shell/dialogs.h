// The dialogs of the window: open, arrays of a file, save, export, unsaved changes. The one that was opened
// last is drawn.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/desktop/file_portal.h"
#include "app/document/document.h"
#include "app/ui/array_dialog/array_chooser.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/dialogs/changed_dialog.h"
#include "app/ui/dialogs/confirm_dialog.h"
#include "app/ui/dialogs/file_browser.h"
#include "app/ui/dialogs/recovery_dialog.h"
#include "app/ui/export_dialog/export_dialog.h"

namespace headlight {

struct DialogResult {
  enum class Kind {
    Opened,
    Saved,
    HeadsSaved,
    Exported,
    SaveFirst,
    Discarded,
    SaveAnyway,
    SaveElsewhere,
    RecoveryChosen,
    ProgramChosen
  };
  Kind kind = Kind::Opened;
  std::filesystem::path path;  // Opened, Saved, HeadsSaved, ProgramChosen
  ExportRequest exported;      // Exported
  // What was held back until the changes are saved or given up; ProgramChosen: what is copied.
  std::optional<ActionRequest> next;
  RecoveryChoice kept;  // RecoveryChosen
};

class Dialogs {
 public:
  // Files are chosen in the desktop's own dialog from now on, where it has one; else in the window's.
  // `parent` tells the window's handle. The portal must live as long.
  void use(FilePortal& portal, std::function<std::string()> parent);
  // The dialogs for files start in the folder of the open file, else in the current folder.
  void ask_open(const Document& document);
  void ask_arrays(const Document& document);
  void ask_model(const Document& document);
  // Shows what the file holds; any other dialog gives way. apply_at_once: as open_array_chooser.
  void choose_arrays(const std::filesystem::path& path, bool apply_at_once = false,
                     const ArrayAnswers& answers = {});
  // A dialog is reading a file.
  bool reading() const { return arrays_.reading(); }
  // `next`: carried out once the session is saved.
  void ask_save(const Document& document, std::optional<ActionRequest> next);
  // Where the table of heads goes, to a file of that format.
  void ask_save_heads(const UiContext& ui, FileFormat format);
  // Where the program that `copied` asks for is saved, because it has too many numbers to be copied alone.
  void ask_program(const Document& document, const ActionRequest& copied);
  void ask_export(const UiContext& ui, Stage stage);
  void ask_unsaved(const Document& document, const ActionRequest& next);
  // Somebody else has written the document's file. `next`: as for ask_save.
  void ask_changed(const Document& document, std::optional<ActionRequest> next);
  // What others have left behind; none closes the dialog.
  void offer_recovered(std::vector<RecoveryEntry> entries);

  // Another session is open: the dialogs that were about the one before are closed.
  void follow_session();

  // Draws the open dialog; what it was closed with.
  std::optional<DialogResult> draw(UiContext& ui);

  // The export dialog, which the program shows previews and progress, and tells how it ended.
  ExportDialogState& exporting() { return export_; }
  const ExportDialogState& exporting() const { return export_; }

 private:
  void ask_file(FileBrowserOptions options);
  std::optional<DialogResult> take_portal_answer();
  DialogResult chosen(FileBrowserMode mode, std::filesystem::path path);

  FilePortal* portal_ = nullptr;  // none: the window's own browser
  std::function<std::string()> parent_;
  FileBrowserOptions asked_;  // of the portal
  FileBrowserState browser_;
  ExportDialogState export_;
  bool saves_heads_ = false;  // whether the file that is chosen is for the table of heads
  ConfirmState confirm_;
  ChangedState changed_;
  RecoveryDialogState recovery_;
  ArrayChooserState arrays_;
  std::optional<ActionRequest> next_;        // of confirm_, changed_ or of saving
  std::optional<ActionRequest> program_;     // of the dialog that asks where to save it
  std::filesystem::path last_array_folder_;  // empty: where the session is
};

}  // namespace headlight
