// The dialogs of the window: open, arrays of a file, save, export, unsaved changes, recovery.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/document/document.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/dialogs/array_chooser.h"
#include "app/ui/dialogs/changed_dialog.h"
#include "app/ui/dialogs/confirm_dialog.h"
#include "app/ui/dialogs/export_dialog.h"
#include "app/ui/dialogs/file_browser.h"
#include "app/ui/dialogs/missing_model_dialog.h"
#include "app/ui/dialogs/recovery_dialog.h"
#include "app/ui/dialogs/report_dialog.h"

namespace headlight {

struct DialogResult {
  enum class Kind {
    Opened,
    TextChosen,
    ImageChosen,
    SetChosen,
    Saved,
    BytesSaved,
    WindowPictureChosen,
    SentenceChosen,
    Exported,
    SaveFirst,
    Discarded,
    AnswersSaved,
    SaveAnyway,
    SaveElsewhere,
    SaveAnswersFirst,
    AnswersLeft,
    RecoveryChosen,
    ProgramChosen,
    BundleChosen,
    ModelChosen,  // of a session whose model is not there
    ReportAnswered,
    ReportChosen  // where the report is saved
  };
  Kind kind = Kind::Opened;
  std::filesystem::path
      path;  // Opened, TextChosen, ImageChosen, SetChosen, Saved, BytesSaved, ..., ProgramChosen
  ExportRequest exported;  // Exported
  // The action that follows once the changes are saved or discarded; ProgramChosen: the copied program.
  std::optional<ActionRequest> next;
  RecoveryChoice kept;                        // RecoveryChosen
  std::string bytes;                          // BytesSaved, AnswersSaved
  ReportAnswer report = ReportAnswer::Close;  // ReportAnswered
};

class Dialogs {
 public:
  // File dialogs start in the folder of the open file, else in the current folder.
  void ask_open(const Document& document);
  void ask_arrays(const Document& document);
  void ask_model(const Document& document);
  // Asks for the image that a model of images reads.
  void ask_image(const Document& document);
  // Asks for the data set beside a model.
  void ask_set(const Document& document);
  // Asks for a text that a model is trained on.
  void ask_training_text(const Document& document);
  // Shows the arrays of the file and closes every other dialog. apply_at_once: as for open_array_chooser.
  void choose_arrays(const std::filesystem::path& path, bool apply_at_once = false,
                     const ArrayOptions& answers = {});
  // Whether a dialog is reading a file.
  bool reading() const { return arrays_.reading(); }
  // `next`: the action that follows once the session is saved.
  void ask_save(const Document& document, std::optional<ActionRequest> next);
  // Asks where to save these bytes, which are a file of that format. name: that it is offered, without its
  // ending.
  void ask_save_bytes(const Document& document, const std::string& title, FileFormat format,
                      const std::string& name, std::string bytes);
  // Asks where to save these bytes: the table of heads.
  void ask_save_heads(const UiContext& ui, FileFormat format, std::string bytes);
  // Asks where to save these bytes: the answers to a lesson's questions. `next`: as for ask_save.
  // Proposes the name of the `reader`; "": not known yet.
  void ask_save_answers(const Document& document, std::string bytes, const std::string& reader,
                        std::optional<ActionRequest> next);
  // Answers to a lesson of one's own are not saved as a file.
  void ask_answers(const Document& document, const ActionRequest& next);
  // Asks where to save a program that has too many numbers to be copied as text alone.
  void ask_program(const Document& document, const ActionRequest& copied);
  void ask_export(const UiContext& ui, Stage stage);
  // Asks where to save the figure on screen; it is then exported with the options that were used last.
  void ask_save_picture(const UiContext& ui, Stage stage);
  // Asks where to save the session as a page; it is then exported.
  void ask_save_page(const UiContext& ui);
  // Asks where to save the computation of the cell that is played, or would be, or of Compare the way from
  // the kept state to the present one; it is then exported.
  void ask_save_animation(const UiContext& ui);
  // Asks where to save the session as a bundle. Throws Error if a file of its model cannot be read.
  void ask_save_bundle(const UiContext& ui);
  // The session cannot be opened without its model: asks for that. why: the message.
  void ask_missing_model(const std::string& model, const std::string& why);
  // Asks where to save the report as a page or as PDF.
  void ask_save_report(const UiContext& ui);
  // Asks where to save the pixels of the large picture.
  void ask_save_window_picture(const UiContext& ui);
  // Asks where to save the figure of the start screen's sentence.
  void ask_save_sentence(const UiContext& ui);
  void ask_unsaved(const Document& document, const ActionRequest& next);
  // Another program has written the document's file. `next`: as for ask_save.
  void ask_changed(const Document& document, std::optional<ActionRequest> next);
  // The unsaved sessions of ended processes; an empty list closes the dialog.
  void offer_recovered(std::vector<RecoveryEntry> entries);

  // Another session is open: closes the dialogs that belong to the previous one.
  void follow_session();

  // Draws the open dialog. Returns its result if it was closed with one in this frame.
  std::optional<DialogResult> draw(UiContext& ui);

  // The state of the export dialog: the program writes previews, progress and the outcome to it.
  // The dialog of the report: the program opens it and stores its text.
  ReportDialogState& report() { return report_; }
  ExportDialogState& exporting() { return export_; }
  const ExportDialogState& exporting() const { return export_; }

 private:
  // What the chosen file is for; TrainingText, Image, SessionModel and Set are opened. Bytes: the table of
  // heads, for example.
  enum class Saves {
    Session,
    Bytes,
    Answers,
    Program,
    Picture,
    Page,
    Animation,
    WindowPicture,
    Sentence,
    TrainingText,
    Image,
    Bundle,
    Report,
    SessionModel,
    Set
  };

  void ask_file(FileBrowserOptions options, Saves saves = Saves::Session);
  DialogResult chosen(UiContext& ui, FileBrowserMode mode, std::filesystem::path path);
  DialogResult picture_chosen(UiContext& ui, std::filesystem::path path);

  FileBrowserState browser_;
  ExportDialogState export_;
  Saves saves_ = Saves::Session;
  ExportItem picture_;       // Saves::Picture: what is exported to the chosen path
  ExportRequest animation_;  // Saves::Animation: likewise
  ConfirmState confirm_;
  ChangedState changed_;
  MissingModelState missing_model_;
  ReportDialogState report_;
  RecoveryDialogState recovery_;
  ArrayChooserState arrays_;
  std::optional<ActionRequest> next_;        // of confirm_ or changed_
  std::optional<ActionRequest> after_save_;  // of the dialog that asks where to save the session
  std::string bytes_;                        // Saves::Bytes, Saves::Answers
  std::optional<ActionRequest> program_;     // of the dialog that asks where to save it
  std::filesystem::path last_array_folder_;  // empty: use the session's folder
};

}  // namespace headlight
