// The running program: window, document, engine and workbench, and the main loop.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/document/document.h"
#include "app/platform/system_look.h"
#include "app/platform/window.h"
#include "app/report/report.h"
#include "app/settings/preferences.h"
#include "app/shell/analysis_controller.h"
#include "app/shell/automation.h"
#include "app/shell/checkpoint_controller.h"
#include "app/shell/data_set_controller.h"
#include "app/shell/dialogs.h"
#include "app/shell/export_controller.h"
#include "app/shell/file_opening.h"
#include "app/shell/frame_times.h"
#include "app/shell/frames_due.h"
#include "app/shell/model_controller.h"
#include "app/shell/recovery_controller.h"
#include "app/shell/sentence_controller.h"
#include "app/shell/training_controller.h"
#include "app/ui/main_window/workbench.h"
#include "engine/core/error.h"
#include "engine/programs/program_text.h"
#include "engine/worker/worker.h"

namespace headlight {

struct ProgramOptions {
  WindowOptions window;
  Preferences preferences;
  WindowMemory memory;
  bool writes_settings = true;  // writes both when they change
  std::optional<Look> look;     // for this run only, instead of the preferred one
  Session session;
  std::optional<std::filesystem::path> path;    // the file of the session ...
  std::optional<FileStamp> stamp;               // ... and its stamp when it was read
  std::optional<std::filesystem::path> model;   // the folder of the session's model
  std::optional<std::filesystem::path> arrays;  // a file whose arrays are shown first
  bool apply_arrays = false;                    // and applied at once
  ArrayOptions answers = {};                    // the answers given for them on the command line
  bool show_start = false;                      // shows the start screen first
  std::string message;                          // an error to show first
  std::optional<Error> unopened;                // that error, if a file could not be opened
  std::optional<OpenedFile> without_model;      // that file, if it is a session whose model is not there
  std::vector<std::filesystem::path> lesson_files;
  std::filesystem::path bundled_model;  // see app/settings/assets.h
  std::optional<std::filesystem::path> automation_folder;
  std::optional<std::filesystem::path> screenshot;  // writes the first settled frame to this file and quits
  std::chrono::steady_clock::time_point started;
};

// The message for an action that runs out of memory.
inline constexpr const char* kNoMemory =
    "There is not enough memory for that, and nothing was changed: close other programs, or "
    "take a shorter text or fewer heads";

// The message for steps of a lesson that cannot be read; "" if there are none.
std::string lesson_error_text(const std::vector<Error>& faults);

class Program {
 public:
  // Moves from `options`. Throws Error if there is no display; `options` is then unchanged.
  explicit Program(ProgramOptions& options);
  // Runs until the window is closed. Returns the exit status.
  int run();

 private:
  // Applies the look and the text size of the preferences.
  void follow_preferences();
  void use_theme(ThemeKind kind);
  void save_settings();
  void remember_window();
  void redraw();  // draws the next frames without waiting for an event
  void hold_for_answer();
  void draw_frame();
  void follow_model();
  // Shows the engine's failures, and posts the whole model if the engine could not follow an edit.
  void follow_worker();
  void run_commands(const std::vector<Command>& commands);
  void run_actions();
  void run_action(const ActionRequest& request);
  void ask_for_file(Action action);               // one that opens a dialog of files, or SaveAs
  void run_export(const ActionRequest& request);  // figures, numbers and programs: saved or copied
  void ask_engine(ViewRequest requested);
  // `uploaded`: the time at which the pictures of the last frame were passed to the driver.
  void note_timings(std::chrono::steady_clock::time_point uploaded);
  void on_edit();
  void name_window();
  bool settled() const;
  std::uint64_t revision_shown() const;
  void write_automation();
  void open_session(Session session, std::optional<std::filesystem::path> path,
                    std::optional<FileStamp> stamp = std::nullopt, std::vector<Step> steps = {});
  // Checks at intervals whether the file of an open, unchanged lesson has been written.
  void follow_lesson_file();
  void show_lesson_anew(OpenedFile opened);
  void clear_lesson_error();
  bool looks_at_lesson() const;
  // Waits for an event until the next check of the lesson's file. Returns whether nothing has happened, so
  // that no frame is needed.
  bool sleep_beside_lesson();
  std::optional<std::string> size_error_text() const;  // why the session cannot be computed, and the fix
  void open_path(const ActionRequest& request);
  // Beside the open model. Precondition: there is one.
  void open_data_set(const std::filesystem::path& path);
  // Starts to read it in the background; a result that takes long is shown before a later frame.
  void open_file(OpenRequest requested);
  void follow_opening();
  // Reads the sentence of the start screen while that is shown.
  void follow_sentence();
  // Opens the model of the start screen with its sentence.
  void open_sentence();
  void open_new_model(const std::optional<TrainingView::NewModel>& made);
  void show_opened(OpenedFile opened);
  void show_session(OpenedFile opened);
  // The session's model is not there: asks for its folder, with which the session is then opened.
  void ask_missing_model(const OpenedFile& opened);
  void open_with_model(const std::filesystem::path& model);
  void save_bundle_to(const std::filesystem::path& path);
  // The session's file, beside which its report is. Throws Error if it has none yet.
  std::filesystem::path session_of_report() const;
  // The answer of the request, or the large picture once it is drawn.
  void add_to_report(const ActionRequest& request);
  void add_drawn_picture(const std::string& png);
  void add_report_entry(const std::filesystem::path& session, const ReportEntry& entry);
  void show_report();
  void store_report_text();
  void answer_report(ReportAnswer answer);
  void save_report_to(const std::filesystem::path& path);
  void return_to_page(int left_order);
  void show_model(Session session);
  // The sentence of the start screen as a figure in light colours.
  void ask_save_sentence();
  void save_sentence_to(const std::filesystem::path& path);
  void save_to(const std::filesystem::path& path);
  // Saves to the document's own file, unless a question comes first; then runs `next`.
  void save_own(const std::optional<ActionRequest>& next);
  bool has_nothing_to_lose() const;
  void offer_recovered();
  void show_recovered();
  void look_at_recovered(const std::string& name);
  void recover(const std::string& name);
  void run_recovery_choice(const RecoveryChoice& choice);
  void notice_focus();
  [[noreturn]] void end_by_signal(int signal);
  // Copies a program to the clipboard that computes the stage with the library of the action. If it has too
  // many numbers, asks where to save them.
  void copy_program(const ActionRequest& request);
  std::vector<std::string> command_source() const;
  void copy_command(Stage stage);
  ProgramRequest program_request(Stage stage) const;
  // Saves the program with its numbers beside it, and copies one that loads them from that file.
  void save_program_to(const std::filesystem::path& path, const ActionRequest& request);
  // Runs the action at once, or asks first if it would lose changes.
  void save_answers(std::optional<ActionRequest> next);
  void take_saved_answers(const DialogResult& result);
  void confirm_unsaved(const ActionRequest& request);
  void run_discarding(const ActionRequest& request);
  void handle_dialog(const DialogResult& result);
  // Throws Error, std::bad_alloc.
  void take_dialog_result(const DialogResult& result);
  // Saves the pixels of the large picture as a later frame draws them, without the dialog.
  void follow_window_picture();
  // The context of the panels; it collects their requests in `requested`.
  UiContext context(const ViewResult* answer, ViewRequest& requested);
  // The context of a frame in which nothing is drawn, with the results that the last frame showed.
  UiContext context_between_frames();
  void export_heads(const ActionRequest& request);
  void save_result(const ActionRequest& request);  // to the clipboard, or asks where to save them
  void say(const std::string& text);
  void show_error(const std::string& text);
  void look_at(const Session& session);

  Window window_;
  ProgramOptions options_;  // its session has been moved to the document
  Document document_;
  std::unique_ptr<Worker> worker_;
  ModelController models_{[this] { window_.wake(); }};
  DataSetController data_sets_{[this] { window_.wake(); }};
  AnalysisController analyses_{[this] { window_.wake(); }};
  CheckpointController checkpoints_{[this] { window_.wake(); }};
  TrainingController training_{[this] { window_.wake(); }};
  FileOpening opening_{[this] { window_.wake(); }};
  SentenceController sentence_{[this] { window_.wake(); }};
  Theme theme_;
  Preferences preferences_, preferences_saved_;
  WindowMemory memory_saved_;
  std::unique_ptr<SystemLookWatch> system_look_;  // set while the look follows the desktop
  ViewState view_;
  WorkbenchState workbench_;
  Dialogs dialogs_;
  ExportController exports_{[this] { window_.wake(); },
                            [this](StageRead read) { return worker_->read_stages(std::move(read)); }};
  // Of context_between_frames().
  std::shared_ptr<const ViewResult> idle_answer_;
  ViewRequest idle_request_;
  Probe probe_;
  RedrawTimer redraw_timer_;  // when the next frame is due without an event
  ViewRequest requested_;
  std::vector<Command> commands_;
  std::vector<ActionRequest> actions_;
  std::optional<Automation> automation_;
  std::map<std::filesystem::path, std::size_t> lesson_pages_;  // where lessons of the program were left
  bool in_lesson_ = false;
  int chosen_decimals_ = ViewState{}.picture.decimals;  // outside lessons
  std::chrono::steady_clock::time_point lesson_looked_;
  std::optional<FileStamp> lesson_tried_;  // of a lesson's file that was read again, or could not be
  std::string lesson_error_;  // the message about one that could not be read; "" if it is readable
  std::shared_ptr<const ViewResult> answer_shown_;  // drawn by the last frame
  FrameRecord frames_;
  FramesDue frames_due_;
  bool received_input_ = false;  // in the current frame
  std::string window_title_;
  // The entry of a picture that is being drawn for the report of this session.
  struct DrawnEntry {
    std::filesystem::path session;
    ReportEntry entry;
  };
  std::optional<DrawnEntry> drawn_entry_;
  std::optional<OpenRequest> without_model_;  // of a session whose model was asked for
  struct WindowPicture {
    std::filesystem::path path;  // empty: none is wanted
    bool captured = false;       // by the frame that was drawn last
  };
  WindowPicture window_picture_;
  bool quit_ = false;
  bool focused_ = true, file_change_reported_ = false;  // that another program wrote the file
  bool recovered_ = false;                              // the session was recovered from an ended process
  // Destroyed first: its signal handling wakes the window and stores the document.
  RecoveryController recovery_{document_, [this] { return has_nothing_to_lose(); }};
};

}  // namespace headlight
