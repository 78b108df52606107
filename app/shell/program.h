// The running program: window, document, engine and workbench, and the loop that joins them.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/desktop/file_portal.h"
#include "app/desktop/system_look.h"
#include "app/document/document.h"
#include "app/platform/picture_clipboard.h"
#include "app/platform/window.h"
#include "app/recovery/autosave_writer.h"
#include "app/recovery/shutdown_guard.h"
#include "app/settings/preferences.h"
#include "app/shell/automation.h"
#include "app/shell/dialogs.h"
#include "app/shell/export_jobs.h"
#include "app/shell/file_opening.h"
#include "app/shell/frame_times.h"
#include "app/shell/model_controller.h"
#include "app/ui/main_window/workbench.h"
#include "engine/core/error.h"
#include "engine/programs/program_text.h"
#include "engine/worker/worker.h"

namespace headlight {

struct ProgramOptions {
  WindowOptions window;
  Preferences preferences;
  WindowMemory memory;
  bool keeps_settings = true;  // writes both when they change
  std::optional<Look> look;    // for this time only, in place of the preferred one
  Session session;
  std::optional<std::filesystem::path> path;    // where the session came from ...
  std::optional<FileStamp> stamp;               // ... and what that file was when it was read
  std::optional<std::filesystem::path> model;   // the folder that the session is of
  std::optional<std::filesystem::path> arrays;  // a file whose arrays are shown first
  bool apply_arrays = false;                    // and brought in at once
  ArrayAnswers answers = {};                    // what is said of them
  bool show_start = false;                      // the start screen in place of the session, at first
  std::string message;                          // an error to show first: the file that could not be opened
  std::optional<Error> unopened;                // the same, where that is what is wrong
  std::vector<std::filesystem::path> lesson_files;
  std::optional<std::filesystem::path> automation_folder;
  std::optional<std::filesystem::path> screenshot;  // write the first settled frame there and quit
  std::chrono::steady_clock::time_point started;
};

// What the window says where an action has not enough memory.
inline constexpr const char* kNoMemory = "There is not enough memory for that: nothing was changed";

// What the window says of the steps of a lesson that cannot be read; "" of none.
std::string lesson_complaint(const std::vector<Error>& faults);

class Program {
 public:
  // Takes what the options hold. Throws Error when there is no display; they are then as they were.
  explicit Program(ProgramOptions& options);
  // Until the window is closed. Returns the exit status.
  int run();

 private:
  // The look and the size of text as the preferences now have them.
  void follow_preferences();
  void use_theme(ThemeKind kind);
  void keep_settings();
  void remember_window();
  void redraw();  // the next frames without waiting for an event
  void hold_for_answer();
  void draw_frame();
  void follow_model();
  // Says what has failed in the engine, and gives it the whole model where it could not follow.
  void follow_worker();
  void run_commands();
  void run_actions();
  void run_action(const ActionRequest& request);
  void ask_engine(ViewRequest requested);
  // `uploaded`: when the pictures of the last frame were handed to the driver.
  void note_timings(std::chrono::steady_clock::time_point uploaded);
  void note_edit();
  void name_window();
  bool settled() const;
  std::uint64_t revision_shown() const;
  void write_automation();
  void open_session(Session session, std::optional<std::filesystem::path> path,
                    std::optional<FileStamp> stamp = std::nullopt, std::vector<Step> steps = {});
  // Looks now and then whether the file of a lesson in which nothing was changed has been written.
  void follow_lesson_file();
  void show_lesson_anew(OpenedFile opened);
  void end_lesson_trouble();
  bool looks_at_lesson() const;
  // Waits for an event until the next look. True: nothing has happened, and no frame is needed.
  bool sleep_beside_lesson();
  std::optional<std::string> size_complaint() const;  // why the session cannot be computed, and what mends it
  void open_path(const ActionRequest& request);
  // Begins to open it beside the window; what is not there at once is taken in front of a later frame.
  void open_file(OpenRequest requested);
  void follow_opening();
  void show_opened(OpenedFile opened);
  void show_session(OpenedFile opened);
  void show_model(Session session);
  void save_to(const std::filesystem::path& path);
  // To the document's own file, unless that asks for an answer first; then carries out `next`.
  void save_own(const std::optional<ActionRequest>& next);
  void begin_autosave();
  RecoveryOrigin origin() const;
  void note_change(Change change);
  bool nothing_to_lose() const;
  void look_after_keeper();
  void offer_recovered();
  void show_recovered();
  std::optional<std::size_t> recovered_named(const std::string& name) const;
  void look_at_recovered(const std::string& name);
  void recover(const std::string& name);
  void run_recovery_choice(const RecoveryChoice& choice);
  void discard_recovered(const std::string& name);
  void notice_focus();
  [[noreturn]] void end_by_signal(int signal);
  // Puts a program on the clipboard that computes the stage with this library.
  // Too many numbers for that: it asks where to save them.
  void copy_program(const ActionRequest& request);
  ProgramRequest program_request(Stage stage) const;
  // Saves the program with its numbers beside it, and copies one that loads them from there.
  void save_program_to(const std::filesystem::path& path, const ActionRequest& request);
  // Runs the action at once, or asks first when it would lose changes.
  void unless_unsaved(const ActionRequest& request);
  void carry_out_losing(const ActionRequest& request);
  void handle_dialog(const DialogResult& result);
  // What panels are given; collects into `requested`.
  UiContext context(const ViewResult* answer, ViewRequest& requested);
  void ask_export(Stage stage);
  void copy_stage(const ActionRequest& request);
  // The table of heads that is on screen, as the bytes of a file. Throws Error while it is not complete.
  std::string head_bytes_shown(FileFormat format);
  void pass_on_heads(const ActionRequest& request);  // to the clipboard, or asks where to save it
  void save_heads(const std::filesystem::path& path);
  void start_export(ExportRequest request);
  // Before and after the dialogs of a frame: previews and progress in, requests out.
  void show_export();
  void follow_export();
  void take_export_outcome();
  ExportSource export_source();
  bool exports_shown() const;  // nothing is being exported, and the newest preview is drawn
  void say(const std::string& text);
  void complain(const std::string& text);
  void look_at(const Session& session);

  Window window_;
  ProgramOptions options_;  // the session has gone into the document
  Document document_;
  std::unique_ptr<Worker> worker_;
  ModelController models_{[this] { window_.wake(); }};
  FileOpening opening_{[this] { window_.wake(); }};
  Theme theme_;
  Preferences preferences_, preferences_saved_;
  WindowMemory memory_saved_;
  std::unique_ptr<FilePortal> file_portal_;       // not where tests drive the window
  std::unique_ptr<SystemLookWatch> system_look_;  // while the look follows the desktop
  ViewState view_;
  WorkbenchState workbench_;
  Dialogs dialogs_;
  PictureClipboard picture_clipboard_;
  ExportSource export_source_;
  std::string head_bytes_;  // of the table of heads, until it is known where they go
  ExportJobs exports_{[this] { window_.wake(); },
                      [this](StageRead read) { return worker_->read_stages(std::move(read)); }};
  Probe probe_;
  RedrawTimer redraw_timer_;  // when the next frame is due though nothing happens
  ViewRequest requested_;
  std::vector<Command> commands_;
  std::vector<ActionRequest> actions_;
  std::optional<Automation> automation_;
  std::optional<std::chrono::steady_clock::time_point> edited_at_;
  std::chrono::steady_clock::time_point last_frame_, lesson_looked_;
  std::optional<FileStamp> lesson_tried_;  // of a lesson's file that was read anew, or could not be
  std::string lesson_trouble_;             // what was said of one that could not be; "" once it is whole
  std::uint64_t edited_revision_ = 0;
  std::uint64_t frame_count_ = 0, revisions_drawn_ = 0;
  std::shared_ptr<const ViewResult> answer_shown_;  // that the last frame drew
  double first_frame_ms_ = 0, slowest_frame_ms_ = 0, edit_to_upload_ms_ = 0;
  FrameTimes frame_times_;  // processor time without the driver's
  int frames_due_ = 0;
  std::string window_title_;
  bool quit_ = false;
  bool focused_ = true, changed_told_ = false;     // that somebody else has written the file
  bool recovered_ = false;                         // the session is what a program has left behind
  UnsavedSessions kept_;                           // of others, as long as they are offered
  std::unique_ptr<AutosaveWriter> keeper_;         // none where nothing can be kept
  std::unique_ptr<ShutdownGuard> shutdown_guard_;  // goes first: it uses the keeper and the window
};

}  // namespace headlight
