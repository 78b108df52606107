// A report: Markdown with pictures, in a folder beside its session (engine/session/report_files.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/analysis/analysis_result.h"
#include "engine/session/report_files.h"

namespace headlight {

struct Report {
  std::string text;               // Markdown; pictures by their names
  std::vector<ReportFile> files;  // pictures, and what they are of (.json), without the text
  bool empty() const { return text.empty() && files.empty(); }
};

// What is added to a report.
struct ReportEntry {
  std::string title;    // "weights, head 0"
  std::string caption;  // what it is of: model, text, changes; "": none
  std::string name;     // the beginning of its files' names: "weights"
  std::string picture;  // the bytes of a PNG; "": none
  std::string about;    // a JSON object, as about_text() writes it; "": none
  std::string command;  // that computes it again, as typed into a shell; "": none
  std::string table;    // in Markdown; "": none
};

// The report of a session: that of the folder beside it, else that in its archive; empty if there is none.
// Throws Error as report_files().
Report read_report(const std::filesystem::path& session);
// A report whose text is this file, and whose files are beside it. Throws Error if it cannot be read.
Report read_report_text(const std::filesystem::path& markdown);

// Writes text and files into the folder, which is made if it is missing; the text last, so that it names only
// pictures that are there. Throws Error.
void save_report(const Report& report, const std::filesystem::path& folder);

// Appends the entry to the text, below a heading, and its files under names that no file of the report has.
// session: the title that a report without a text begins with.
void add_entry(Report& report, const ReportEntry& entry, const std::string& session);

// Any text as Markdown that shows exactly it, in one line.
std::string markdown_text(const std::string& text);
// A table of a result as a Markdown table: row labels, columns, remarks. At most `most_rows` rows; a line
// below says how many are left out.
std::string markdown_table(const ResultTable& table, Index most_rows);

}  // namespace headlight
