// The command `headlight report`.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

namespace headlight {

struct ReportOptions {
  std::filesystem::path source;  // a session (.headlight), whose report it is, or the report's text (.md)
  std::filesystem::path output;  // .html, .pdf or a folder; empty: none
  std::filesystem::path model;   // of the session, in place of the one that it names; empty: that one
  bool add_changes = false;      // to the session's report: the table of its model's changes
  std::string target;            // of that table, a word or an id as "#12"; "": the likeliest token
  bool force = false;            // replace the file, or the report in the folder
};

// Adds the table and saves the report as one page, a PDF, or Markdown with its pictures in a folder. Writes
// to `out` what is saved. Throws Error if there is no report, nothing to do, the output has another ending or
// exists and `force` is not set, and as changes_table().
void make_report(const ReportOptions& options, std::ostream& out);

}  // namespace headlight
