// The report of the session: its Markdown, to be edited, and how it is passed on.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// The longest text, in bytes, that is edited in the window.
inline constexpr std::size_t kMostReportText = std::size_t{1} << 20;

enum class ReportAnswer { AddChanges, SaveAs, Close };

struct ReportDialogState {
  bool open = false;
  std::string text;      // Markdown, as it is edited
  std::string place;     // the folder of the report
  bool changes = false;  // whether the open model has changes for a table
  std::string message;   // what went wrong; "": nothing
};

// Draws the dialog while it is open. Returns an answer in the frame in which a button is pressed: the caller
// stores the text, and closes the dialog by `open`. Escape closes. Names: "report.text", "report.place",
// "report.changes", "report.save_as", "report.close", "report.message".
std::optional<ReportAnswer> report_dialog(const UiContext& ui, ReportDialogState& state);

}  // namespace headlight
