// The window's exports: starts them, hands previews and progress to the export dialog, and reports outcomes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/platform/picture_clipboard.h"
#include "app/shell/export_jobs.h"
#include "app/ui/dialogs/export_dialog.h"

namespace headlight {

class ExportController {
 public:
  struct Message {
    std::string text;
    bool failed = false;
    std::string copied;  // text for the clipboard; "": none
    std::string drawn;   // the bytes of draw_stage(); "": it was something else, or failed
  };

  // The arguments are those of ExportJobs.
  ExportController(std::function<void()> wake, ExportJobs::SendRead send);

  // Throws Error while another export is running.
  void start(ExportRequest request, const UiContext& ui);
  // CopyPicture or CopyNumbers of the request's stage. Throws as start().
  void copy_stage(const ActionRequest& request, const UiContext& ui);

  // Draws what the large picture shows of the stage, as a PNG that take_outcome() returns. Throws as start().
  void draw_stage(Stage stage, const UiContext& ui);

  // Call before and after the dialogs are drawn in each frame.
  void show(ExportDialogState& dialog, const UiContext& ui);
  void follow(ExportDialogState& dialog, const UiContext& ui);
  // The outcome of the export that has ended. Copied text and pictures are on the clipboard, and an open
  // dialog shows the message.
  std::optional<Message> take_outcome(ExportDialogState& dialog);
  // Whether nothing is being exported and the dialog shows the newest preview.
  bool settled(const ExportDialogState& dialog) const;

 private:
  ExportSource source(const UiContext& ui);

  PictureClipboard picture_clipboard_;
  bool drawing_ = false;  // the running export is that of draw_stage()
  ExportSource source_;
  ExportJobs jobs_;
};

// The table of heads on screen as the bytes of a file. Throws Error while it is not complete.
std::string shown_head_bytes(const UiContext& ui, FileFormat format);

}  // namespace headlight
